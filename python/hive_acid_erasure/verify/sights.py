"""Looking at a table: what the metastore says of it, and all files there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from hive_acid.api.conditions import HiveAcidError
from hive_acid.api.snapshots import ValidWriteIdList
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore, TableKind, TableName
from hive_acid_erasure.engine import PhysicalFile
from hive_acid_erasure.verify.kept_files import KeptFiles
from hive_acid_erasure.verify.places import Roots, find_roots, list_below
from hive_acid_erasure.verify.shown_files import ShownFiles
from hive_acid_erasure.verify.table_report import Sight


@dataclass(frozen=True)
class Listed:
    """The files of a table and those kept for replicas, the write IDs that were visible before, and the time after.

    `bare` are folders of the table that hold nothing.
    """

    write_ids: ValidWriteIdList | None
    files: frozenset[PhysicalFile]
    at_ms: int
    bare: frozenset[str] = frozenset()


class Sights:
    """Looks at tables, and remembers where they lay."""

    def __init__(self, metastore: Metastore, file_system: FileSystem, clock_ms: Callable[[], int]) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._clock_ms = clock_ms
        self._texts: dict[tuple[str, int, int], bool] = {}
        self._seen: dict[TableName, dict[str, None]] = {}

    def look(self, table: TableName) -> Sight:
        """The table as it is now. Raises HIVE_ACID_TABLE_NOT_FOUND."""
        identity, described = self._metastore.table_identity(table), self._metastore.table(table)
        names = self._metastore.partition_names(table) if described.is_partitioned else []
        sight = Sight(identity, described, tuple(self._metastore.partitions(table, names)))
        self._seen.setdefault(table, {}).update(dict.fromkeys(sight.locations))
        return sight

    def look_if_there(self, table: TableName) -> Sight | None:
        """The table as it is now, None if it is gone."""
        try:
            return self.look(table)
        except HiveAcidError as error:
            expect_gone(error)
            return None

    def seen(self, table: TableName) -> tuple[str, ...]:
        """All locations at which the table lay since this was made."""
        return tuple(self._seen.get(table, ()))

    def list_files(self, sight: Sight, former: Sequence[str] = ()) -> tuple[PhysicalFile, ...]:
        """All files there are now, also at `former` locations. Raises HIVE_ACID_STORAGE."""
        return list_below(self._file_system, self.find_roots(sight, former)).files

    def find_roots(self, sight: Sight, former: Sequence[str]) -> Roots:
        """The folders that are searched."""
        return find_roots(self._file_system, sight.table, sight.partitions, former)

    def list_now(self, sight: Sight, former: Sequence[str]) -> Listed:
        """The files with those that are kept for replicas, and what write IDs were visible before."""
        write_ids, name = None, sight.table.name
        if sight.table.kind is not TableKind.PLAIN:
            write_ids = self._metastore.valid_write_ids([name], None)[name]
        roots = self.find_roots(sight, former)
        kept = self.kept_files.list_files(self._file_system, roots.folders)
        below = list_below(self._file_system, roots)
        return Listed(write_ids, frozenset((*below.files, *kept)), self._clock_ms(), below.bare)

    def shown(self, sight: Sight) -> ShownFiles:
        """The files that queries show."""
        return ShownFiles(self._metastore, self._file_system, sight.table, sight.partitions, self._texts)

    @cached_property
    def kept_files(self) -> KeptFiles:
        """How the metastore keeps removed files."""
        return KeptFiles.of_server(self._metastore.config_value)


def expect_gone(error: HiveAcidError) -> None:
    """Raises an error that says anything else than that the table is gone."""
    if error.main_condition != "HIVE_ACID_TABLE_NOT_FOUND":
        raise error
