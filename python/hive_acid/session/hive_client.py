"""Spark's own Hive client: which one serves the metastore, and what it needs to know transactional tables.

The catalog stays Spark's, so its client must be one that the metastore serves. The built-in client is Hive 2.3's: it
gets tables by a call that metastores have lost in 4.0.1, and declares no capabilities, so that a metastore with the
metadata transformer on lets it create no transactional table. A client of Hive 4 is loaded in its place in those cases.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from hive_acid.errors import build_error
from hive_acid.metastore.types import ServerInfo
from hive_acid.wings import load_wing

LOG = logging.getLogger(__name__)
CLIENT_KEYS = "spark.sql.hive.metastore."
VERSION = f"{CLIENT_KEYS}version"
NEWEST = "4.1.0"
WITH_GET_TABLE = "4.0.0"
"""For metastores that still have `get_table`: the newest one makes databases by a call that they do not have."""
CAPABILITIES = (
    *("EXTWRITE", "EXTREAD", "HIVEBUCKET2", "HIVEFULLACIDREAD", "HIVEFULLACIDWRITE", "HIVEMANAGESTATS"),
    *("HIVEMANAGEDINSERTWRITE", "HIVEMANAGEDINSERTREAD", "HIVESQL"),
)
"""The capabilities that HiveServer2 declares, but for its caches: sessions set up by us may do this with tables."""

SCHEMA_SERDES = "spark.hadoop.hive.serdes.using.metastore.for.schema"
_METASTORE_SCHEMA_SERDES = (
    "org.apache.hadoop.hive.ql.io.orc.OrcSerde",
    "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
    "org.apache.hadoop.hive.serde2.columnar.ColumnarSerDe",
    "org.apache.hadoop.hive.serde2.dynamic_type.DynamicSerDe",
    "org.apache.hadoop.hive.serde2.MetadataTypedColumnsetSerDe",
    "org.apache.hadoop.hive.serde2.columnar.LazyBinaryColumnarSerDe",
    "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
    "org.apache.hadoop.hive.serde2.lazybinary.LazyBinarySerDe",
    "org.apache.hadoop.hive.serde2.JsonSerDe",
)
"""SerDes whose columns the client takes from the metastore: the built-in one's default (HiveConf of 2.3), and
the SerDe of JSON, which that client would ask for the columns and does not have: the table would have none."""


@dataclass(frozen=True)
class ClientChoice:
    """A Hive client for Spark: the settings that choose it, and why it was chosen."""

    settings: Mapping[str, str]
    reason: str


def choose_client(
    server: ServerInfo,
    configured: Mapping[str, str],
    fetch_jars: Callable[[str], Sequence[Path]],
    *,
    beyond_built_in: str = "",
) -> ClientChoice:
    """The client for a metastore. `configured` are Spark's settings so far; those of the user about it win.

    `fetch_jars` gives the jars of Hive's client of a version; called only if they are needed. `beyond_built_in`
    says what else the built-in client cannot do that the metastore asks for.
    Raises HIVE_ACID_CONFIGURATION.NO_HIVE_CLIENT if a metastore of the 3.1 line does.
    """
    own = sorted(key for key in configured if key.startswith(CLIENT_KEYS))
    if own:
        return ClientChoice({}, f"left to {', '.join(own)}")
    if server.has_get_table and not server.transforms_tables and not beyond_built_in:
        settings = {} if SCHEMA_SERDES in configured else {SCHEMA_SERDES: ",".join(_METASTORE_SCHEMA_SERDES)}
        return ClientChoice(settings, f"the one built in: metastore {server.version} serves it")
    if beyond_built_in and server.version.startswith("3."):
        condition = "HIVE_ACID_CONFIGURATION.NO_HIVE_CLIENT"
        raise build_error(condition, version=server.version, way=beyond_built_in)
    version, why = (WITH_GET_TABLE, "transforms tables") if server.has_get_table else (NEWEST, "has no get_table")
    if server.has_get_table and not server.transforms_tables:
        why = f"asks for {beyond_built_in}"
    settings = {
        VERSION: version,
        f"{CLIENT_KEYS}jars": "path",
        # not escaped: Hadoop's Path takes %20 for three characters
        f"{CLIENT_KEYS}jars.path": ",".join(f"file:{jar}" for jar in fetch_jars(version)),
    }
    capabilities = "spark.hadoop.hive.metastore.client.capabilities"
    if capabilities not in configured:
        settings[capabilities] = ",".join(CAPABILITIES)
    return ClientChoice(settings, f"{version}, by path: metastore {server.version} {why}")


def fetch_client_jars(version: str) -> Sequence[Path]:
    """The jars of Hive's client of `version`, fetched the first time.

    Raises LocalMetastoreError, and HIVE_ACID_CONFIGURATION.EXTRA_MISSING.
    """
    client = load_wing("hive_acid_downloads.spark_client", "a session on this metastore")  # only POSIX systems have it
    jars: Sequence[Path] = client.prepare_spark_client(version)
    return jars


def sees_insert_only(version: str) -> bool:
    """True if a client of that version of Hive, empty for Spark's own, says to metastores that it knows such tables.

    Clients of Hive 3 and later do (HiveMetaStoreClient.VERSION of 3.1.3). A metastore that checks it hides the tables
    from other clients, and lets these neither read nor drop them.
    """
    return version.startswith(("3.", "4."))


def start_transaction_manager(session: SparkSession) -> None:
    """Lets a Hive client of 4.x inside Spark create transactional tables and find partitions by a filter.

    Both ask SessionState for its transaction manager, which Spark never starts (NullPointerException). Reached by the
    trait: reflection on the client's own class fails for want of classes it never uses. All sessions of an application
    share the client.
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
