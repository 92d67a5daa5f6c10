"""The ledger of an erasure as its phases use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from hive_acid.api.conditions import build_error
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import KeyedHashes
from hive_acid_erasure.find.finding import Finder
from hive_acid_erasure.find.ledger import Ledger
from hive_acid_erasure.find.state import (
    FOUND,
    LINKED,
    LOCATED,
    SHARED,
    UNFOLLOWED,
    ErasureState,
    FoundTable,
    describe_found,
    describe_links,
    describe_locations,
    mask_names,
    read_found,
    read_locations,
)
from hive_acid_erasure.find.trails import Links, Trail
from hive_acid_erasure.plan.plan import TablePlan
from hive_acid_erasure.subjects.spotting import Spotter, Spotters
from hive_acid_erasure.verify.locations import Locations
from hive_acid_erasure.verify.places import find_outer


class Record:
    """Reads and writes the ledger. Names in it are masked again by the links that have come since they were noted."""

    def __init__(self, ledger: Ledger, clock_ms: Callable[[], int], spotters: Spotters) -> None:
        self._ledger = ledger
        self._clock_ms = clock_ms
        self._spotters = spotters
        self._masked: dict[TableName, tuple[int, FoundTable]] = {}
        self.state = ErasureState(ledger)

    def note(self, event: str, **values: object) -> None:
        """Writes an event. Raises as `Ledger.append` does."""
        self._ledger.append(event, self._clock_ms(), **values)

    def found(self, table: TableName) -> FoundTable:
        """The table as the first phase has found it, with all links that are known."""
        found = self.state.found(table)
        if found is None:
            raise build_error("HIVE_ACID_INTERNAL", reason=f"{table} was not searched yet")
        version, known = self._masked.get(table, (-1, found))
        is_same = known.matcher == found.matcher and len(known.locations) == len(found.locations)
        if version != self._spotters.version or not is_same:
            known = self._mask_found(found)
            self._masked[table] = self._spotters.version, known
        return replace(known, reach=found.reach, seen=found.seen)

    def learn(self, tables: Iterable[TablePlan]) -> None:
        """Keys and links that the ledger tells of are masked in all texts."""
        for table in tables:
            if (found := self.state.found(table.table)) is not None:
                self._spotters.learn(found.matcher.keys)
                steps = zip(table.via, found.links, strict=True) if table.via else ()
                self._spotters.learn(KeyedHashes(step.link.key, links) for step, links in steps)

    def _mask_found(self, found: FoundTable) -> FoundTable:
        spotter = self._spotters.of(found.matcher.keys)
        locations = Locations(found.locations, found.hidden_locations).mask(spotter, self._spotters.key)
        masked = found.mask_again(spotter.mask)
        return replace(masked, locations=locations.shown, hidden_locations=locations.hidden)

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
        return frozenset(map(self.spotter(table).mask, names))

    def follow(self, table: TablePlan, finder: Finder) -> tuple[Trail, bool]:
        """The trail to the table by what is visible now, and whether it has links that nobody knew.

        These are in the ledger before this returns: what gave them may be deleted next.
        """
        found = self.found(table.table)
        trail = finder.follow(table, found.links, found.seen, found.shared)
        new, seen = _find_new(trail.links, found.links), _find_new(trail.seen, found.seen)
        if any(new) or any(seen):
            self.note(LINKED, table=str(table.table), links=describe_links(new), seen=describe_links(seen))
            later = self.found(table.table)
            finder.verification.hide_named(later.matcher, later.files)
            self._mask_ledger()
        return trail, any(map(bool, new))

    def locate(self, table: TableName, seen: Iterable[str]) -> FoundTable:
        """The table with the folders in which it was seen to lie; the ledger has them before anything else is done."""
        found, spotter = self.found(table), self.spotter(table)
        masked = {path: spotter.mask(path) for path in find_outer(seen)}
        outer = {*find_outer((*found.locations, *masked.values()))} - {path.rstrip("/") for path in found.locations}
        new = Locations(tuple(path for path, shown in masked.items() if shown in outer))
        if new.shown:
            self.note(LOCATED, table=str(table), **describe_locations(new.mask(spotter, self._spotters.key)))
        return self.found(table)

    def note_shared(self, table: TablePlan, trail: Trail) -> None:
        """Notes that some links of the trail are others', too, so that nothing is deleted by one that nobody gives."""
        self.note(SHARED, table=str(table.table), links=describe_links(tuple(s.sure_links for s in trail.stages)))

    def _mask_ledger(self) -> None:
        """Names that were noted before a link was known are in the file no more."""
        masked = list(map(self._mask_event, self._ledger.events))
        if masked != list(self._ledger.events):
            self._ledger.rewrite(masked)

    def _mask_event(self, event: dict[str, Any]) -> dict[str, Any]:
        if event["event"] == LOCATED:
            spotter = self.spotter(_read_name(event["table"]))
            return {**event, **describe_locations(read_locations(event).mask(spotter, self._spotters.key))}
        if event["event"] != FOUND:
            return mask_names(event, lambda table, name: self.spotter(_read_name(table)).mask(name))
        return {**event, **describe_found(self._mask_found(read_found(_read_name(event["table"]), event)))}

    def look_behind(self, table: TablePlan, trail: Trail, finder: Finder) -> None:
        """Notes the links of the trail's steps that nobody can follow: what gives them may be removed next."""
        found = self.found(table.table)
        reach = finder.look_behind(table, trail)
        if found.with_reach(reach) != found:
            self.note(UNFOLLOWED, table=str(table.table), reach=[each.describe() for each in reach])


def _read_name(table: str) -> TableName:
    database, _, name = table.partition(".")
    return TableName(database, name)


def _find_new(links: Links, before: Links) -> Links:
    return tuple(now - known for now, known in zip(links, before, strict=True))
