"""The methods of `AcidTable` in a client of Spark Connect, which has no JVM.

A call goes to the server as a relation of ours, and `hiveacid.connect.TableCallPlugin` makes Spark's plan of it there.
The server carries out a statement whenever it is asked about its relation, be it for the schema alone. So it is asked
for the rows, once, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NoReturn

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.connect import proto
from pyspark.sql.connect.client import SparkConnectClient
from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame
from pyspark.sql.connect.plan import LogicalPlan
from pyspark.sql.functions import lit

from hive_acid.api.conditions import build_error
from hive_acid.api.extras import find_version
from hive_acid.api.messages import write
from hive_acid.api.table_calls import AcidTableCalls, Rows, TableCall, TableDetail

TYPE_URL: Final = "type.googleapis.com/hiveacid.TableCall"
_SESSION_CATALOG: Final = "spark_catalog"


class ConnectCalls(AcidTableCalls):
    """One table by its name; `frame` are its rows, named by `alias` if there is one."""

    def __init__(self, spark: SparkSession, call: TableCall, frame: DataFrame) -> None:
        super().__init__(spark, call)
        self._frame = frame

    @classmethod
    def find(cls, spark: SparkSession, name: str) -> ConnectCalls:
        """Raises what `AcidTable.forName` raises."""
        call = TableCall(find_version(), "describe", name)
        described = cls(spark, call, spark.read.table(name))._described()
        # another current database or a temporary view must not move it
        whole = _quoted_name(described)
        frame = spark.read.table(whole)
        return cls(spark, replace(call, table=whole, frames=(_plan_id(frame),)), frame)

    def frame(self) -> DataFrame:
        return self._frame

    def aliased(self, name: str) -> ConnectCalls:
        frame = self._spark.read.table(self._call.table)
        named = frame.alias(name)
        frames = (self._call.frames[0], _plan_id(named))
        return ConnectCalls(self._spark, replace(self._call, alias=name, frames=frames), named)

    def reach(self) -> NoReturn:
        raise build_error("HIVE_ACID_CONFIGURATION.CONNECT_FILES")

    def _rows(self, call: TableCall, columns: Sequence[Column] = (), source: DataFrame | None = None) -> Rows:
        plan = _Relation(write(call), columns, source)
        try:
            return [tuple(row) for row in ConnectFrame(plan, self._spark).collect()]
        except PySparkException as error:
            if "No handler found for extension" in str(error):
                raise build_error("HIVE_ACID_CONFIGURATION.NO_CONNECT_PLUGIN") from error
            raise


class _Relation(LogicalPlan):
    """A projection in a message of ours: first the call as a text, then its columns, from the source if it has one."""

    def __init__(self, call: str, columns: Sequence[Column], source: DataFrame | None) -> None:
        frame: Any = source
        super().__init__(None if frame is None else frame._plan)
        self._expressions: list[Any] = [lit(call), *columns]

    def plan(self, session: SparkConnectClient) -> proto.Relation:
        content = proto.Relation()
        if self._child is not None:
            content.project.input.CopyFrom(self._child.plan(session))
        content.project.expressions.extend(expression.to_plan(session) for expression in self._expressions)
        relation = self._create_proto_relation()
        relation.extension.type_url = TYPE_URL
        relation.extension.value = content.SerializeToString()
        return relation


def _plan_id(frame: Any) -> int:
    """Spark Connect's number of a DataFrame, by which its columns know it."""
    plan_id: int = frame._plan._plan_id
    return plan_id


def _quoted_name(described: TableDetail) -> str:
    """The name that means this table in any session of the application."""
    catalog = described.catalog.name if described.catalog else _SESSION_CATALOG
    parts = (catalog, described.name.database, described.name.table)
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)
