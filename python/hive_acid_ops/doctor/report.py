"""Findings, and what was done about them, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hive_acid_ops.doctor.finding import Finding
from hive_acid_ops.doctor.findings import Treatment


def format_line(treatment: Treatment, would_fix: bool = False) -> str:
    """For people: what, where, which harm it does, and the cure or what was done. `would_fix`: a dry run of `--fix`."""
    finding = treatment.finding
    kind = f"{finding.kind.value} (hint)" if finding.kind.is_hint else finding.kind.value
    head = f"{_find_where(finding)}: {kind}: {finding.detail}; harm: {finding.harm}"
    if treatment.is_done:
        return f"{head}; removed"
    if treatment.failure:
        return f"{head}; not removed: {treatment.failure}"
    if finding.is_fixable:
        return f"{head}; {'would be removed' if would_fix else f'cure: {finding.cure} (--fix)'}"
    return f"{head}; cure: {finding.cure}"


def _find_where(finding: Finding) -> str:
    if finding.path:
        return finding.path
    if finding.table is None:
        return "metastore"
    return f"{finding.table} {finding.partition}" if finding.partition else str(finding.table)


def format_json(treatments: Sequence[Treatment]) -> str:
    """For programs: one object on one line; what is not known is null.

    `kind` is a stable word; `hint` is true for what is no fault. `fix` says whether `--fix` cures it, `fixed` whether
    it did, `failure` why it could not.
    """
    return json.dumps({"findings": [_build_fields(treatment) for treatment in treatments]})


def _build_fields(treatment: Treatment) -> dict[str, object]:
    finding = treatment.finding
    return {
        "kind": finding.kind.value,
        "hint": finding.kind.is_hint,
        "database": finding.table.database if finding.table else None,
        "table": finding.table.table if finding.table else None,
        "partition": finding.partition,
        "path": finding.path,
        "detail": finding.detail,
        "harm": finding.harm,
        "cure": finding.cure,
        "fix": finding.is_fixable,
        "fixed": treatment.is_done,
        "failure": treatment.failure,
    }
