"""The end of a verification: one moment at which all tables were as they had been searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from hive_acid_erasure.verify.places import Place, PlaceKind
from hive_acid_erasure.verify.table_report import TableReport
from hive_acid_erasure.verify.verification import Verification

_LOOKS = 5
"""Beside writers that never rest there is no such moment."""


class Verified(Protocol):
    """The result of a table, of whatever kind."""

    @property
    def report(self) -> TableReport:
        """The result of its search."""
        ...


R = TypeVar("R", bound=Verified)


@dataclass(frozen=True)
class Closed(Generic[R]):
    """Results, some of them made anew, and for each the places that say why there was no such moment."""

    results: tuple[R, ...]
    places: tuple[tuple[Place, ...], ...]
    moment_ms: int | None

    def stamp(self, report: TableReport) -> TableReport:
        """The report with the moment."""
        return replace(report, moment_ms=self.moment_ms)


def close(
    results: Sequence[R], verification: Verification, again: Callable[[int, R], R], clock_ms: Callable[[], int]
) -> Closed[R]:
    """Looks at all tables once more, and searches those `again` that have changed, until none has.

    The moment lies after the last listing of every table and before another one that was the same: no table held
    anything then but what was searched. `again` is given the place of a result and the result. A table whose files
    never rested, or that went while it was searched, is not waited for. Raises as `Verification.verify` does.
    """
    found, changed = list(results), list[int]()
    for look in range(_LOOKS):
        moment_ms = clock_ms()
        restless = [at for at, each in enumerate(found) if each.report.identity and each.report.state is None]
        changed = [
            at for at, each in enumerate(found) if at not in restless and not verification.is_as_it_was(each.report)
        ]
        if not changed:
            return Closed(tuple(found), ((),) * len(found), None if restless else moment_ms)
        for at in changed if look < _LOOKS - 1 else ():
            found[at] = again(at, found[at])
    places = (_describe(each.report) if at in changed else () for at, each in enumerate(found))
    return Closed(tuple(found), tuple(places), None)


def find_moment(reports: Sequence[TableReport]) -> int | None:
    """The moment of a whole result; None if its tables have none in common."""
    moments = [report.moment_ms for report in reports]
    known = [moment for moment in moments if moment is not None]
    return min(known) if known and len(known) == len(moments) else None


def _describe(report: TableReport) -> tuple[Place, ...]:
    detail = f"it changed each of {_LOOKS} times that all tables were looked at once more; call again when it rests"
    return (Place(PlaceKind.CHANGING_FILES, str(report.matcher.table), detail),)
