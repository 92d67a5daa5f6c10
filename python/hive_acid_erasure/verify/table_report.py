"""A table as a search saw it, and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hive_acid.api.snapshots import ValidWriteIdList
from hive_acid.api.tables import Partition, TableDescription
from hive_acid_erasure.engine import Matcher, PhysicalFile
from hive_acid_erasure.verify.cross_check import CrossCheck
from hive_acid_erasure.verify.file_search import SearchedFile
from hive_acid_erasure.verify.places import Place


@dataclass(frozen=True)
class Sight:
    """A table as it was seen at one moment."""

    identity: str
    table: TableDescription
    partitions: tuple[Partition, ...]

    @property
    def locations(self) -> tuple[str, ...]:
        """Where it and its partitions lie, sorted."""
        return tuple(sorted({self.table.location, *(partition.location for partition in self.partitions)}))


@dataclass(frozen=True)
class Former:
    """The table as an earlier phase saw it: its identity and locations. Empty: nobody did.

    Nothing can be looked for at a location that is masked. `hidden` are the keyed hashes of these, see `Locations`.
    """

    identity: str = ""
    locations: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True)
class State:
    """All that a search rests on. If it is the same later, no row, file or text has come to the table meanwhile.

    `write_ids` were read before `files` were listed: they tell of a transaction whose files came and went in between.
    None: the table is of plain Hive. `places` are those of texts in the metastore, and of uploads. `version` tells by
    what texts were searched (`Spotters.version`).
    """

    sight: Sight
    write_ids: ValidWriteIdList | None
    files: frozenset[PhysicalFile]
    places: tuple[Place, ...]
    version: int = 0


@dataclass(frozen=True)
class TableReport:
    """The result for one table.

    `places` are all that was found, those of files and of the second reader too; `partitions` are plain names.
    `state` is what it rests on, None if that never rested or is gone; `listed_ms` and `counted_ms` are the times at
    which files were listed last and visible rows were counted. `moment_ms`: all this still was so then.
    """

    matcher: Matcher = field(repr=False)
    identity: str
    files: tuple[SearchedFile, ...]
    places: tuple[Place, ...]
    cross_check: CrossCheck = field(default_factory=CrossCheck)
    partitions: tuple[str, ...] = field(default=(), repr=False)
    state: State | None = field(default=None, repr=False)
    former: Former = field(default=Former(), repr=False)
    listed_ms: int | None = None
    counted_ms: int | None = None
    moment_ms: int | None = None
