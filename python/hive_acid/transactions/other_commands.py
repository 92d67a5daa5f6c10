"""Commands that are no part of a transaction of several statements, and which of them may run within one: one rule."""

from __future__ import annotations

import re

from hive_acid import config
from hive_acid.errors import build_error

_LOOKS = ("Describe", "Explain", "List", "Show", "StreamingExplain")
"""Beginnings of the names of commands that change nothing."""
_OF_SESSION = frozenset(
    (
        "AddArchivesCommand",
        "AddFilesCommand",
        "AddJarsCommand",
        "CacheTable",
        "CacheTableAsSelect",
        "ClearCacheCommand",
        "CloseCursor",
        "CompoundBody",
        "CreateTempViewUsing",
        "CreateVariable",
        "DeclareCursor",
        "DropTempViewCommand",
        "DropVariable",
        "FetchCursor",
        "NoopCommand",
        "OpenCursor",
        "RefreshFunction",
        "RefreshFunctionCommand",
        "RefreshResource",
        "RefreshTable",
        "RefreshTableCommand",
        "ResetCommand",
        "SetCatalogAndNamespace",
        "SetCatalogCommand",
        "SetCommand",
        "SetNamespaceCommand",
        "SetPathCommand",
        "SetVariable",
        "UncacheTable",
    )
)
"""Commands of Spark that change nothing but the session."""
_NO_WORDS = re.compile(r"Command$|DataSource(?=Table)|Hive(?=Table)|IntoDataSource.*|IntoHadoopFs.*|IntoHive.*")


def changes_more_than_session(node: str, *, is_temporary: bool) -> bool:
    """True for a command, by the name of its class, that others could see the effect of. Unknown ones are such."""
    return not (is_temporary or node in _OF_SESSION or node.startswith(_LOOKS))


def refuse_other(node: str, txn_id: int | str, settings: config.Settings, *, is_temporary: bool) -> None:
    """Raises HIVE_ACID_NOT_IN_TRANSACTION for a command that a transaction of several statements does not admit."""
    setting = config.TRANSACTION_ADMITS_OTHERS
    if changes_more_than_session(node, is_temporary=is_temporary) and not settings.flag(setting):
        operation = _name(node)
        raise build_error("HIVE_ACID_NOT_IN_TRANSACTION", operation=operation, txnId=txn_id, setting=setting.key)


def _name(node: str) -> str:
    """As a statement begins: CREATE TABLE for CreateDataSourceTableCommand."""
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[0-9]+", _NO_WORDS.sub("", node))).upper()
