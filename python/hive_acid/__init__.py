"""Hive ACID DML for Spark SQL. Importing this package does nothing; `configure` and `AcidTable` do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from hive_acid.execution.dry_run_report import DryRun
    from hive_acid.spark.acid_table import AcidTable
    from hive_acid.spark.transaction import AcidTransaction

__version__ = "0.1.0"
__all__ = ["AcidTable", "__version__", "configure", "dry_run", "transaction"]


def configure(builder: SparkSession.Builder, metastore: str | None = None) -> SparkSession.Builder:
    """A builder for Spark sessions that read and change Hive transactional tables.

    `metastore` is `thrift://host:port`. Without it the metastore of the builder's own settings or of hive-site.xml is
    used, and if there is none, an embedded one is started that ends with this process.
    """
    from hive_acid.spark.builder import configure as configure_session

    return configure_session(builder, metastore)


def dry_run(spark: SparkSession, statement: str, args: Mapping[str, Any] | Sequence[Any] | None = None) -> DryRun:
    """Counts what the SQL statement would do if `spark` ran it now, with these parameters, and does nothing of it.

    Takes an INSERT, INSERT OVERWRITE, UPDATE, DELETE, MERGE or TRUNCATE TABLE of a transactional table. Raises what the
    statement itself would raise, and HIVE_ACID_DRY_RUN for any other.
    """
    from hive_acid.spark.explain import explain_statement

    return explain_statement(spark, statement, args)


def transaction(spark: SparkSession) -> AcidTransaction:
    """One transaction of all statements that `spark` runs within the block of `with hive_acid.transaction(spark):`."""
    from hive_acid.spark.transaction import AcidTransaction

    return AcidTransaction(spark)


def __getattr__(name: str) -> Any:
    """`AcidTable`, which imports PySpark when it is first used."""
    if name == "AcidTable":
        from hive_acid.spark.acid_table import AcidTable

        return AcidTable
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
