"""The callbacks of a session, once it is there."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

from hive_acid.bridge.callback_port import ask_for_token
from hive_acid.bridge.cancellation import Cancellation
from hive_acid.bridge.connections import close_connection
from hive_acid.bridge.python_api import PythonApi
from hive_acid.bridge.secrets import read_unlogged, unlogged
from hive_acid.config import Settings
from hive_acid.hive_site import read_settings
from hive_acid.session import hive_client, shim
from hive_acid.session.catalog_side import CatalogSide
from hive_acid.session.client_errors import ClientErrors
from hive_acid.session.foreign_catalogs import ForeignCatalogs
from hive_acid.spark_lines import session_class
from hive_acid.transactions.left_behind import abort_left_behind
from hive_acid.wings import load_wing
from hive_acid.wire import codec
from hive_acid.wire.catalogs import CatalogRequest


def find_session_uris(session: SparkSession) -> str:
    """The metastore addresses of Spark's own client in the session; empty if there are none."""
    jsession: Any = session._jsparkSession
    return jsession.sessionState().newHadoopConf().get("hive.metastore.uris") or ""


Register = Callable[[SparkSession, PythonApi], None]


def _register(session: SparkSession, python_api: PythonApi) -> None:
    jvm: Any = session._jvm
    jvm.hiveacid.api.JvmApi.register(session._jsparkSession, python_api)


_attached: dict[int, Attachment] = {}
_LONGEST_END_MS = 20_000
"""How long the end of an application waits for its statements: their tasks end, and their files are removed."""


class Attachment(CatalogSide):
    """The Python part of one Spark application: what serves the session's own catalog, and the callbacks of the JVM."""

    def __init__(self, session: SparkSession, register: Register | None = None) -> None:
        """`register` tells the JVM whom it is to ask from now on; by default as the driver's own Python does.

        A side-car tells it in its own way, and ends when the driver's own Python takes its place.
        """
        self._is_drivers_own = register is None
        self._jvm: Any = session._jvm
        jvm = self._jvm
        jsession: Any = session._jsparkSession
        shim.refuse_other(jvm, session.version)
        uris = find_session_uris(session)
        hadoop: Any = jsession.sessionState().newHadoopConf()
        site = read_settings()  # Spark does not put HIVE_CONF_DIR on its class path
        with unlogged():
            configured = dict(session.sparkContext.getConf().getAll())

        def hive_setting(name: str) -> str | None:
            return read_unlogged(hadoop, name) or site.get(name)

        def build_side(asked: CatalogRequest) -> CatalogSide:
            wing = load_wing("hive_acid_catalogs.foreign_side", f"the catalog {asked.name}")
            built: CatalogSide = wing.build_side(session, asked, hive_setting, configured, cancellation)
            return built

        def build_catalog_api(side: CatalogSide) -> PythonApi:
            wing = load_wing("hive_acid_catalogs.catalog_api", "a catalog with a metastore of its own")
            built: PythonApi = wing.build_catalog_api(jvm, session.sparkContext, side, cancellation)
            return built

        cancellation = Cancellation(session.sparkContext)
        super().__init__(session, uris, hive_setting, configured, cancellation)
        self._catalogs = catalogs = ForeignCatalogs(build_side, build_catalog_api)
        client = session.conf.get(hive_client.VERSION, None) or ""
        self.python_api = PythonApi(
            jvm,
            session.sparkContext,
            self.parts,
            cancellation,
            catalogs.python_api,
            client_sees_insert_only=hive_client.sees_insert_only(client),
        )
        cancellation.install()
        self._client_errors = ClientErrors(jvm, uris, self.security.login)
        self._client_errors.install()
        _start_callbacks(session)
        if client.startswith("4."):
            hive_client.start_transaction_manager(session)
        (register or _register)(session, self.python_api)

    def settings_of(self, session: SparkSession) -> Settings:
        """The settings of the application, overridden by those of this session."""
        return self.settings.overridden_by(find_own_settings(session))

    def side_of(self, asked: CatalogRequest | None) -> CatalogSide:
        """The side of a catalog with a metastore of its own; None: of the session's own catalog."""
        return self if asked is None else self._catalogs.side(asked)

    def abort_left_behind(self) -> None:
        """Aborts what an earlier process of this application has left open; to be called before the first statement."""
        abort_left_behind(self.metastore, self.identity)

    def close(self, reason: str = "the application ends", wait_ms: int = _LONGEST_END_MS) -> None:
        """Ends statements, transactions and connections, also of other catalogs; waits so long at most for the first.

        Later ones are refused, and the JVM asks and tells nothing any more.
        """
        self._cancellation.end_all(reason, wait_ms)
        if self._is_drivers_own:
            with suppress(Py4JError, OSError):  # the JVM may be gone
                self._jvm.hiveacid.api.JvmApi.unregister()
        self._client_errors.remove()
        super().close()
        self._catalogs.close()


def _start_callbacks(session: SparkSession) -> None:
    """Lets the JVM, and nobody else, call Python, and this thread's statements call back on this thread.

    A connection that is older than the callback server is not the JVM's way back: the callbacks of its thread would
    come on another one, where Ctrl-C does not reach the statement, which would go on and commit. So this thread gets a
    new connection.
    """
    gateway: Any = session.sparkContext._gateway
    start: Any = ensure_callback_server_started
    ask_for_token(gateway)
    start(gateway)
    close_connection(session.sparkContext)
    jvm: Any = session._jvm
    session_class(jvm).setActiveSession(session._jsparkSession)


def attach(session: SparkSession) -> Attachment:
    """The Python part of the session's application. The first call registers it with the JVM."""
    context = session.sparkContext
    key = id(context)
    attachment = _attached.get(key)
    if attachment is None:
        attachment = _attached[key] = Attachment(session)
        _close_with(context, key)
    return attachment


def _close_with(context: Any, key: int) -> None:
    """Statements and transactions end before the context does, whoever stops it, and before the program does."""
    stop = context.stop

    def close() -> None:
        attachment = _attached.pop(key, None)
        if attachment is not None:
            attachment.close()

    def closing_stop() -> None:
        close()
        stop()

    context.stop = closing_stop
    atexit.register(close)


def find_own_settings(session: SparkSession) -> dict[str, str]:
    """The settings of ours that the session has, by key."""
    jvm: Any = session._jvm
    return codec.read(dict[str, str], str(jvm.hiveacid.api.JvmApi.settings(session._jsparkSession)))
