"""Certificates of erasures and verifications: what they say, and checking that it still holds."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid_erasure.certificate.certificate import FORMAT, Certificate
from hive_acid_erasure.certificate.limits import find_limit
from hive_acid_erasure.engine import Matcher
from hive_acid_erasure.find.state import ErasureState, describe_keys
from hive_acid_erasure.find.world import TableResult, World
from hive_acid_erasure.plan.plan import Plan, SearchLimits
from hive_acid_erasure.secrecy import work_masked
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.spotting import Spotters
from hive_acid_erasure.subjects.subjects import Subjects, identify_erasure
from hive_acid_erasure.verify.closing import close, find_moment
from hive_acid_erasure.verify.places import Place, PlaceKind, describe_visible
from hive_acid_erasure.verify.rewritten import RewrittenFiles, compare
from hive_acid_erasure.verify.table_report import Former, TableReport
from hive_acid_erasure.verify.verdict import BLIND_SPOTS, Verdict, judge
from hive_acid_erasure.verify.verification import Verification

_HASH = "HMAC-SHA256"


@dataclass(frozen=True)
class Case:
    """The matter of a certificate: `kind` is `erasure` or `verification`."""

    kind: str
    plan: Plan
    subjects: Subjects
    key: HashKey
    version: str

    @cached_property
    def spotters(self) -> Spotters:
        """Find the subjects in texts, and come to know the links that lead to their rows."""
        return self.subjects.spotters(self.key)


def build_payload(
    case: Case, world: World, results: Sequence[TableResult], state: ErasureState | None
) -> tuple[dict[str, Any], Verdict]:
    """The payload, and its verdict. `state` is None for a verification, which did nothing."""
    now_ms = world.clock_ms()
    results = [result.mask_again(case.spotters) for result in results]
    moment_ms = find_moment([result.report for result in results])
    verdict = judge(
        [place for result in results for place in result.places], is_late=_is_late(case.plan.deadline, now_ms)
    )
    digest = case.subjects.digest(case.key)
    payload: dict[str, Any] = {
        "format": FORMAT,
        "kind": case.kind,
        "erasure": identify_erasure(case.plan.digest, digest),
        "issued_at": _format_time(now_ms),
        **({} if moment_ms is None else {"as_of": _format_time(moment_ms)}),
        "plan": {**case.plan.describe(), "digest": case.plan.digest},
        "subjects": {"count": len(case.subjects.rows), "digest": digest, "hash": _HASH, "key": case.key.id},
        "tables": [_describe_table(result, state) for result in results],
        "phases": [] if state is None else [_describe_phase(phase) for phase in state.phases()],
        "versions": _versions(case, world),
        "blind_spots": [*BLIND_SPOTS, *_limits(results)],
        "verdict": verdict.describe(),
    }
    return payload, verdict


def _describe_table(result: TableResult, state: ErasureState | None) -> dict[str, Any]:
    found, report = result.found, result.report
    after = {file.path for file in report.files}
    described: dict[str, Any] = {
        "table": str(found.matcher.table),
        "identity": report.identity or found.identity,
        "locations": list(found.locations),
        **({"hidden_locations": sorted(found.hidden_locations)} if found.hidden_locations else {}),
        "keys": describe_keys(found.matcher.keys),
        "reach": [reach.describe() for reach in found.reach],
        **({} if result.chosen is None else {"partitions": result.chosen.describe()}),
        **_describe_snapshot(report),
        "searched": _describe_search(report),
        "cross_check": report.cross_check.describe(),
        "files": [file.describe() for file in report.files],
        "places": [place.describe() for place in result.places],
    }
    if state is None:
        return described
    return {
        **described,
        "found": {"total": found.count.total, "matched": found.count.matched},
        "deletions": state.deletions(found.matcher.table),
        "compactions": state.compactions(found.matcher.table),
        "files_removed": sorted(path for path in found.files if path not in after),
        "bytes_removed": sum(length for path, length in found.files.items() if path not in after),
    }


def _describe_snapshot(report: TableReport) -> dict[str, Any]:
    """The snapshot that the search speaks of; nothing for a table that never rested or was not there."""
    if report.state is None:
        return {}
    write_ids = report.state.write_ids
    return {
        "snapshot": {
            "high_write_id": None if write_ids is None else write_ids.high_water_mark,
            "listed_at": _format_time_or_none(report.listed_ms),
            "counted_at": _format_time_or_none(report.counted_ms),
        }
    }


def _describe_search(report: TableReport) -> dict[str, int]:
    """How much of the files was read. No statistics let a file be skipped: all are read."""
    read = [file for file in report.files if file.is_searched]
    return {
        "files": len(read),
        "bytes": sum(file.source.length_bytes for file in read),
        "not_searched": len(report.files) - len(read),
        "skipped_by_statistics": 0,
    }


def _describe_phase(phase: Mapping[str, Any]) -> dict[str, Any]:
    return {**phase, "at": _format_time(phase["at"])}


def _limits(results: Sequence[TableResult]) -> list[str]:
    """The parts of the tables that the plan leaves out."""
    return [
        f"{result.found.matcher.table}: {len(result.found.beyond)} partitions that hold subjects, outside of the "
        "plan's limits"
        for result in results
        if result.found.beyond
    ]


def _versions(case: Case, world: World) -> dict[str, str]:
    metastore = world.metastore
    return {
        "spark-hive-acid": case.version,
        "metastore": metastore.version,
        "metastore line": metastore.line.value,
        "python": platform.python_version(),
    }


def _is_late(deadline: str | None, now_ms: int) -> bool:
    return deadline is not None and now_ms > datetime.datetime.fromisoformat(deadline).timestamp() * 1000


def _format_time(ms: int) -> str:
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")


def _format_time_or_none(ms: int | None) -> str | None:
    return None if ms is None else _format_time(ms)


@dataclass(frozen=True)
class Recheck:
    """The result of searching a table of a certificate again. `rewritten` are the files that the erasure wrote."""

    table: str
    report: TableReport
    rewritten: RewrittenFiles

    @property
    def places(self) -> tuple[Place, ...]:
        """The places where something of the subjects is now, or where a file differs from what the erasure wrote."""
        return (*self.report.places, *self.rewritten.changed)


def recheck(
    certificate: Certificate, path: Path, key: HashKey, world: World, subjects: Subjects | None = None
) -> tuple[Recheck, ...]:
    """Searches the certificate's tables again for its subjects, files and visible rows within the plan's limits.

    A table that was made anew under its name is searched, and told as changed. The session runs the SQL expressions of
    the certificate. Without `subjects` only hashes are known, by which texts name a subject as spelled, in lower and in
    upper case. Raises HIVE_ACID_ERASURE with CERTIFICATE_UNKNOWN_SIGNER unless it is known whose they are,
    CERTIFICATE_HASH_KEY if the certificate was made with another key, CERTIFICATE_SUBJECTS if of others, and as
    `erase_subjects` does.
    """
    if not certificate.is_signer_known:
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_UNKNOWN_SIGNER", path=path)
    if certificate.payload["subjects"]["key"] != key.id:
        shown = certificate.payload["subjects"]["key"]
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_HASH_KEY", path=path, key=shown)
    if subjects is not None and certificate.payload["subjects"]["digest"] != subjects.digest(key):
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_SUBJECTS", path=path)
    spotters = Spotters(key) if subjects is None else subjects.spotters(key)
    for matcher, _, _ in certificate.matchers():
        spotters.learn(matcher.keys)
    return work_masked(spotters.mask, lambda: _recheck(certificate, world, spotters))


def _recheck(certificate: Certificate, world: World, spotters: Spotters) -> tuple[Recheck, ...]:
    search_limits = SearchLimits.read(certificate.payload["plan"])
    parts = world.engine, world.metastore, world.file_system, spotters, world.clock_ms
    verification = Verification(*parts, search_limits)
    tables = [
        (
            matcher,
            Former(identity, locations, frozenset(table.get("hidden_locations", ()))),
            table["files"],
            find_limit(certificate.payload, table),
        )
        for (matcher, identity, locations), table in zip(
            certificate.matchers(), certificate.payload["tables"], strict=True
        )
    ]

    def search(at: int, earlier: Recheck | None = None) -> Recheck:
        matcher, former, files, limit = tables[at]
        world.tell(f"verify: {matcher.table}")
        report = verification.verify(matcher, former, None if earlier is None else earlier.report)
        visible = _count_visible(matcher, limit.condition if limit else None, report, verification)
        outside = limit.find_outside(world.engine, report, spotters) if limit else frozenset()
        places = (place for place in (*report.places, *visible) if place.partition not in outside)
        report = replace(report, places=tuple(dict.fromkeys(places)))
        return Recheck(str(matcher.table), report, compare(files, report, world.engine, spotters.key))

    closed = close([search(at) for at in range(len(tables))], verification, search, world.clock_ms)
    return tuple(
        replace(each, report=replace(closed.stamp(each.report), places=(*each.report.places, *places)))
        for each, places in zip(closed.results, closed.places, strict=True)
    )


def _count_visible(
    matcher: Matcher, partitions: str | None, report: TableReport, verification: Verification
) -> tuple[Place, ...]:
    """The visible rows of subjects within the plan's limits; that they cannot be read is a place."""
    if not report.identity:
        return ()
    try:
        return describe_visible(matcher, verification.visible.count_if_there(matcher, partitions))
    except HiveAcidError as error:
        if error.getCondition() != "HIVE_ACID_ERASURE.NOT_COUNTED":
            raise
        masked = verification.spotters.of(matcher.keys).mask(str(error))
        return (Place(PlaceKind.UNSEARCHED, str(matcher.table), masked),)
