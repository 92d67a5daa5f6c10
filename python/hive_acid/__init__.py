"""Hive ACID DML for Spark SQL. Importing this package does nothing; `configure` and `AcidTable` do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hive_acid.spark.acid_table import AcidTable
    from hive_acid.spark.transaction import AcidTransaction

__version__ = "0.1.0"
__all__ = ["AcidTable", "__version__", "configure", "transaction"]


def configure(builder: SparkSession.Builder, metastore: str | None = None) -> SparkSession.Builder:
    """A builder for Spark sessions that read and change Hive transactional tables.

    `metastore` is `thrift://host:port`. Without it the metastore of the builder's own settings or of hive-site.xml is
    used, and if there is none, an embedded one is started that ends with this process.
    """
    from hive_acid.spark.session import configure as configure_session

    return configure_session(builder, metastore)


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
