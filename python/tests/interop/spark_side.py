"""What a Spark session needs to work on the metastore and the warehouse of a Hive engine."""

from typing import Any

from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_jars import spark_client_jars

CAPABILITIES = (
    *("EXTWRITE", "EXTREAD", "HIVEBUCKET2", "HIVEFULLACIDREAD", "HIVEFULLACIDWRITE", "HIVEMANAGESTATS"),
    *("HIVEMANAGEDINSERTWRITE", "HIVEMANAGEDINSERTREAD", "HIVESQL"),
)


def spark_settings(hive: HiveEngine) -> dict[str, str]:
    """The settings of a session beside `hive`.

    Spark's built-in client (2.3) serves a metastore of the 3.1 line. From 4.0.1 on `get_table` is gone, and only the
    Hive client of 4.1.0, loaded by path, gets tables; its metastore lets nobody create a transactional table who does
    not declare capabilities. See also `start_transaction_manager`.
    """
    settings = {
        "spark.hadoop.hive.metastore.uris": hive.metastore_uri,
        "spark.sql.warehouse.dir": f"file:{hive.warehouse}",
        "spark.sql.catalogImplementation": "hive",
    }
    if hive.version.startswith("4."):
        settings["spark.sql.hive.metastore.version"] = "4.1.0"
        settings["spark.sql.hive.metastore.jars"] = "path"
        settings["spark.sql.hive.metastore.jars.path"] = ",".join(jar.as_uri() for jar in spark_client_jars())
        settings["spark.hadoop.hive.metastore.client.capabilities"] = ",".join(CAPABILITIES)
    return settings


def start_transaction_manager(session: SparkSession) -> None:
    """Lets a Hive client of 4.x inside Spark create transactional tables and find partitions by a filter.

    Both ask SessionState for its transaction manager, which Spark never starts (NullPointerException). Reached by the
    trait: reflection on the client's own class fails for want of classes it never uses.
    """
    gateway: Any = session.sparkContext._gateway
    java_lang = gateway.jvm.java.lang
    no_types, nothing = gateway.new_array(java_lang.Class, 0), gateway.new_array(java_lang.Object, 0)
    java_session: Any = session._jsparkSession
    catalog = java_session.sharedState().externalCatalog().unwrapped()
    owner = java_lang.Class.forName("org.apache.spark.sql.hive.HiveExternalCatalog")
    client = owner.getMethod("client", no_types).invoke(catalog, nothing)
    trait = java_lang.Class.forName("org.apache.spark.sql.hive.client.HiveClient")
    state = trait.getMethod("getState", no_types).invoke(client, nothing)
    state.initTxnMgr(state.getConf())
