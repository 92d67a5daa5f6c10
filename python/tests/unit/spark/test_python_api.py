"""An error in a callback reaches the JVM as one that says what became of the statement, whatever went wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hive_acid.bridge.python_api import PythonApi
from hive_acid.bridge.texts import TextAnswers
from hive_acid.errors import build_error
from hive_acid.errors.outcome import StatementOutcome
from hive_acid.model.table import Column
from hive_acid.model.table_identity import AnalysedTable
from hive_acid.sql.operator_parsing import find_operator_statement
from hive_acid.wire import codec
from hive_acid.wire.catalogs import CatalogRequest
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.new_tables import NewColumn, NewTable
from hive_acid.wire.operators import OperatorRequest
from hive_acid.wire.rewriting import RewriteRequest
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.scan_requests import ReadRequest, ReadTable, ScanRequest
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import DdlStatement, Statement
from hive_acid.wire.table_calls import TableQuestion
from hive_acid_catalogs.catalog_api import PythonCatalogApi
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable, DropDatabaseRequest, DropTableRequest
from support.api_session import TABLE_NAME, Session, Told, fail
from support.statements import LOCATION

ANALYSED = AnalysedTable(
    table=TABLE_NAME,
    created_s=0,
    location=LOCATION,
    properties={"transactional": "true"},
    input_format="",
    columns=(Column("id", "int"), Column("name", "string")),
    partition_columns=(),
    bucket_columns=(),
    bucket_count=-1,
)
WRITE = Statement(StatementKind.INSERT, RowWrites.INSERTS, TABLE_NAME, (), "UTC", parallelism=1, analysed=())
READ = ReadRequest(ReadTable(ANALYSED), token=None, execution_id=1, settings={})
SCAN = ScanRequest(READ, partitions=None, row_ids=False, json=False)
ANALYZE = DdlStatement(DdlKind.ANALYZE, (TABLE_NAME,))
QUESTION = TableQuestion(TABLE_NAME, limit=None, settings={})
BROKEN_REWRITE = RewriteRequest(
    statement="DELETE FROM",
    table=TABLE_NAME,
    properties={"transactional": "true"},
    data_columns=("id", "name"),
    partition_columns=(),
    taken=(),
    assigned=(),
    bucketing={},
)

ADDITION = DdlStatement(DdlKind.ALTER_COLUMNS, (TABLE_NAME,), new_columns=(NewColumn("more", "int", ("int",)),))
NEW = NewTable(
    TABLE_NAME,
    is_external=False,
    is_insert_only=False,
    is_orc=True,
    columns=(NewColumn("id", "int", ("int",)),),
    partition_columns=(),
    sort_columns=(),
    location=None,
    usual_location="file:/w/t",
    has_collations=True,
)


def operation(text: str) -> str:
    found = find_operator_statement(text)
    assert found is not None
    statement = codec.write(found.statement)
    return codec.write(OperatorRequest(found.statement.TITLE, statement, TABLE_NAME, None, (), None, None, {}))


Break = Callable[[Session], None]


def breaks_metastore(method: str) -> Break:
    return lambda session: session.world.metastore.before.update({method: fail})


def breaks_engine(session: Session) -> None:
    session.bridge.write = fail


def breaks_alteration(session: Session) -> None:
    session.bridge.alter = fail


def breaks_readers(session: Session) -> None:
    session.readers.end = fail  # type: ignore[method-assign]


def breaks_compactions(session: Session) -> None:
    session.compactions.compact = fail


def breaks_transactions(session: Session) -> None:
    session.transactions.abandon = fail


COLUMNS = ("callback", "arguments", "breaks", "outcome")
CALLBACKS: list[tuple[str, tuple[Any, ...], Break, str]] = [
    ("rewrite", (codec.write(BROKEN_REWRITE),), lambda _: None, "NOTHING_CHANGED"),
    ("respelling", (None,), lambda _: None, "NOTHING_CHANGED"),
    ("explainedStatement", (None,), lambda _: None, "NOTHING_CHANGED"),
    ("translation", (None,), lambda _: None, "NOTHING_CHANGED"),
    ("partitionDrop", (None,), lambda _: None, "NOTHING_CHANGED"),
    ("hint", (None,), lambda _: None, "NOTHING_CHANGED"),
    ("operatorStatement", (None,), lambda _: None, "NOTHING_CHANGED"),
    ("columns", ("db.t",), breaks_metastore("table"), "NOTHING_CHANGED"),
    ("currentPartitions", ("db.t",), breaks_metastore("partition_names"), "NOTHING_CHANGED"),
    ("columnDefaults", ("db.t",), breaks_metastore("column_defaults"), "NOTHING_CHANGED"),
    ("newTable", (codec.write(NEW),), breaks_metastore("new_table_location"), "NOTHING_CHANGED"),
    ("partitionNames", (codec.write(READ),), breaks_metastore("open_transaction"), "QUERY_FAILED"),
    ("scan", (codec.write(SCAN),), breaks_metastore("lock"), "QUERY_FAILED"),
    ("execute", (codec.write(WRITE), "call"), breaks_metastore("table"), "NOTHING_CHANGED"),
    ("execute", (codec.write(WRITE), "call"), breaks_engine, "NOT_COMMITTED"),
    ("executeTogether", (codec.write((WRITE,)), '["call"]'), breaks_engine, "NOTHING_CHANGED"),
    ("dryRun", (codec.write(WRITE), "call"), breaks_engine, "NOTHING_CHANGED"),
    (
        "alter",
        (codec.write(replace(ANALYZE, kind=DdlKind.DROP_TABLE)), "call"),
        breaks_metastore("lock"),
        "NOTHING_CHANGED",
    ),
    ("alter", (codec.write(ANALYZE), "call"), breaks_alteration, "NOT_KNOWN"),
    ("alter", (codec.write(ANALYZE), "call"), breaks_metastore("commit"), "CARRIED_OUT"),
    ("addColumns", (codec.write(ADDITION), "call"), breaks_metastore("lock"), "NOTHING_CHANGED"),
    ("addColumns", (codec.write(ADDITION), "call"), breaks_alteration, "NOT_KNOWN"),
    ("createdTable", ("db.t",), breaks_metastore("table_identity"), "TABLE_CREATED"),
    ("cancel", ("tag", "reason"), lambda _: None, "NOTHING_CHANGED"),
    ("ofCatalog", (codec.write(CatalogRequest("other", {})),), lambda _: None, "NOTHING_CHANGED"),
    ("endExecution", (1,), breaks_readers, "NOTHING_CHANGED"),
    ("tableContent", (codec.write(QUESTION),), breaks_metastore("table"), "QUERY_FAILED"),
    ("tableHistory", (codec.write(QUESTION),), breaks_metastore("table"), "QUERY_FAILED"),
    ("admit", ("no message",), lambda _: None, "NOTHING_CHANGED"),
    ("abandon", ("token",), breaks_transactions, "NOTHING_CHANGED"),
    ("operate", (operation("SHOW LOCKS"),), breaks_metastore("held_locks"), "NOTHING_CHANGED"),
    ("operate", (operation("SHOW TRANSACTIONS"),), breaks_metastore("transactions"), "NOTHING_CHANGED"),
    ("operate", (operation("ALTER TABLE t COMPACT 'major'"),), breaks_metastore("table"), "NOTHING_CHANGED"),
    ("operate", (operation("ALTER TABLE t COMPACT 'major'"),), breaks_compactions, "COMPACTIONS_LISTED"),
]


@pytest.mark.parametrize(COLUMNS, CALLBACKS, ids=lambda value: value if isinstance(value, str) else "")
def test_an_unexpected_error_in_a_callback_says_what_became_of_the_statement(
    callback: str, arguments: tuple[Any, ...], breaks: Break, outcome: str
) -> None:
    session = Session()
    breaks(session)
    answer = getattr(session.python_api, callback)(*arguments)
    assert isinstance(answer, Told)
    assert answer.args == ("HIVE_ACID_INTERNAL", StatementOutcome[outcome].text)


def test_an_interrupted_statement_of_sparks_own_is_asked_after_before_its_transaction_ends() -> None:
    session = Session()
    session.bridge.alter.side_effect = KeyboardInterrupt
    opened: list[int] = []

    def still_alters(call: str) -> bool:
        assert call == "call"
        opened.append(len(session.world.open_transactions()))
        return len(opened) < 3

    session.bridge.stillAlters.side_effect = still_alters
    with pytest.raises(KeyboardInterrupt):
        session.python_api.alter(codec.write(ANALYZE), "call")
    assert opened == [1, 1, 1]
    assert not session.world.open_transactions()


DIRECTORY = [
    ("databases", ()),
    ("database", ("db",)),
    ("tables", ("db",)),
    ("table", ("db.t",)),
    ("partitions", ("db.t",)),
]


@pytest.mark.parametrize(
    ("callback", "arguments"), DIRECTORY, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_look_at_another_catalog_changes_nothing(callback: str, arguments: tuple[Any, ...]) -> None:
    answer = getattr(Session().catalog_api, callback)(*arguments)
    assert answer.args == ("HIVE_ACID_INTERNAL", StatementOutcome.NOTHING_CHANGED.text)


NEW_TABLE = DescribedTable(TABLE_NAME, "MANAGED_TABLE", "", 0, (), (), (), 0, (), None, None, None, None, {}, {})
DEFINITIONS = [
    ("createTable", NEW_TABLE, "NOT_KNOWN"),
    ("dropTable", DropTableRequest(TABLE_NAME, purges=False, is_locked=True, settings={}), "NOT_KNOWN"),
    ("createDatabase", DescribedDatabase("db", None, None, None, {}), "NOT_KNOWN"),
    ("dropDatabase", DropDatabaseRequest("db", cascades=False, settings={}), "NOTHING_CHANGED"),
]
"""The last one fails when it looks for tables to lock."""


@pytest.mark.parametrize(
    ("callback", "request_", "outcome"), DEFINITIONS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_what_becomes_of_a_definition_that_fails_unexpectedly_is_told(
    callback: str, request_: object, outcome: str
) -> None:
    answer = getattr(Session().catalog_api, callback)(codec.write(request_))
    assert answer.args == ("HIVE_ACID_INTERNAL", StatementOutcome[outcome].text)


def test_the_api_of_a_catalog_knows_no_other_catalogs() -> None:
    answer = Session().catalog_api.ofCatalog(codec.write(CatalogRequest("other", {})))
    assert isinstance(answer, Told)


def test_every_callback_is_broken_above_but_those_that_always_say_their_own() -> None:
    callbacks = {
        name
        for name, value in {**vars(TextAnswers), **vars(PythonApi)}.items()
        if hasattr(value, "__wrapped__") and not name.startswith("_")
    }
    # their errors are HIVE_ACID_CREATED_TABLE_KEPT and HIVE_ACID_COLUMNS_KEPT
    assert callbacks - {callback for callback, *_ in CALLBACKS} == {"takeBack", "takeColumnsBack"}
    of_catalogs = {name for name, value in vars(PythonCatalogApi).items() if hasattr(value, "__wrapped__")}
    assert of_catalogs == {callback for callback, *_ in (*DIRECTORY, *DEFINITIONS)}


@pytest.mark.parametrize(
    ("method", "nth", "outcome"), [("abort_transactions", 1, "NOT_KNOWN"), ("transactions", 2, "CARRIED_OUT")]
)
def test_aborting_transactions_tells_what_was_sent_and_what_was_answered(method: str, nth: int, outcome: str) -> None:
    session = Session()
    session.world.metastore.method, session.world.metastore.nth = method, nth
    txn_id = session.world.memory.open_transaction("other", "host", "agent")
    answer = session.python_api.operate(operation(f"ABORT TRANSACTIONS {txn_id}"))
    assert answer.args == ("HIVE_ACID_METASTORE_UNAVAILABLE", StatementOutcome[outcome].text)
    assert (txn_id in session.world.open_transactions()) is (outcome == "NOT_KNOWN")


def test_a_named_error_says_the_same_as_an_unexpected_one() -> None:
    def refuse() -> None:
        raise build_error("HIVE_ACID_METASTORE_REFUSED", method="lock", reason="on purpose")

    session = Session()
    session.world.metastore.before["lock"] = refuse
    answer = session.python_api.execute(codec.write(WRITE), "call")
    assert answer.args == ("HIVE_ACID_METASTORE_REFUSED", StatementOutcome.NOT_COMMITTED.text)


@pytest.mark.parametrize(
    ("sees", "checks", "is_refused"), [(False, "true", True), (False, "false", False), (True, "true", False)]
)
def test_a_table_becomes_no_insert_only_one_that_its_session_would_lose(
    monkeypatch: pytest.MonkeyPatch, sees: bool, checks: str, is_refused: bool
) -> None:
    session = Session()
    monkeypatch.setattr(session.python_api, "_client_sees_insert_only", sees)
    monkeypatch.setattr(session.world.metastore, "config_value", lambda *_: checks, raising=False)
    altered: list[str] = []
    session.bridge.alter = altered.append
    asked = replace(ANALYZE, kind=DdlKind.CONVERT_TO_INSERT_ONLY)
    answer = session.python_api.alter(codec.write(asked), "call")
    assert altered == ([] if is_refused else ["call"])
    assert (answer == "null") is not is_refused
    if is_refused:
        assert answer.args[0] == "HIVE_ACID_UNSUPPORTED_TABLE.INSERT_ONLY_UNSEEN"
    assert not session.world.open_transactions()
