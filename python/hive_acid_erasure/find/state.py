"""The state of an erasure, read from the events of its ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import Deletion, Key, KeyedHashes, MatchCount, Matcher
from hive_acid_erasure.find.ledger import Ledger
from hive_acid_erasure.find.trails import Links, Reach, read_reach
from hive_acid_erasure.plan.key_types import describe_types, read_types
from hive_acid_erasure.verify.locations import Locations

FOUND, LOCATED, LINKED, SHARED, UNFOLLOWED, DELETING, WRITTEN, DELETED, COMPACTED, SEARCHED, VERIFIED, CERTIFIED = (
    "found",
    "located",
    "linked",
    "shared",
    "unfollowed",
    "deleting",
    "written",
    "deleted",
    "compacted",
    "searched",
    "verified",
    "certified",
)

_OF_PARTITIONS = frozenset({"partition", "partitions", "free", "held"})
"""The values of events, but for the find, that are names of partitions."""


@dataclass(frozen=True)
class FoundTable:
    """A table as the first phase found it. Names of partitions and paths are masked.

    `beyond` are partitions that hold subjects and lie outside of the plan's limits. `files`: path → length.
    `partitions` are all within the limits, whoever is in them. `links` are those of the steps of its path, and `seen`
    those of whom these steps have shown a link. `shared` are links among which a look has found some that others' rows
    give, too. `hidden_locations`: see `Locations`.
    """

    matcher: Matcher
    identity: str
    locations: tuple[str, ...]
    count: MatchCount
    beyond: frozenset[str]
    files: Mapping[str, int]
    partitions: frozenset[str] = frozenset()
    links: Links = ()
    reach: tuple[Reach, ...] = ()
    seen: Links = ()
    hidden_locations: frozenset[str] = frozenset()
    shared: Links = ()

    def with_links(self, more: Links, seen: Links) -> FoundTable:
        """The same with further links of each step; those of the last one are hashes of every key."""
        links, all_seen = join_links(self.links, more), join_links(self.seen, seen)
        keys = tuple(replace(keyed, hashes=keyed.hashes | links[-1]) for keyed in self.matcher.keys)
        return replace(self, matcher=Matcher(self.matcher.table, keys), links=links, seen=all_seen)

    def with_locations(self, more: Locations) -> FoundTable:
        """The same with further folders in which the table lay."""
        shown = tuple(dict.fromkeys((*self.locations, *more.shown)))
        return replace(self, locations=shown, hidden_locations=self.hidden_locations | more.hidden)

    def with_reach(self, later: Sequence[Reach]) -> FoundTable:
        """The same with what a later look could not follow."""
        return replace(
            self, reach=tuple(new if new.is_open else known for known, new in zip(self.reach, later, strict=True))
        )

    def mask_again(self, mask: Callable[[str], str]) -> FoundTable:
        """The same with the names that further links have made those of subjects masked, but for locations."""
        by_partition = {mask(name): rows for name, rows in self.count.by_partition.items()}
        return replace(
            self,
            count=MatchCount(self.count.total, by_partition),
            beyond=frozenset(map(mask, self.beyond)),
            files={mask(path): length for path, length in self.files.items()},
            partitions=frozenset(map(mask, self.partitions)),
        )


def describe_keys(keys: Sequence[KeyedHashes]) -> list[dict[str, Any]]:
    """As ledger and certificate keep them."""
    return [
        {
            "parts": list(keyed.key.parts),
            "hashes": sorted(hashed.hex() for hashed in keyed.hashes),
            **describe_types(keyed.types),
        }
        for keyed in keys
    ]


def describe_locations(locations: Locations) -> dict[str, list[str]]:
    """As the ledger keeps them."""
    return {"locations": list(locations.shown), "hidden_locations": sorted(locations.hidden)}


def read_locations(event: Mapping[str, Any]) -> Locations:
    """The locations that `describe_locations` has described."""
    return Locations(tuple(event["locations"]), frozenset(event.get("hidden_locations", ())))


def describe_links(links: Links) -> list[list[str]]:
    """As the ledger keeps them."""
    return [sorted(link.hex() for link in step) for step in links]


def join_links(one: Links, other: Links) -> Links:
    """The links of each step together."""
    return tuple(known | new for known, new in zip(one, other, strict=True))


def _read_links(described: Sequence[Sequence[str]]) -> Links:
    return tuple(frozenset(map(bytes.fromhex, step)) for step in described)


def describe_found(found: FoundTable) -> dict[str, Any]:
    """The values of the event."""
    return {
        "table": str(found.matcher.table),
        "identity": found.identity,
        **describe_locations(Locations(found.locations, found.hidden_locations)),
        "keys": describe_keys(found.matcher.keys),
        "total": found.count.total,
        "by_partition": dict(found.count.by_partition),
        "beyond": sorted(found.beyond),
        "files": dict(found.files),
        "partitions": sorted(found.partitions),
        "links": describe_links(found.links),
        "reach": [reach.describe() for reach in found.reach],
        "seen": describe_links(found.seen),
    }


def mask_names(event: Mapping[str, Any], mask: Callable[[str, str], str]) -> dict[str, Any]:
    """A later event than the find, whose names of partitions `mask` has masked: it is given a table and a name."""

    def masked(table: str, value: Any) -> Any:
        return sorted(mask(table, name) for name in value) if isinstance(value, list) else mask(table, value)

    found = dict(event)
    for name in _OF_PARTITIONS & event.keys():
        value = event[name]
        by_table = isinstance(value, dict)
        found[name] = {each: masked(each, value[each]) for each in value} if by_table else masked(event["table"], value)
    return found


class ErasureState:
    """The state of an erasure by its ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def found(self, table: TableName) -> FoundTable | None:
        """The find of the first phase, with all links that have come since; None if it has not come so far."""
        for event in self._of(FOUND, table):
            found = read_found(table, event)
            for more in self._of(LINKED, table):
                found = found.with_links(_read_links(more["links"]), _read_links(more["seen"]))
            for later in self._of(LOCATED, table):
                found = found.with_locations(read_locations(later))
            for doubt in self._of(SHARED, table):
                shared = _read_links(doubt["links"])
                found = replace(found, shared=join_links(found.shared, shared) if found.shared else shared)
            for look in self._of(UNFOLLOWED, table):
                found = found.with_reach(tuple(map(read_reach, look["reach"])))
            return found
        return None

    def has_more_links(self, table: TableName) -> bool:
        """True if links have come since the find."""
        return any(any(event["links"]) for event in self._of(LINKED, table))

    def needs_delete(self, table: TableName) -> bool:
        """True until the deletion has been noted."""
        return not any(event["round"] == 0 for event in self._of(DELETED, table))

    def is_interrupted(self, table: TableName) -> bool:
        """True if a run began a deletion and ended before it could note what became of it."""
        begun = sum(1 for _ in self._of(DELETING, table))
        return begun > sum(1 for _ in self._of(DELETED, table))

    def deletions(self, table: TableName) -> list[dict[str, Any]]:
        names = ("txn_id", "write_id", "rows", "after_interruption")
        return [{name: event[name] for name in names} for event in self._of(DELETED, table)]

    def confirmed(self, table: TableName) -> list[Deletion]:
        """The deletions that were about to be committed, whatever became of them."""
        events = self._of(WRITTEN, table)
        return [Deletion(e["rows"], e["txn_id"], None, frozenset(e["partitions"])) for e in events]

    def compactions(self, table: TableName) -> list[dict[str, Any]]:
        """For the certificate; those for which there was something to do."""
        events = self._of(COMPACTED, table)
        return [{"id": event["id"], "partition": event["partition"]} for event in events if event["id"] is not None]

    def compacted(self, table: TableName, round_: int) -> frozenset[str]:
        """Masked names of the partitions that were compacted in a round."""
        return frozenset(event["partition"] for event in self._of(COMPACTED, table) if event["round"] == round_)

    def touched(self, table: TableName) -> frozenset[str]:
        """Masked names of partitions that deletions may have changed."""
        found = self.found(table)
        later = (name for kind in (WRITTEN, DELETED) for event in self._of(kind, table) for name in event["partitions"])
        return frozenset(() if found is None else found.count.by_partition) | frozenset(later)

    def watched(self, table: TableName) -> frozenset[str]:
        """Masked names of the partitions that may hold subjects: those of the find, and those seen to since."""
        found = self.found(table)
        held = (name for event in self._verified() for name in event["held"].get(str(table), ()))
        return self.touched(table) | frozenset(() if found is None else found.partitions) | frozenset(held)

    def free(self, table: TableName) -> frozenset[str]:
        """Masked names of the partitions whose files the last look at them has found to be free of subjects."""
        free = set[str]()
        for event in self._ledger.events:
            if event["event"] == VERIFIED:
                free.update(event["free"].get(str(table), ()))
                free.difference_update(event["held"].get(str(table), ()))
            elif event["event"] in (WRITTEN, DELETED) and event["table"] == str(table):
                free.difference_update(event["partitions"])
        return frozenset(free)

    def _verified(self) -> Iterable[dict[str, Any]]:
        return (event for event in self._ledger.events if event["event"] == VERIFIED)

    def phases(self) -> list[dict[str, Any]]:
        """Event and time of each, for the certificate; those of tables name theirs."""
        return [
            {"phase": event["event"], "at": event["at_ms"], "detail": event.get("table", "")}
            for event in self._ledger.events
        ]

    def last_round(self) -> int:
        """The number of rounds of verification that were noted."""
        return sum(1 for _ in self._verified())

    def _of(self, kind: str, table: TableName) -> Iterable[dict[str, Any]]:
        for event in self._ledger.events:
            if event["event"] == kind and event.get("table") == str(table):
                yield event


def read_found(table: TableName, event: Mapping[str, Any]) -> FoundTable:
    """The find of an event, without the links that came later."""
    keys = tuple(
        KeyedHashes(Key(tuple(key["parts"])), frozenset(map(bytes.fromhex, key["hashes"])), read_types(key))
        for key in event["keys"]
    )
    located = read_locations(event)
    return FoundTable(
        Matcher(table, keys),
        event["identity"],
        located.shown,
        MatchCount(event["total"], event["by_partition"]),
        frozenset(event["beyond"]),
        event["files"],
        frozenset(event["partitions"]),
        _read_links(event["links"]),
        tuple(map(read_reach, event["reach"])),
        _read_links(event["seen"]),
        located.hidden,
    )
