"""The object that the shim calls about a catalog that has a metastore of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark import SparkContext

from hive_acid.api.catalogs import (
    ApiParts,
    Cancellation,
    PythonApi,
    answered,
    cancellable,
)
from hive_acid.api.tables import TableName
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from hive_acid_catalogs.definitions import CatalogDefinitions
from hive_acid_catalogs.foreign_side import ForeignSide
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable, DropDatabaseRequest, DropTableRequest


class PythonCatalogApi(PythonApi):
    """The Python half of `hiveacid.python.PythonCatalogApi`: also tells what is in a metastore, and makes it there."""

    def __init__(
        self,
        jvm: Any,
        context: SparkContext,
        parts: ApiParts,
        cancellation: Cancellation,
        metastore: CatalogMetastore,
        definitions: CatalogDefinitions,
    ) -> None:
        super().__init__(jvm, context, parts, cancellation)
        self._directory = metastore
        self._definitions = definitions

    @answered
    @cancellable
    def databases(self) -> Sequence[str]:
        """Names of the databases."""
        return self._directory.database_names()

    @answered
    @cancellable
    def database(self, name: str) -> DescribedDatabase | None:
        """The database of that name; None if there is none."""
        return self._directory.described_database(name)

    @answered
    @cancellable
    def tables(self, database: str) -> Sequence[str]:
        """Names of the tables and views of a database."""
        return self._directory.table_names_in(database)

    @answered
    @cancellable
    def table(self, name: TableName) -> DescribedTable | None:
        """The table of that name; None if there is none."""
        return self._directory.described_table(name)

    @answered
    @cancellable
    def partitions(self, name: TableName) -> Sequence[str]:
        """Names of the partitions of the table."""
        return self._directory.partition_names(name)

    @answered
    @cancellable
    def createTable(self, made: DescribedTable) -> None:  # noqa: N802 (the trait's name)
        self._definitions.create_table(made)

    @answered
    @cancellable
    def dropTable(self, asked: DropTableRequest) -> None:  # noqa: N802 (the trait's name)
        """Drops a table, under its locks."""
        self._definitions.drop_table(asked)

    @answered
    @cancellable
    def createDatabase(self, made: DescribedDatabase) -> None:  # noqa: N802 (the trait's name)
        self._definitions.create_database(made)

    @answered
    @cancellable
    def dropDatabase(self, asked: DropDatabaseRequest) -> None:  # noqa: N802 (the trait's name)
        """Drops a database, under the locks of its tables."""
        self._definitions.drop_database(asked)

    class Java:
        """The interface, for py4j."""

        implements = ("hiveacid.python.PythonCatalogApi",)


def build_catalog_api(jvm: Any, context: SparkContext, side: ForeignSide, cancellation: Cancellation) -> PythonApi:
    """The object for the catalog of this side."""
    definitions = CatalogDefinitions(side.metastore, side.file_system, side.parts.ddl, side.identity.user)
    return PythonCatalogApi(jvm, context, side.parts, cancellation, side.metastore, definitions)
