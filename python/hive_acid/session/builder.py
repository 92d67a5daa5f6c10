"""Configuring a session before it starts."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.hive_site import find_metastore_uris
from hive_acid.session import hive_client, shim
from hive_acid.session.early_settings import (
    find_running_settings,
    find_uris,
    hive_settings,
    read_spark_defaults,
)
from hive_acid.session.embedded import EmbeddedMetastore, start_embedded
from hive_acid.session.notebook import show_in_notebook
from hive_acid.session.session import attach, find_session_uris
from hive_acid.session.setup_settings import (
    CATALOG,
    EXTENSIONS,
    ask_server,
    choose_client,
    find_setup_settings,
    find_shim_settings,
    find_warehouse,
    format_arguments,
    read_known_transport,
    split_list,
    start_jvm,
)
from hive_acid.spark_lines import find_line, line_settings
from hive_acid.transport import PLAIN, find_client_settings


class AcidSessionBuilder(SparkSession.Builder):
    """A session builder whose sessions know transactional tables."""

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__()
        self._options.update(options)

    def getOrCreate(self) -> SparkSession:  # noqa: N802 (the name of SparkSession.Builder)
        """The session, with the extension's callbacks registered.

        Raises HIVE_ACID_CONFIGURATION if a session that was set up otherwise is running already: neither the extension
        nor the metastore of a running Spark can be changed. Raises HIVE_ACID_METASTORE_UNAVAILABLE or
        HIVE_ACID_METASTORE_LOGIN, before a JVM is started unless the way to the metastore needs one.
        """
        uris = self._options[config.METASTORE_URIS.key]
        if SparkContext._active_spark_context is None:
            self._prepare(uris)
        else:  # before the builder's options become its own
            _refuse_other_setup(uris)
        session = super().getOrCreate()
        _refuse_other_setup(uris)
        attach(session)
        show_in_notebook()
        return session

    def _prepare(self, uris: str) -> None:
        """Completes the options; settings of spark-submit and of spark-defaults.conf count as the user's own."""
        known = {**(find_running_settings() or read_spark_defaults()), **self._options}
        transport = read_known_transport(known)
        if transport.needs_jvm:
            known = start_jvm(self._options)
        server = ask_server(uris, known, transport)
        configured = start_jvm(self._options)
        choice = choose_client(server, configured, transport)
        self._options.update(find_client_settings(hive_settings(configured), configured))
        hive_client.LOG.info("Spark's Hive client: %s", choice.reason)
        settings = {**line_settings(find_line(), configured), **find_shim_settings(configured)}
        self._options.update({**choice.settings, **settings, **find_warehouse(server, configured)})


def configure(builder: SparkSession.Builder, metastore: str | None = None) -> AcidSessionBuilder:
    """A builder for sessions that read and change Hive transactional tables.

    `metastore` is `thrift://host:port` (several: comma-separated). Without it, the metastore counts that the builder's
    own settings name, the running session, spark-submit or spark-defaults.conf, or hive-site.xml; if there is none, an
    embedded metastore is started that ends with this process, unless it has one.

    Raises HIVE_ACID_CONFIGURATION before anything is started if the package has no jar for this PySpark.
    """
    shim.find_shim_jar()
    options = dict(builder._options)
    known = find_running_settings() or read_spark_defaults()
    uris = metastore or find_uris(options)
    if uris is None and SparkContext._active_spark_context is not None:
        _refuse_other_setup(None)
        uris = _find_running_uris()
    uris = uris or find_uris(known) or find_metastore_uris()
    if uris is None:
        uris = _start_embedded().uri
    return AcidSessionBuilder({**options, config.METASTORE_URIS.key: uris, CATALOG: "hive"})


_embedded: list[EmbeddedMetastore] = []
"""The one of this process, once there is one: a session that is configured anew finds its tables again."""


def _start_embedded() -> EmbeddedMetastore:
    if not _embedded:
        started = start_embedded()
        atexit.register(started.stop)
        _embedded.append(started)
    return _embedded[0]


def _find_running_uris() -> str | None:
    """The metastore of the session that runs in this process: of this thread's, or else of the first one's."""
    session = SparkSession.getActiveSession() or SparkSession._instantiatedSession
    return None if session is None else find_session_uris(session) or None


def _refuse_other_setup(uris: str | None) -> None:
    """Raises HIVE_ACID_CONFIGURATION if the Spark that runs in this process was not set up for this metastore."""
    context: Any = SparkContext._active_spark_context
    running = _find_running_uris()
    if shim.EXTENSION not in split_list(context.getConf().get(EXTENSIONS, "")) or not shim.is_loaded(context._jvm):
        settings = _format_settings(uris or running or "thrift://HOST:PORT")
        condition = "HIVE_ACID_CONFIGURATION.SPARK_WITHOUT_SHIM"
        raise build_error(condition, extension=shim.EXTENSION, settings=settings)
    if running is not None and uris is not None and running != uris:
        raise build_error("HIVE_ACID_CONFIGURATION.SPARK_ON_OTHER_METASTORE", running=running, wanted=uris)


def _format_settings(uris: str) -> str:
    """Arguments of spark-submit and pyspark that set a session up as `getOrCreate` does."""
    known = find_running_settings()
    server, transport = None, PLAIN
    with suppress(HiveAcidError):  # whether the metastore answers is not what is wrong here
        transport = read_known_transport(known)
        context: Any = SparkContext
        if not transport.needs_jvm or shim.is_loaded(context._jvm):
            server = ask_server(uris, known, transport)
    return format_arguments(find_setup_settings(uris, server, known, transport))
