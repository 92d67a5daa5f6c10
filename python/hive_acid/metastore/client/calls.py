"""One call to the metastore: sent, perhaps sent again, its failure named."""

from __future__ import annotations

import getpass
import os
import threading
from collections.abc import Callable
from typing import Any

from thrift.Thrift import TApplicationException, TException

from hive_acid.config import METASTORE_TIMEOUT_MS
from hive_acid.errors import HiveAcidError, MetastoreRefused, MetastoreUnavailable, build_error
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG, place
from hive_acid.metastore.client.conversion import split_by_bits
from hive_acid.metastore.client.failures import build_metastore_error
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.binary_connection import RequestNotSent
from hive_acid.metastore.transports.connection import Connections, has_failed_inside, is_unknown_method
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.metastore.transports.patience import Patience, Waits
from hive_acid.metastore.transports.security import NO_SECURITY, Security
from hive_acid.metastore.types import MetastoreLine

STRUCTURES: Any = ttypes
"""The structures of the metastore's interface, as thrift has generated them."""
_OPEN_LIMIT = "hive.max.open.txns"
_NEVER_EXPLAINED = ("commit_txn", "abort_txn")
"""Their failures say what happened to the transaction, or that nobody knows."""


def find_user() -> str:
    """The user that Hadoop's simple authentication names: HADOOP_USER_NAME, else the user of the process."""
    return os.environ.get("HADOOP_USER_NAME") or getpass.getuser()


