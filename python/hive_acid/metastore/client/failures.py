"""From the exceptions of thrift to our named conditions."""

from __future__ import annotations

import re

from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException
from thrift.transport.TTransport import TTransportException

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.connection import is_answer, is_unknown_method
from hive_acid.metastore.transports.security import LoginFailed

_NOT_A_TABLE = "its tables"
_DENIED = re.compile(r"(Permission denied.*|user \[.*\] does not have \[.*\] privilege.*)")
"""Answers of metastores that know rights: StorageBasedAuthorizationProvider (tried on 3.1.3 and 4.0.0), and plug-ins of
HiveMetaStoreAuthorizer such as Ranger's (read).
"""


def find_reason(error: BaseException) -> str:
    """The text of an exception in one line, without its full stop: the messages add one.

    Thrift's socket says "unexpected exception" of whatever the system says; then it is what the system says.
    """
    inner = getattr(error, "inner", None)
    if inner is not None and getattr(error, "message", None) == "unexpected exception":
        return f"{type(inner).__name__}: {find_reason(inner)}"
    text = str(getattr(error, "message", None) or error) or type(error).__name__
    return " ".join(text.split()).rstrip(".")


def find_denial(text: str) -> str | None:
    """The part of an answer that says what this user may not do; None if it says nothing like that."""
    found = _DENIED.search(" ".join(text.split()))
    return found[1].rstrip(".)") if found else None


def build_metastore_error(
    error: BaseException, method: str, uri: str, txn_id: int | None, table: str | None
) -> HiveAcidError:
    """Our error for a failed call.

    `txn_id` and `table` are what the call was about. A failure inside the server while it commits counts as no answer:
    whether the commit happened is not known then. A transaction that cannot be aborted may have been committed: that is
    a refusal.
    """
    reason = find_reason(error)
    if isinstance(error, LoginFailed):
        return build_error(error.condition, **{"reason": "no login", **error.params}, uri=uri, method=method)
    ended = isinstance(error, ttypes.NoSuchTxnException | ttypes.TxnAbortedException)
    if ended and method != "abort_txn":
        return build_error(
            "HIVE_ACID_TRANSACTION_ABORTED", txnId=txn_id or 0, table=table or _NOT_A_TABLE, reason=reason
        )
    if isinstance(error, ttypes.NoSuchObjectException) and table is not None:
        return build_error("HIVE_ACID_TABLE_NOT_FOUND", table=table)
    inside_server = isinstance(error, TApplicationException) and not is_unknown_method(error)
    if isinstance(error, TTransportException | TProtocolException | OSError) or (
        inside_server and method == "commit_txn"
    ):
        return build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri=uri, method=method, reason=reason)
    denial = find_denial(reason)
    if denial is not None and is_answer(error):
        return build_error("HIVE_ACID_METASTORE_DENIED", method=method, reason=denial)
    if inside_server or is_answer(error):
        return build_error("HIVE_ACID_METASTORE_REFUSED", method=method, reason=reason)
    return build_error("HIVE_ACID_INTERNAL", reason=f"{method} could not be sent: {type(error).__name__}: {reason}")
