"""What is dropped is locked first, and belongs to who is logged in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from hive_acid.execution.catalog_definitions import CatalogDefinitions
from hive_acid.execution.ddl import DdlStatement
from hive_acid.model.table import TableName
from hive_acid.wire.catalogs import DescribedDatabase, DescribedTable, DropDatabaseRequest, DropTableRequest
from hive_acid.wire.ddl_kinds import DdlKind

TABLE = TableName("db", "t")
SETTINGS = {"spark.hiveacid.lock.timeoutMs": "1"}


def described(name: str, **properties: str) -> DescribedTable:
    place = None, None, None, None, {}
    return DescribedTable(TableName("db", name), "MANAGED_TABLE", "", 0, (), (), (), 0, (), *place, properties)


@dataclass
class Scene:
    """A metastore, its directory and the locks, all of which note what is asked of them."""

    tables: list[DescribedTable] = field(default_factory=list)
    noted: list[tuple[Any, ...]] = field(default_factory=list)

    def definitions(self) -> CatalogDefinitions:
        scene: Any = self
        return CatalogDefinitions(scene, scene, scene, "ada")

    def run(self, statement: DdlStatement, command: Callable[[], None]) -> None:
        self.noted.append(("lock", statement.kind, *statement.tables, dict(statement.settings)))
        command()
        self.noted.append(("unlock",))

    def table_names_in(self, database: str) -> list[str]:
        return [table.table.table for table in self.tables]

    def described_table(self, name: TableName) -> DescribedTable | None:
        return next((table for table in self.tables if table.table == name), None)

    def create_table(self, table: DescribedTable) -> None:
        self.noted.append(("create", table))

    def create_database(self, database: DescribedDatabase) -> None:
        self.noted.append(("create", database))

    def drop_table(self, name: TableName, *, purges: bool) -> None:
        self.noted.append(("drop", name, purges))

    def drop_database(self, name: str, *, cascades: bool) -> None:
        self.noted.append(("drop", name, cascades))


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_what_is_made_belongs_to_the_user(scene: Scene) -> None:
    table, database = described("t"), DescribedDatabase("db", None, None, None, {})
    scene.definitions().create_table(table)
    scene.definitions().create_database(database)
    assert scene.noted == [("create", replace(table, owner="ada")), ("create", replace(database, owner="ada"))]


@pytest.mark.parametrize("purges", [False, True])
def test_a_table_is_dropped_under_its_lock(scene: Scene, *, purges: bool) -> None:
    scene.definitions().drop_table(DropTableRequest(TABLE, purges, is_locked=False, settings=SETTINGS))
    assert scene.noted == [("lock", DdlKind.DROP_TABLE, TABLE, SETTINGS), ("drop", TABLE, purges), ("unlock",)]


def test_a_statement_that_holds_the_lock_is_not_locked_out(scene: Scene) -> None:
    scene.definitions().drop_table(DropTableRequest(TABLE, purges=True, is_locked=True, settings={}))
    assert scene.noted == [("drop", TABLE, True)]


def test_a_database_is_dropped_under_the_locks_of_its_transactional_tables(scene: Scene) -> None:
    scene.tables = [described("plain"), described("t", transactional="true"), described("u", transactional="TRUE")]
    scene.definitions().drop_database(DropDatabaseRequest("DB", cascades=True, settings=SETTINGS))
    locked = ("lock", DdlKind.DROP_DATABASE, TABLE, TableName("db", "u"), SETTINGS)
    assert scene.noted == [locked, ("drop", "DB", True), ("unlock",)]


def test_a_database_without_such_tables_needs_no_lock(scene: Scene) -> None:
    scene.tables = [described("plain")]
    scene.definitions().drop_database(DropDatabaseRequest("db", cascades=False, settings={}))
    assert scene.noted == [("drop", "db", False)]
