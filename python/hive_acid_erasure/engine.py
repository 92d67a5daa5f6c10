"""The seam to the engine that counts, deletes and searches files for an erasure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hive_acid.api.tables import TableName
from hive_acid_erasure.messages import KeyColumn


@dataclass(frozen=True)
class Key:
    """How a table's rows name a subject: SQL expressions over the table's columns, one per part of the key.

    An expression of type ARRAY names every one of its elements (only allowed as the single part of a key).
    """

    parts: tuple[str, ...]


@dataclass(frozen=True)
class KeyTypes:
    """The types that decide on the texts of a key's values. A type of moments names the session's time zone.

    `parts` are the types of its parts; of an array, whose elements are keys, that of an element.
    """

    parts: tuple[str, ...]
    columns: tuple[KeyColumn, ...] = ()


@dataclass(frozen=True)
class KeyedHashes:
    """The subjects as one key of one table spells them: their keyed hashes, each of 32 bytes.

    `types` are those that they were spelled by, None where nobody has kept them.
    """

    key: Key
    hashes: frozenset[bytes]
    types: KeyTypes | None = None


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
    why the file could not be searched whole, None if it was. `in_dictionary`: a value in a dictionary of the file does,
    and no row of it. `former_columns` are columns that the table has no more, in which a subject stands.
    """

    path: str
    row_count: int
    match_count: int
    in_statistics: bool
    problem: str | None = None
    in_dictionary: bool = False
    former_columns: tuple[str, ...] = ()


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
    """A change that removes rows from what queries show, once it is committed.

    `partitions` are those that it wrote to, by the metastore's names: an empty name for a flat table, if it wrote.
    """

    row_count: int
    txn_id: int
    write_id: int | None
    partitions: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Within:
    """The caller's part in the transaction of a deletion.

    `match` comes first. It is given the matchers and gives those that count. `confirm` comes last before the commit,
    with what would be deleted from each table. The engine answers what both ask by the transaction's
    snapshot. An error of either leaves nothing of the deletion. `reads` are the tables that both ask for. `purpose` is
    what the history tells in place of the statements.
    """

    match: Callable[[Sequence[Matcher]], Sequence[Matcher]]
    confirm: Callable[[Mapping[TableName, Deletion]], None]
    reads: frozenset[TableName] = frozenset()
    purpose: str | None = None


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

    def check_session(self) -> None:
        """Raises HIVE_ACID_ERASURE.COLUMNS_SETTING for a session set to read other rows than Hive of the line shows.

        Within a transaction of the session HIVE_ACID_TRANSACTION_STATE.NESTED.
        """
        ...

    def types(self, table: TableName, key: Key) -> KeyTypes:
        """The types of a key as the table is now.

        Raises HIVE_ACID_ERASURE.PLAN_CHAR if texts of its values and of subjects would differ in the blanks of a CHAR
        column, PLAN_COLLATION for texts that are equal though their bytes differ, and PLAN_KEY for a value that columns
        of the table alone do not decide on.
        """
        ...

    def spell_each(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> tuple[bytes, ...]:
        """The keyed hash of each subject as the key's types spell it: `007` is `7` in an INT column.

        Raises HIVE_ACID_ERASURE.SUBJECT_TYPE if a subject has no value of such a type.
        """
        ...

    def links(self, matcher: Matcher, link: Key) -> Mapping[bytes, frozenset[bytes]]:
        """The links that visible rows give, by the subjects of the matcher that these rows name.

        Both are keyed hashes. A subject that no row names is left out. One whose rows give no link has an empty set.
        Raises HIVE_ACID_ERASURE.AMBIGUOUS_LINK for a link that others' rows may give as well, and NOT_COUNTED for rows
        that are not those of now.
        """
        ...

    def count_shared(self, matcher: Matcher, link: Key, links: frozenset[bytes]) -> int:
        """How many of these links are given by visible rows that the matcher does not name. Raises as `links` does."""
        ...

    def choose_partitions(self, table: TableName, condition: str, names: Sequence[str]) -> frozenset[str]:
        """The partitions of these names that meet the condition. None is empty.

        Raises HIVE_ACID_ERASURE.PLAN_PARTITIONS if the condition is none over partition columns.
        """
        ...

    def count(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        """Visible rows now. Raises HIVE_ACID_ERASURE.NOT_COUNTED if they cannot be read."""
        ...

    def counts_all(self, table: TableName) -> bool:
        """True if `count` reads each file of the snapshot whole: no cache answers for it, and no setting skips one."""
        ...

    def delete(
        self, matchers: Sequence[Matcher], partitions: Mapping[TableName, str], within: Within | None = None
    ) -> Sequence[Deletion]:
        """Delete the matching visible rows of these tables in one transaction, in this order.

        Rows of insert-only tables are removed by writing the partitions that hold one anew. Raises
        HIVE_ACID_ERASURE.CHANGED_KEY, and deletes nothing, if a key has other types than its hashes.
        """
        ...

    def compact(self, table: TableName, partitions: Sequence[str]) -> Iterator[Compaction]:
        """Request major compactions and wait for the new bases; each partition once it has ended, in any order.

        Several are at work at once. One that fails ends no other; any other error does, and comes once all have ended.
        """
        ...

    def search(
        self, matcher: Matcher, files: Sequence[PhysicalFile], *, former_columns: bool = True
    ) -> Iterator[FileFinding]:
        """Read the files themselves, each whole, without any snapshot; a finding for every one of them.

        A row counts that matches by any way in which an engine may find the columns: by name, or by position.
        `former_columns`: columns are searched too that the table has no more.
        """
        ...

    def judge_values(self, matcher: Matcher, rows: Sequence[Mapping[str, str]]) -> Sequence[bool | None]:
        """Whether each row names a subject by a key that is of its columns alone. A row holds texts by column.

        The texts are values of the columns' types: `1.5` is `1.50` in a DECIMAL(10,2). None if it cannot be told.
        """
        ...

    def digest(self, files: Sequence[PhysicalFile]) -> Sequence[str | None]:
        """The SHA-256 of each file, in hexadecimal; None for one that is gone or not as it was listed."""
        ...
