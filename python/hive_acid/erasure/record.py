"""The ledger of an erasure as its phases use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hive_acid.erasure.finding import Finder
from hive_acid.erasure.ledger import Ledger
from hive_acid.erasure.plan import TablePlan
from hive_acid.erasure.spotting import Spotter, Spotters
from hive_acid.erasure.state import LINKED, ErasureState, FoundTable, describe_links
from hive_acid.erasure.trails import Trail
from hive_acid.errors import build_error
from hive_acid.model.table import TableName


class Record:
    """Reads and writes the ledger. Names in it are masked again by the links that have come since they were noted."""

    def __init__(self, ledger: Ledger, clock_ms: Callable[[], int], spotters: Spotters) -> None:
        self._ledger = ledger
        self._clock_ms = clock_ms
        self._spotters = spotters
        self._masked: dict[TableName, FoundTable] = {}
        self.state = ErasureState(ledger)

    def note(self, event: str, **values: object) -> None:
        """Writes an event. Raises as `Ledger.append` does."""
        self._ledger.append(event, self._clock_ms(), **values)

    def found(self, table: TableName) -> FoundTable:
        """The table as the first phase has found it, with all links that are known."""
        found = self.state.found(table)
        if found is None:
            raise build_error("HIVE_ACID_INTERNAL", reason=f"{table} was not searched yet")
        if not self.state.has_more_links(table):
            return found
        known = self._masked.get(table)
        if known is None or known.matcher != found.matcher:
            known = self._masked[table] = found.mask_again(self._spotters.of(found.matcher.keys).mask)
        return known

    def spotter(self, table: TableName) -> Spotter:
        """Masks the subjects of the table, and those of all tables."""
        return self._spotters.of(self.found(table).matcher.keys)

    def touched(self, table: TableName) -> frozenset[str]:
        """As the state has them."""
        return self.mask_again(table, self.state.touched(table))

    def compacted(self, table: TableName, round_: int) -> frozenset[str]:
        """As the state has them."""
        return self.mask_again(table, self.state.compacted(table, round_))

    def watched(self, table: TableName) -> frozenset[str]:
        """As the state has them."""
        return self.mask_again(table, self.state.watched(table))

    def free(self, table: TableName) -> frozenset[str]:
        """As the state has them."""
        return self.mask_again(table, self.state.free(table))

    def mask_again(self, table: TableName, names: Iterable[str]) -> frozenset[str]:
        """Names that were noted, by all links that are known."""
        if not self.state.has_more_links(table):
            return frozenset(names)
        return frozenset(map(self.spotter(table).mask, names))

    def follow(self, table: TablePlan, finder: Finder) -> tuple[Trail, bool]:
        """The trail to the table by what is visible now, and whether it has links that nobody knew.

        These are in the ledger before this returns: what gave them may be deleted next.
        """
        known = self.found(table.table).links
        trail = finder.follow(table, known)
        new = tuple(links - before for links, before in zip(trail.links, known, strict=True))
        if any(new):
            self.note(LINKED, table=str(table.table), links=describe_links(new))
        return trail, any(map(bool, new))
