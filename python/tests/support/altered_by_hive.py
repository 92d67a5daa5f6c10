"""Columns of a table as Hive changes them."""

from __future__ import annotations

from collections.abc import Mapping

from hive_acid.metastore.generated.ttypes import FieldSchema
from hive_acid.metastore.statistics.withdrawal import keep_statistics
from hive_acid.model.table import TableName
from integration.conftest import Tables


def alter(tables: Tables, columns: Mapping[str, str], partition_columns: Mapping[str, str] | None = None) -> None:
    """The columns of `t` from now on. Hive, too, leaves the properties in which Spark keeps its own."""
    name = TableName(tables.database, "t")
    stored = tables.client._raw_table(name)
    stored.sd.cols = [FieldSchema(column, kind, None) for column, kind in columns.items()]
    if partition_columns is not None:
        stored.partitionKeys = [FieldSchema(column, kind, None) for column, kind in partition_columns.items()]
    del stored.parameters["transient_lastDdlTime"]  # so that the metastore sets it
    tables.client._change("alter_table_with_environment_context", name.database, name.table, stored, keep_statistics())
