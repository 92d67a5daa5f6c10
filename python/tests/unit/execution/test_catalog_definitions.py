"""What is dropped is locked first, and belongs to who is logged in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statements import DdlStatement
from hive_acid_catalogs.definitions import CatalogDefinitions
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable, DropDatabaseRequest, DropTableRequest
from support.memory_file_system import MemoryFileSystem

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
    files: MemoryFileSystem = field(default_factory=MemoryFileSystem)
    apart: str | None = None

    def definitions(self) -> CatalogDefinitions:
        scene: Any = self
        return CatalogDefinitions(scene, scene.files, scene, "ada")

    def run(self, statement: DdlStatement, command: Callable[[], None]) -> None:
        self.noted.append(("lock", statement.kind, *statement.tables, dict(statement.settings)))
        command()
        self.noted.append(("unlock",))

    def table_names_in(self, database: str) -> list[str]:
        return [table.table.table for table in self.tables]

    def described_table(self, name: TableName) -> DescribedTable | None:
        return next((table for table in self.tables if table.table == name), None)

    def described_database(self, name: str) -> DescribedDatabase:
        return DescribedDatabase(name, None, f"/warehouse/{name}.db", None, {})

    def new_table_location(self, name: TableName) -> str | None:
        return self.apart

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


@pytest.mark.parametrize("name", ["000000_0", "d=a/delta_0000001_0000001_0000/bucket_00000"])
@pytest.mark.parametrize(
    ("location", "apart", "folder"),
    [("/x/t", "/apart/t", "/x/t"), (None, "/apart/t", "/apart/t"), (None, None, "/warehouse/db.db/t")],
)
def test_a_transactional_table_has_no_files_before_its_first_write(
    scene: Scene, location: str | None, apart: str | None, folder: str, name: str
) -> None:
    scene.apart = apart
    scene.files.add_file(f"{folder}/{name}")
    table = replace(described("t", transactional="true"), location=location)
    with pytest.raises(HiveAcidError, match="HIVE_ACID_FOLDER_NOT_EMPTY") as raised:
        scene.definitions().create_table(table)
    assert raised.value.getMessageParameters()["found"] == name and scene.noted == []
    scene.files.delete_tree(folder)
    scene.files.add_file(f"{folder}/_SUCCESS")
    scene.definitions().create_table(table)
    scene.definitions().create_table(replace(described("u"), location=folder))
    assert [what for what, _ in scene.noted] == ["create", "create"]


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
