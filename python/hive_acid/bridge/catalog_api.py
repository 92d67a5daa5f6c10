"""The object that the shim calls about a catalog that has a metastore of its own."""

from __future__ import annotations

from typing import Any

from pyspark import SparkContext

from hive_acid.bridge.answers import answered
from hive_acid.bridge.api_parts import ApiParts
from hive_acid.bridge.cancellation import Cancellation
from hive_acid.bridge.python_api import PythonApi
from hive_acid.bridge.requests import parse_table_name
from hive_acid.execution.catalog_definitions import CatalogDefinitions
from hive_acid.metastore.client.directory import Directory
from hive_acid.wire import codec
from hive_acid.wire.catalogs import DescribedDatabase, DescribedTable, DropDatabaseRequest, DropTableRequest


class PythonCatalogApi(PythonApi):
    """The Python half of `hiveacid.python.PythonCatalogApi`: also tells what is in a metastore, and makes it there."""

    def __init__(
        self,
        jvm: Any,
        context: SparkContext,
        parts: ApiParts,
        cancellation: Cancellation,
        directory: Directory,
        definitions: CatalogDefinitions,
    ) -> None:
        super().__init__(jvm, context, parts, cancellation)
        self._directory = directory
        self._definitions = definitions

    @answered
    def databases(self) -> str:
        """Names of the databases."""
        with self._cancellation.running():
            return codec.write(tuple(self._directory.database_names()))

    @answered
    def database(self, name: str) -> str:
        """The database of that name; null if there is none."""
        with self._cancellation.running():
            return codec.write(self._directory.described_database(name))

    @answered
    def tables(self, database: str) -> str:
        """Names of the tables and views of a database."""
        with self._cancellation.running():
            return codec.write(tuple(self._directory.table_names_in(database)))

    @answered
    def table(self, name: str) -> str:
        """The table `database.table`; null if there is none."""
        with self._cancellation.running():
            return codec.write(self._directory.described_table(parse_table_name(name)))

    @answered
    def partitions(self, name: str) -> str:
        """Names of the partitions of the table `database.table`."""
        with self._cancellation.running():
            return codec.write(tuple(self._directory.partition_names(parse_table_name(name))))

    @answered
    def createTable(self, request: str) -> str:  # noqa: N802 (the trait's name)
        with self._cancellation.running():
            self._definitions.create_table(codec.read(DescribedTable, request))
        return "{}"

    @answered
    def dropTable(self, request: str) -> str:  # noqa: N802 (the trait's name)
        """Drops a table, under its locks."""
        with self._cancellation.running():
            self._definitions.drop_table(codec.read(DropTableRequest, request))
        return "{}"

    @answered
    def createDatabase(self, request: str) -> str:  # noqa: N802 (the trait's name)
        with self._cancellation.running():
            self._definitions.create_database(codec.read(DescribedDatabase, request))
        return "{}"

    @answered
    def dropDatabase(self, request: str) -> str:  # noqa: N802 (the trait's name)
        """Drops a database, under the locks of its tables."""
        with self._cancellation.running():
            self._definitions.drop_database(codec.read(DropDatabaseRequest, request))
        return "{}"

    class Java:
        """The interface, for py4j."""

        implements = ("hiveacid.python.PythonCatalogApi",)
