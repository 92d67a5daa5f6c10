"""The methods of `AcidTable` in a session with a JVM beside it, by py4j."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from hive_acid import __version__
from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid.session.shim import EXTENSION
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.user.table_calls import AcidTableCalls, Rows
from hive_acid.wire import codec
from hive_acid.wire.table_calls import TableCall


class ClassicCalls(AcidTableCalls):
    """The calls of the JVM's `hiveacid.api.AcidTableApi`, which is `table`."""

    def __init__(self, spark: SparkSession, call: TableCall, table: Any) -> None:
        super().__init__(spark, call)
        self._table = table

    @classmethod
    def find(cls, spark: SparkSession, name: str) -> ClassicCalls:
        """Raises what `AcidTable.forName` raises."""
        extensions = spark.conf.get("spark.sql.extensions", None) or ""
        if EXTENSION not in extensions.split(","):
            raise build_error("HIVE_ACID_NO_PLANNER", table=name)
        jvm: Any = spark._jvm
        table = jvm.hiveacid.api.AcidTableApi.forName(spark._jsparkSession, name)
        return cls(spark, TableCall(__version__, "describe", name), table)

    def frame(self) -> DataFrame:
        return DataFrame(self._table.frame(), self._spark)

    def aliased(self, name: str) -> ClassicCalls:
        return ClassicCalls(self._spark, self._call, self._table.aliased(name))

    def reach(self) -> tuple[Metastore, FileSystem, TableName]:
        described = self._described()
        side = attach(self._spark).side_of(described.catalog)
        return side.metastore, side.file_system, described.name

    def _rows(self, call: TableCall, columns: Sequence[Column] = (), source: DataFrame | None = None) -> Rows:
        return [tuple(row) for row in self._run("", call, columns, source).collect()]

    def _run(
        self, _schema: str, call: TableCall, columns: Sequence[Column] = (), source: DataFrame | None = None
    ) -> DataFrame:
        own = [column._jc for column in columns]
        frame = self._table.call(codec.write(call), own, None if source is None else source._jdf)
        return DataFrame(frame, self._spark)