class Calls:
    """The parts that all calls share: connections, the server's line, the naming of failures."""

    def __init__(
        self,
        uris: str,
        *,
        timeout_ms: int | None = None,
        user: str | None = None,
        waits: Waits = Waits(),  # noqa: B008 (frozen)
        security: Security = NO_SECURITY,
        catalog: str = DEFAULT_CATALOG,
    ) -> None:
        timeout = timeout_ms if timeout_ms is not None else int(METASTORE_TIMEOUT_MS.default)
        self._uri = uris
        self._pause_ms = waits.pause_ms
        patience = Patience(waits)
        self._connections = Connections(parse_uris(uris), timeout, user or find_user(), security, patience=patience)
        self._catalog = catalog
        self._has_catalog = catalog == DEFAULT_CATALOG
        self._line: MetastoreLine | None = None
        self._version: str | None = None
        self._line_guard = threading.Lock()

    @property
    def uri(self) -> str:
        """The addresses as given."""
        return self._uri

    @property
    def line(self) -> MetastoreLine:
        """4.x if the server has a method that only 4.x has; asked once (4.0.0 fails on a request without a list)."""
        with self._line_guard:
            if self._line is None:
                self._line = self._find_line()
            return self._line

    @property
    def version(self) -> str:
        """The version that the server gives itself (3.1.3 says "3.0"), asked once."""
        if self._version is None:
            self._version = str(self._read("getVersion"))
        return self._version

    def _find_line(self) -> MetastoreLine:
        def probe(client: Any) -> MetastoreLine:
            try:
                client.get_open_txns_req(ttypes.GetOpenTxnsRequest(excludeTxnTypes=[]))
            except TApplicationException as error:
                if not is_unknown_method(error):
                    raise
                return MetastoreLine.HIVE_3
            return MetastoreLine.HIVE_4

        line: MetastoreLine = self._call("get_open_txns_req", probe, is_idempotent=True)
        return line

    def _read(self, method: str, *arguments: Any, txn_id: int | None = None, table: str | None = None) -> Any:
        """A call that may be sent twice."""
        placed = self._placed(method, arguments)
        return self._call(
            method, lambda client: getattr(client, method)(*placed), is_idempotent=True, txn_id=txn_id, table=table
        )

    def _change(self, method: str, *arguments: Any, txn_id: int | None = None, table: str | None = None) -> Any:
        """A call that is sent once."""
        placed = self._placed(method, arguments)
        return self._call(
            method, lambda client: getattr(client, method)(*placed), is_idempotent=False, txn_id=txn_id, table=table
        )

    def _placed(self, method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as they are sent. Raises HIVE_ACID_CONFIGURATION if the metastore has not this catalog."""
        if self._catalog == DEFAULT_CATALOG:
            return arguments
        if not self._has_catalog:
            self._require_catalog()
            self._has_catalog = True
        return place(self._catalog, method, arguments)

    def _require_catalog(self) -> None:
        if self.line is MetastoreLine.HIVE_3:
            raise build_error("HIVE_ACID_CONFIGURATION.METASTORE_CATALOG_ON_3_1", catalog=self._catalog)
        found = self._load_catalogs()
        if self._catalog not in found:
            known = ", ".join(found)
            raise build_error("HIVE_ACID_CONFIGURATION.METASTORE_CATALOG_MISSING", catalog=self._catalog, known=known)

    def _load_catalogs(self) -> list[str]:
        """Names of all catalogs of the metastore, sorted."""
        return sorted(self._call("get_catalogs", lambda client: client.get_catalogs(), is_idempotent=True).names)

    def _call(
        self,
        method: str,
        call: Callable[[Any], Any],
        *,
        is_idempotent: bool,
        txn_id: int | None = None,
        table: str | None = None,
    ) -> Any:
        was_sent = False

        def send(client: Any) -> Any:
            nonlocal was_sent
            try:
                return call(client)
            except RequestNotSent:  # this time
                raise
            except BaseException:
                was_sent = True
                raise

        try:
            return self._connections.send(send, is_idempotent=is_idempotent)
        except (TException, OSError) as error:
            failure = build_metastore_error(error, method, self._uri, txn_id, table)
            if isinstance(failure, MetastoreUnavailable):
                failure.was_sent = was_sent
            hides_state = has_failed_inside(error) or isinstance(error, ttypes.NoSuchLockException)
            if txn_id is not None and hides_state and method not in _NEVER_EXPLAINED:
                failure = self._explain(failure, txn_id, table)
            elif method == "open_txns" and isinstance(failure, MetastoreRefused):
                failure = self._explain_limit(failure)
            raise failure from error

    def _explain(self, failure: HiveAcidError, txn_id: int, table: str | None) -> HiveAcidError:
        """The true name of a failure that does not tell whether the transaction is still open.

        Servers answer so when it is not: allocate_table_write_ids on 4.0.0 and on 3.1.3 (which drops the connection),
        add_dynamic_partitions on 4.0.0, check_lock on both (the lock is gone).
        """
        try:
            listed = self._list_transactions()
        except MetastoreUnavailable:
            return failure
        if txn_id in split_by_bits(*listed)[0]:
            return failure
        where = table or "its tables"
        return build_error("HIVE_ACID_TRANSACTION_ABORTED", txnId=txn_id, table=where, reason="it is not open")

    def _explain_limit(self, failure: HiveAcidError) -> HiveAcidError:
        """The true name of a transaction that is not opened because too many are open.

        The method declares no exception, so that servers say nothing (TxnHandler.openTxns). Once there are as many as
        the setting allows, none is opened until there are less than nine tenths of that.
        """
        try:
            limit = int(self.config_value("metastore.max.open.txns", self.config_value(_OPEN_LIMIT, "100000")))
            count = len(split_by_bits(*self._list_transactions())[0])
        except (HiveAcidError, ValueError):
            return failure
        if count < limit * 9 // 10:
            return failure
        return build_error("HIVE_ACID_TOO_MANY_TRANSACTIONS", uri=self._uri, count=count, limit=limit)

    def _list_transactions(self) -> tuple[list[int], bytes]:
        response = self._read("get_open_txns")
        return response.open_txns, response.abortedBits

    def config_value(self, name: str, default: str) -> str:
        value: str = self._read("get_config_value", name, default)
        return value

    def close(self) -> None:
        self._connections.close()
