"""The settings by which any program of Spark's knows transactional tables, without `configure`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from pyspark import SparkContext

from hive_acid import config
from hive_acid.bridge.secrets import read_unlogged
from hive_acid.hive_settings import HiveSetting
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.transports.patience import Waits
from hive_acid.metastore.transports.security import Security, build_security
from hive_acid.metastore.types import ServerInfo
from hive_acid.session import hive_client, shim
from hive_acid.session.early_settings import find_early_settings, hive_settings, load_jvm_settings, read_spark_defaults
from hive_acid.spark_lines import find_line, is_before, line_settings
from hive_acid.transport import PLAIN, Transport, find_client_settings, read_transport

JARS = "spark.jars"
EXTENSIONS = "spark.sql.extensions"
CONNECT_PLUGINS = "spark.connect.extensions.relation.classes"
CATALOG = "spark.sql.catalogImplementation"
WAREHOUSE = "spark.sql.warehouse.dir"
DBT_PACKAGE: Final = Path(__file__).resolve().parents[1] / "dbt_package"
"""Macros for dbt-spark."""


def read_known_transport(known: Mapping[str, str]) -> Transport:
    """How the settings say that the metastore is reached. Raises what `read_transport` raises."""
    return read_transport(hive_settings(known), config.Settings(known).text(config.METASTORE_CA_FILE))


def start_jvm(wanted: Mapping[str, str]) -> dict[str, str]:
    """The settings of the JVM, which is started with those `wanted` unless it runs, and has the shim afterwards."""
    configured = {**load_jvm_settings(wanted), **wanted}
    shim.load(_jvm(), shim.find_shim_jar())
    return configured


def ask_server(uris: str, known: Mapping[str, str], transport: Transport) -> ServerInfo:
    """The release of the metastore and the calls that it serves.

    Raises HIVE_ACID_METASTORE_UNAVAILABLE, HIVE_ACID_METASTORE_LOGIN, and what `build_security` raises. A transport
    that needs a JVM must have one with the shim.
    """
    settings = find_early_settings(known)
    how: Any = {
        "timeout_ms": settings.number(config.METASTORE_TIMEOUT_MS),
        "waits": Waits(connect_timeout_ms=settings.number(config.METASTORE_CONNECT_TIMEOUT_MS)),
        "security": _find_security(known, transport),
    }
    with closing(ThriftMetastore(uris, **how)) as metastore:
        return metastore.server_info()


def _find_security(known: Mapping[str, str], transport: Transport) -> Security:
    if not transport.needs_jvm:
        return build_security(None, transport, hive_settings(known), known)
    by_hive, by_hadoop = hive_settings(known), read_hadoop_setting(_jvm())

    def setting(name: str) -> str | None:
        return by_hive(name) or by_hadoop(name)

    whole = read_transport(setting, config.Settings(known).text(config.METASTORE_CA_FILE))
    return build_security(_jvm(), whole, setting, known)


def read_hadoop_setting(jvm: Any) -> HiveSetting:
    """Settings in Hadoop's files, as the JVM finds them on its class path."""
    conf = jvm.org.apache.hadoop.conf.Configuration()
    return lambda name: read_unlogged(conf, name)


def _jvm() -> Any:
    context: Any = SparkContext
    return context._jvm


def choose_client(server: ServerInfo, configured: Mapping[str, str], transport: Transport) -> hive_client.ClientChoice:
    """Spark's own Hive client for that server. Raises what `hive_client.choose_client` raises."""
    return hive_client.choose_client(
        server, configured, hive_client.fetch_client_jars, beyond_built_in=transport.beyond_old_clients
    )


def find_shim_settings(configured: Mapping[str, str]) -> dict[str, str]:
    """The settings that make Spark load the shim, beside what else it is to load.

    Raises HIVE_ACID_CONFIGURATION if there is no jar for the running Spark.
    """
    added = ((JARS, str(shim.find_shim_jar())), (EXTENSIONS, shim.EXTENSION))
    return {key: _added(configured, key, value) for key, value in added}


def _added(configured: Mapping[str, str], key: str, value: str) -> str:
    """A setting that is a list, with one more value."""
    return ",".join(dict.fromkeys([*split_list(configured.get(key)), value]))


def split_list(listed: str | None) -> list[str]:
    """The names in a setting that is a list."""
    return [name for name in (piece.strip() for piece in (listed or "").split(",")) if name]


def find_warehouse(server: ServerInfo | None, known: Mapping[str, str]) -> dict[str, str]:
    """The folder in which databases are made, as the metastore makes them, unless the settings name one.

    Spark's own default is a folder of the driver's disk, which it would give to the metastore as a location. It looks
    into hive-site.xml only in its own folder for settings. Without `server` that file counts, wherever it is.
    """
    hive_name = "hive.metastore.warehouse.dir"
    if {WAREHOUSE, f"spark.hadoop.{hive_name}", f"spark.{hive_name}"} & known.keys():
        return {}
    found = server.warehouse if server else hive_settings(known)(hive_name)
    return {WAREHOUSE: found} if found else {}


def find_setup_settings(
    uris: str, server: ServerInfo | None, known: Mapping[str, str], transport: Transport = PLAIN
) -> dict[str, str]:
    """The settings of a session on the metastore `uris`. `known` has those that are there already.

    Another jar of the shim, of an earlier call or package, is left out, and so are passwords. Without `server`, which
    tells what the metastore serves, so are the settings of Spark's own Hive client. Raises HIVE_ACID_CONFIGURATION if
    there is no jar for the running Spark.
    """
    jars = [jar for jar in split_list(known.get(JARS)) if Path(jar).name != shim.find_shim_jar().name]
    settings = {**find_shim_settings({**known, JARS: ",".join(jars)}), CATALOG: "hive", config.METASTORE_URIS.key: uris}
    all_known = {**known, **settings}
    settings |= line_settings(find_line(), all_known)
    of_client = find_client_settings(hive_settings(all_known), all_known)
    settings |= {key: value for key, value in of_client.items() if "password" not in key}
    if server is not None:
        settings |= choose_client(server, all_known, transport).settings
    return settings | find_warehouse(server, known)


def find_program_settings(uris: str) -> dict[str, str]:
    """The settings for a program without Python, with the metastore `uris` and the PySpark installed here.

    Raises what `ask_server` and `find_setup_settings` raise.
    """
    known = read_spark_defaults()
    transport = read_known_transport(known)
    if transport.needs_jvm:
        known = start_jvm(known)
    found = find_setup_settings(uris, ask_server(uris, known, transport), known, transport)
    return found | find_sidecar_settings(known)


def find_sidecar_settings(known: Mapping[str, str]) -> dict[str, str]:
    """The settings that programs need besides in which no Python runs: that Python which runs this.

    And, since 4.0, what answers `AcidTable` in a server of Spark Connect.
    """
    settings = {config.SIDECAR_PYTHON.key: sys.executable}
    if not is_before("4.0"):
        settings[CONNECT_PLUGINS] = _added(known, CONNECT_PLUGINS, shim.CONNECT_PLUGIN)
    return settings


def format_arguments(settings: Mapping[str, str]) -> str:
    """The settings as arguments of Spark's programs, quoted for a shell."""
    options = [argument for key, value in settings.items() if key != JARS for argument in ("--conf", f"{key}={value}")]
    return shlex.join(["--jars", settings[JARS], *options])
