"""Databases and tables of a catalog with a metastore of its own are made and dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from hive_acid.api.catalogs import (
    DdlExecutor,
    DdlKind,
    DdlStatement,
    find_file,
    refuse_hidden_location,
)
from hive_acid.api.statements import StatementOutcome, telling
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import TableKind, TableName
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable, DropDatabaseRequest, DropTableRequest


class CatalogDefinitions:
    """Makes and drops them in one metastore. Others may be using a table, so it is dropped under Hive's locks."""

    def __init__(self, metastore: CatalogMetastore, file_system: FileSystem, locking: DdlExecutor, owner: str) -> None:
        """`owner` is that of new tables and databases."""
        self._metastore = metastore
        self._file_system = file_system
        self._locking = locking
        self._owner = owner

    def create_table(self, table: DescribedTable) -> None:
        """Nobody can use it before it is there.

        Raises HIVE_ACID_FOLDER_NOT_EMPTY for a transactional table, of which files would become rows that no
        transaction wrote. Spark sees to that in its own catalog. Raises HIVE_ACID_UNSUPPORTED_TABLE for one that would
        lie in a hidden folder.
        """
        if TableKind.of(table.properties) is not TableKind.PLAIN:
            with telling(StatementOutcome.NOTHING_CHANGED):
                self._refuse_place(table)
        _run(lambda: self._metastore.create_table(replace(table, owner=self._owner)))

    def _refuse_place(self, table: DescribedTable) -> None:
        location = table.location or self._find_default_location(table.table)
        if not location:
            return
        refuse_hidden_location("CREATE TABLE", table.table, location)
        found = find_file(self._file_system, location)
        if found is not None:
            raise found.build_error("CREATE TABLE", table.table)

    def _find_default_location(self, name: TableName) -> str | None:
        """None without its database, of which the metastore complains."""
        apart = self._metastore.new_table_location(name)
        database = self._metastore.described_database(name.database) if apart is None else None
        below = database.location if database is not None else None
        return apart if below is None else f"{below.rstrip('/')}/{name.table}"

    def drop_table(self, asked: DropTableRequest) -> None:
        """Waits for readers and writers, and drops it. Raises HIVE_ACID_LOCK_TIMEOUT."""

        def drop() -> None:
            self._metastore.drop_table(asked.table, purges=asked.purges)

        if asked.is_locked:
            _run(drop)
        else:
            self._run_locked(DdlKind.DROP_TABLE, (asked.table,), asked.settings, drop)

    def create_database(self, database: DescribedDatabase) -> None:
        """Nobody can use it before it is there."""
        _run(lambda: self._metastore.create_database(replace(database, owner=self._owner)))

    def drop_database(self, asked: DropDatabaseRequest) -> None:
        """Waits for readers and writers of its transactional tables, and drops it. Raises HIVE_ACID_LOCK_TIMEOUT."""

        def drop() -> None:
            self._metastore.drop_database(asked.name, cascades=asked.cascades)

        self._run_locked(DdlKind.DROP_DATABASE, self._find_transactional(asked.name), asked.settings, drop)

    def _find_transactional(self, database: str) -> tuple[TableName, ...]:
        names = [TableName(database.lower(), table) for table in self._metastore.table_names_in(database.lower())]
        found = ((name, self._metastore.described_table(name)) for name in names)
        return tuple(
            name for name, table in found if table is not None and TableKind.of(table.properties) is not TableKind.PLAIN
        )

    def _run_locked(
        self, kind: DdlKind, tables: tuple[TableName, ...], settings: Mapping[str, str], command: Callable[[], None]
    ) -> None:
        if tables:
            self._locking.run(DdlStatement(kind, tables, settings=settings), command)
        else:
            _run(command)


def _run(command: Callable[[], None]) -> None:
    """An error that does not say better says that the outcome is not known."""
    with telling(StatementOutcome.NOT_KNOWN):
        command()
