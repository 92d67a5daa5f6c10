"""The partitions that a plan chooses, as its certificate tells of them later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hive_acid.api.conditions import HiveAcidError
from hive_acid_erasure.engine import ErasureEngine
from hive_acid_erasure.subjects.masks import MaskedTexts
from hive_acid_erasure.subjects.spotting import Spotters
from hive_acid_erasure.verify.table_report import TableReport


@dataclass(frozen=True)
class Limit:
    """A plan's condition on partitions, and the masked names of those that were there, within it and outside."""

    condition: str
    within: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()

    def find_outside(self, engine: ErasureEngine, report: TableReport, spotters: Spotters) -> frozenset[str]:
        """The partitions outside of the limit. The condition decides on those that came since: it may be one of days.

        There is none in a table that has no such partition columns any more.
        """
        spotter, known = spotters.of(report.matcher.keys), MaskedTexts(self.within | self.outside, spotters.key)
        told = {name: known.find(name, spotter.mask(name)) for name in report.partitions}
        new = sorted(name for name, as_told in told.items() if as_told is None)
        try:
            chosen = engine.choose_partitions(report.matcher.table, self.condition, new) if new else frozenset()
        except HiveAcidError as error:
            if error.getCondition() != "HIVE_ACID_ERASURE.PLAN_PARTITIONS":
                raise
            return frozenset()
        return frozenset(name for name, as_told in told.items() if as_told in self.outside) | (frozenset(new) - chosen)


def find_limits(payload: Mapping[str, Any]) -> dict[str, str]:
    """The conditions by table within which a certificate states something; a verification searches everything."""
    tables = payload["plan"]["tables"] if payload["kind"] == "erasure" else ()
    return {table["table"]: table["partitions"] for table in tables if table.get("partitions")}


def find_limit(payload: Mapping[str, Any], table: Mapping[str, Any]) -> Limit | None:
    """The limit of a table of a certificate, None if it has none. Earlier releases kept the condition alone."""
    condition = find_limits(payload).get(table["table"])
    kept = table.get("partitions", {})
    names = (frozenset(kept.get(name, ())) for name in ("within", "outside"))
    return None if condition is None else Limit(condition, *names)
