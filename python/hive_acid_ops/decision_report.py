"""Decisions of the Initiator as text and as JSON."""

from __future__ import annotations

import json

from hive_acid_ops.initiator.initiator import Decision


def format_text(decision: Decision) -> str:
    """A line for people."""
    where = f"{decision.table} {decision.partition}" if decision.partition else str(decision.table)
    kind = f" {decision.kind.value}" if decision.kind else ""
    number = f" (compaction {decision.request_id})" if decision.request_id else ""
    return f"{where}: {decision.action.value}{kind}{number}: {decision.reason}"


def format_json(decision: Decision) -> str:
    """One object on one line; what is not known is null."""
    return json.dumps(
        {
            "database": decision.table.database,
            "table": decision.table.table,
            "partition": decision.partition,
            "action": decision.action.value,
            "kind": decision.kind.value if decision.kind else None,
            "compactionId": decision.request_id,
            "reason": decision.reason,
        }
    )
