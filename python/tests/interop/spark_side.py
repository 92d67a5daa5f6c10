"""What a Spark session needs to work on the metastore and the warehouse of a Hive engine."""

from interop.hive_engine import HiveEngine
from interop.hive_jars import spark_client_jars


def spark_settings(hive: HiveEngine) -> dict[str, str]:
    """The settings of a session beside `hive`.

    Spark's built-in client (2.3) serves a metastore of the 3.1 line. From 4.0.1 on `get_table` is gone, and only the Hive client
    of 4.1.0, loaded by path, gets tables; Spark cannot CREATE transactional tables by it, since it lacks a transaction manager.
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
    return settings
