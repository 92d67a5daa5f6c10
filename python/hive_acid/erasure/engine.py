"""The seam to the engine that counts, deletes and searches files for an erasure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hive_acid.model.table import TableName


@dataclass(frozen=True)
class Key:
    """How a table's rows name a subject: SQL expressions over the table's columns, one per part of the key.

    An expression of type ARRAY names every one of its elements (only allowed as the single part of a key).
    """

    parts: tuple[str, ...]


@dataclass(frozen=True)
class KeyedHashes:
    """The subjects as one key of one table spells them: their keyed hashes, each of 32 bytes."""

    key: Key
    hashes: frozenset[bytes]


@dataclass(frozen=True)
class Matcher:
    """The rows of a table that are to go: those that one of the keys names."""

    table: TableName
    keys: tuple[KeyedHashes, ...]


@dataclass(frozen=True)
class PhysicalFile:
    """A file as it lies on disk.

    `partition` is the metastore's name of its partition as folders spell it, empty for a flat table.
    """

    path: str
    length_bytes: int
    modified_ms: int
    partition: str = ""


@dataclass(frozen=True)
class FileFinding:
    """The find in a file, whatever any snapshot shows of it.

    `row_count` is the number of rows that were read, deleted and aborted ones too. `match_count` are those of a
    subject. `in_statistics`: a least or greatest value in the file's own statistics names a subject. `problem` says
    why the file could not be searched whole, None if it was.
    """

    path: str
    row_count: int
    match_count: int
    in_statistics: bool
    problem: str | None = None


@dataclass(frozen=True)
class MatchCount:
    """Visible rows: all of the table, and those of subjects by partition (empty name for a flat table)."""

    total: int
    by_partition: Mapping[str, int]

    @property
    def matched(self) -> int:
        """Rows of subjects in all partitions."""
        return sum(self.by_partition.values())


@dataclass(frozen=True)
class Deletion:
    """A committed change that removed rows from what queries show."""

    row_count: int
    txn_id: int
    write_id: int | None


@dataclass(frozen=True)
class Compaction:
    """A partition (empty for a flat table) that was asked to be compacted.

    `id` is the request's, None if nothing was to do; `failure` says why it was not done.
    """

    partition: str
    id: int | None
    failure: str | None = None


class ErasureEngine(Protocol):
    """The questions of an erasure to the session.

    `partitions` is an SQL condition over partition columns, None for all.
    """

    def spell(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> frozenset[bytes]:
        """The keyed hashes of subjects as the key's types spell them: `007` is `7` in an INT column.

        Raises HIVE_ACID_ERASURE.SUBJECT_TYPE if a subject has no value of such a type.
        """
        ...

    def linked(self, matcher: Matcher, link: Key) -> frozenset[bytes]:
        """The keyed hashes of what `link` gives for the matching visible rows: keys of the next table on a path."""
        ...

    def count(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        """Visible rows now. Raises HIVE_ACID_ERASURE.NOT_COUNTED if they cannot be read."""
        ...

    def counts_all(self, table: TableName) -> bool:
        """True if `count` reads each file of the snapshot whole: no cache answers for it, and no setting skips one."""
        ...

    def delete(self, matchers: Sequence[Matcher], partitions: Mapping[TableName, str]) -> Sequence[Deletion]:
        """Delete the matching visible rows of these tables in one transaction, in this order.

        Rows of insert-only tables are removed by writing the partitions that hold one anew.
        """
        ...

    def compact(self, table: TableName, partitions: Sequence[str]) -> Iterator[Compaction]:
        """Request major compactions and wait for the new bases; each partition once it has ended, in any order.

        Several are at work at once. One that fails ends no other; any other error does, and comes once all have ended.
        """
        ...

    def search(self, matcher: Matcher, files: Sequence[PhysicalFile]) -> Iterator[FileFinding]:
        """Read the files themselves, each whole, without any snapshot; a finding for every one of them."""
        ...

    def judge_values(self, matcher: Matcher, rows: Sequence[Mapping[str, str]]) -> Sequence[bool | None]:
        """Whether each row names a subject by a key that is of its columns alone. A row holds texts by column.

        The texts are values of the columns' types: `1.5` is `1.50` in a DECIMAL(10,2). None if it cannot be told.
        """
        ...

    def digest(self, files: Sequence[PhysicalFile]) -> Sequence[str | None]:
        """The SHA-256 of each file, in hexadecimal; None for one that is gone or not as it was listed."""
        ...
