"""A `PythonApi` over a metastore in memory, with a JVM that answers as told and makes errors of Python's."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

from hive_acid.bridge.api_parts import ApiParts
from hive_acid.bridge.operators import Operators
from hive_acid.bridge.python_api import PythonApi
from hive_acid.config import Settings
from hive_acid.execution.added_columns import ColumnAdditions
from hive_acid.execution.created_tables import CreatedTables
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.model.table import TableName
from hive_acid.reading.readers import Readers
from hive_acid.transactions.locks import Identity
from hive_acid_catalogs.catalog_api import PythonCatalogApi
from hive_acid_catalogs.definitions import CatalogDefinitions
from support.statements import World

TABLE_NAME = TableName("db", "t")


class Told(Exception):
    """An error of the JVM's, as Python makes it."""


class Session:
    """A `PythonApi` over a metastore in memory. The JVM answers what `bridge` says."""

    def __init__(self) -> None:
        self.world = world = World()
        self.bridge = MagicMock()
        self.bridge.stillAlters.return_value = False
        self.readers = Readers(world.warehouse, 10_000, world.clock, MagicMock(), 1000)
        jvm = MagicMock()
        jvm.java.util.HashMap = lambda: _Map()
        jvm.hiveacid.api.JvmApi = self.bridge
        jvm.hiveacid.errors.AcidException.fromPython = self.build
        self.compactions = MagicMock()
        self.transactions = MagicMock()
        settings, identity = Settings({}), Identity("user", "host", "agent")
        parts = ApiParts(
            settings,
            world.metastore,
            world.file_system,
            world.executor,
            ddl := DdlExecutor(world.warehouse, settings),
            CreatedTables(world.warehouse, settings),
            ColumnAdditions(world.warehouse, ddl, settings),
            self.readers,
            Operators(
                world.warehouse,
                self.readers,
                self.compactions,
                settings,
                identity,
                self.transactions,
            ),
        )
        cancellation: Any = SimpleNamespace(
            running=self.running, check=lambda: None, name=lambda _: None, cancel_tag=fail
        )
        self.python_api = PythonApi(jvm, MagicMock(), parts, cancellation, fail)
        names = (
            *("database_names", "described_database", "table_names_in", "described_table", "partition_names"),
            *("create_table", "drop_table", "create_database", "drop_database", "new_table_location"),
        )
        broken: Any = SimpleNamespace(**dict.fromkeys(names, fail))
        locking = DdlExecutor(world.warehouse, settings)
        definitions = CatalogDefinitions(broken, world.file_system, locking, "ada")
        self.catalog_api = PythonCatalogApi(jvm, MagicMock(), parts, cancellation, broken, definitions)

    @staticmethod
    def running() -> AbstractContextManager[None]:
        return nullcontext()

    @staticmethod
    def build(text: str, condition: str, state: str, params: _Map, cause: object) -> Told:
        outcome = params.get("outcome", "")  # of conditions that tell one
        assert outcome in text
        return Told(condition, outcome)


class _Map(dict[str, str]):
    def put(self, key: str, value: str) -> None:
        self[key] = value


def fail(*_: object, **__: object) -> Any:
    """Raises an error that nobody expects."""
    raise RuntimeError("on purpose")
