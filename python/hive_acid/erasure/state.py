"""The state of an erasure, read from the events of its ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive_acid.erasure.engine import Key, KeyedHashes, MatchCount, Matcher
from hive_acid.erasure.ledger import Ledger
from hive_acid.model.table import TableName

FOUND, DELETING, DELETED, COMPACTED, VERIFIED, CERTIFIED = (
    "found",
    "deleting",
    "deleted",
    "compacted",
    "verified",
    "certified",
)


@dataclass(frozen=True)
class FoundTable:
    """A table as the first phase found it. Names of partitions and paths are masked.

    `beyond` are partitions that hold subjects and lie outside of the plan's limits. `files`: path → length.
    """

    matcher: Matcher
    identity: str
    locations: tuple[str, ...]
    count: MatchCount
    beyond: frozenset[str]
    files: Mapping[str, int]


def describe_keys(keys: Sequence[KeyedHashes]) -> list[dict[str, Any]]:
    """As ledger and certificate keep them."""
    return [
        {"parts": list(keyed.key.parts), "hashes": sorted(hashed.hex() for hashed in keyed.hashes)} for keyed in keys
    ]


def describe_found(found: FoundTable) -> dict[str, Any]:
    """The values of the event."""
    return {
        "table": str(found.matcher.table),
        "identity": found.identity,
        "locations": list(found.locations),
        "keys": describe_keys(found.matcher.keys),
        "total": found.count.total,
        "by_partition": dict(found.count.by_partition),
        "beyond": sorted(found.beyond),
        "files": dict(found.files),
    }


class ErasureState:
    """The state of an erasure by its ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def found(self, table: TableName) -> FoundTable | None:
        """The find of the first phase, None if it has not come so far."""
        for event in self._of(FOUND, table):
            keys = tuple(
                KeyedHashes(Key(tuple(key["parts"])), frozenset(map(bytes.fromhex, key["hashes"])))
                for key in event["keys"]
            )
            return FoundTable(
                Matcher(table, keys),
                event["identity"],
                tuple(event["locations"]),
                MatchCount(event["total"], event["by_partition"]),
                frozenset(event["beyond"]),
                event["files"],
            )
        return None

    def needs_delete(self, table: TableName) -> bool:
        """True until the deletion has been noted."""
        return not any(event["round"] == 0 for event in self._of(DELETED, table))

    def is_interrupted(self, table: TableName) -> bool:
        """True if a run began a deletion and ended before it could note what became of it."""
        begun = sum(1 for _ in self._of(DELETING, table))
        return begun > sum(1 for _ in self._of(DELETED, table))

    def deletions(self, table: TableName) -> list[dict[str, Any]]:
        """For the certificate."""
        names = ("txn_id", "write_id", "rows", "after_interruption")
        return [{name: event[name] for name in names} for event in self._of(DELETED, table)]

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
        later = (name for event in self._of(DELETED, table) for name in event["partitions"])
        return frozenset(() if found is None else found.count.by_partition) | frozenset(later)

    def free(self, table: TableName) -> frozenset[str]:
        """Masked names of the partitions whose files a verification has found to be free of subjects."""
        verified = (event for event in self._ledger.events if event["event"] == VERIFIED)
        return frozenset(name for event in verified for name in event["free"].get(str(table), ()))

    def phases(self) -> list[dict[str, Any]]:
        """Event and time of each, for the certificate; those of tables name theirs."""
        return [
            {"phase": event["event"], "at": event["at_ms"], "detail": event.get("table", "")}
            for event in self._ledger.events
        ]

    def last_round(self) -> int:
        """The number of rounds of verification that were noted."""
        return sum(1 for event in self._ledger.events if event["event"] == VERIFIED)

    def _of(self, kind: str, table: TableName) -> Iterable[dict[str, Any]]:
        for event in self._ledger.events:
            if event["event"] == kind and event.get("table") == str(table):
                yield event
