"""What statements leave in the metastore's own tables: right for Initiator and Cleaner, nothing to mend by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from support.drivers import open_transactions
from support.metastore_releases import started_release
from support.metastore_setup import ACCURATE, TRANSACTIONAL, ThriftSetup, thrift_setup
from support.metastore_tables import Row, read_tables
from support.session_process import SessionProcess, StatementFailed

pytestmark = pytest.mark.beyond_the_gate(
    "`contract` on a metastore of 3.1.3; statements whose calls are counted (`integration/test_metastore_calls.py`)"
)

RELEASES = ["3.1.3", pytest.param("4.1.0", marks=pytest.mark.slow)]
"""One of each line."""
KEY = "COLUMN_STATS_ACCURATE"
QUERIES = (
    "SELECT CTC_TXNID, CTC_TABLE, CTC_PARTITION, CTC_WRITEID, CTC_UPDATE_DELETE FROM APP.COMPLETED_TXN_COMPONENTS",
    "SELECT TC_TXNID, TC_TABLE, TC_PARTITION, TC_WRITEID, TC_OPERATION_TYPE FROM APP.TXN_COMPONENTS",
    "SELECT TXN_ID, TXN_STATE FROM APP.TXNS",
    "SELECT HL_LOCK_EXT_ID FROM APP.HIVE_LOCKS WHERE HL_TXNID > 0",
)


@dataclass(frozen=True)
class Case:
    """A statement, the partitions that it writes to, and whether it changes rows of others."""

    sql: str
    partitions: tuple[str, ...] = ()
    changes_rows: bool = True


DONE = {
    "insert": Case("INSERT INTO flat VALUES (1, 'a'), (2, 'b'), (3, 'c')", changes_rows=False),
    "update": Case("UPDATE flat SET v = 'x' WHERE id = 1"),
    "delete": Case("DELETE FROM flat WHERE id = 2"),
    "insert parts": Case(
        "INSERT INTO parts VALUES (1, 'a', 'x'), (2, 'b', 'Ä B'), (3, 'c', 'x')", ("d=x", "d=Ä B"), False
    ),
    "insert static": Case("INSERT INTO parts PARTITION (d = 'x') VALUES (4, 'd')", ("d=x",), False),
    "insert new": Case("INSERT INTO parts PARTITION (d = 'New/1') VALUES (5, 'e')", ("d=New%2F1",), False),
    "update named": Case("UPDATE parts SET v = 'y' WHERE d = 'x'", ("d=x",)),
    "update all": Case("UPDATE parts SET v = 'z'", ("d=x", "d=Ä B", "d=New%2F1")),
    "delete some": Case("DELETE FROM parts WHERE id = 2", ("d=Ä B",)),
    "overwrite": Case("INSERT OVERWRITE flat SELECT id + 1, v FROM flat"),
    "overwrite named": Case("INSERT OVERWRITE parts PARTITION (d = 'x') VALUES (6, 'f')", ("d=x",)),
    "overwrite some": Case("INSERT OVERWRITE parts VALUES (7, 'g', 'x'), (8, 'h', 'Ä B')", ("d=x", "d=Ä B")),
    "truncate named": Case("TRUNCATE TABLE parts PARTITION (d = 'New/1')", ("d=New%2F1",)),
}
LOST = {
    "lost insert": Case("INSERT INTO flat SELECT raise_error('lost'), 'x'"),
    "lost update": Case("UPDATE flat SET v = raise_error('lost')"),
    "lost named": Case("UPDATE parts SET v = raise_error('lost') WHERE d = 'x'", ("d=x",)),
    "lost all": Case("UPDATE parts SET v = raise_error('lost')", ("d=x",)),
    "nothing": Case("DELETE FROM flat WHERE id = -1"),
}
LEFT = {
    "lost insert": ("flat", None, "i"),
    "lost update": ("flat", None, "u"),
    "lost named": ("parts", "d=x", "u"),
    "nothing": ("flat", None, "d"),
}
"""What an aborted transaction leaves for the Cleaner: table, partition, operation."""


@dataclass
class Books:
    """Transactions of the cases by name, and what the metastore's tables hold after all of them."""

    line: MetastoreLine
    txns: dict[str, int] = field(default_factory=dict)
    left_open: dict[str, object] = field(default_factory=dict)
    marked: dict[str, list[str]] = field(default_factory=dict)
    tables: list[list[Row]] = field(default_factory=list)

    def of(self, query: int, name: str) -> list[Row]:
        """Rows of a query about the transaction of a case, without its ID."""
        return sorted((row[1:] for row in self.tables[query] if row[0] == str(self.txns[name])), key=repr)


def mark(setup: ThriftSetup, observer: ThriftMetastore, table: TableName) -> None:
    """Table and partitions have accurate statistics, as after Hive's ANALYZE."""
    setup.mark_accurate(table, None, ACCURATE)
    for name in observer.partition_names(table):
        setup.mark_accurate(table, name, ACCURATE)


@pytest.fixture(scope="module", params=RELEASES)
def books(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Books]:
    """All cases, run one after the other; then the metastore ends."""
    version: str = request.param
    folder = tmp_path_factory.mktemp("books")
    with (
        started_release(version, folder / "metastore", database="derby") as metastore,
        thrift_setup(metastore.uri) as setup,
        SessionProcess(folder / "spark", metastore.uri, metastore.warehouse) as session,
        closing(ThriftMetastore(metastore.uri)) as observer,
    ):
        kept = Books(observer.line)
        flat = setup.create_table("flat", parameters=TRANSACTIONAL)
        parts = setup.create_table("parts", partition_columns=["d"], parameters=TRANSACTIONAL)
        session.sql(f"USE {setup.database}")
        for name, case in {**DONE, **LOST}.items():
            run(kept, name, case, setup, observer, session, parts if case.partitions else flat)
    kept.tables = read_tables(version, folder / "metastore", QUERIES)
    yield kept


def run(
    kept: Books,
    name: str,
    case: Case,
    setup: ThriftSetup,
    observer: ThriftMetastore,
    session: SessionProcess,
    table: TableName,
) -> None:
    """One case; what can be asked while the metastore runs is noted."""
    mark(setup, observer, table)
    before = observer.valid_transactions(0).high_water_mark
    try:
        session.sql(case.sql)
    except StatementFailed:
        assert name in LOST, name
    (kept.txns[name],) = range(before + 1, observer.valid_transactions(0).high_water_mark + 1)
    locks = [lock for lock in observer.held_locks() if lock.txn_id is not None]  # 4.1 chooses its leaders by others
    kept.left_open[name] = [*open_transactions(observer), *locks]
    found = {partition.name: partition.parameters for partition in observer.partitions(table, case.partitions)}
    holders = found if case.partitions else {"": observer.table(table).parameters}
    kept.marked[name] = [holder for holder, parameters in holders.items() if KEY in parameters]


@pytest.mark.parametrize("name", DONE)
def test_a_statement_is_recorded_as_completed_with_its_partitions_and_its_write_id(books: Books, name: str) -> None:
    case = DONE[name]
    flag = "Y" if case.changes_rows else "N"
    rows = books.of(0, name)
    write_ids = {row[2] for row in rows}
    assert len(write_ids) == 1
    assert None not in write_ids
    found = sorted((row[0], row[1], row[3]) for row in rows)
    partitions: tuple[str | None, ...] = case.partitions or (None,)
    assert found == sorted(("parts" if case.partitions else "flat", partition, flag) for partition in partitions)
    assert books.of(1, name) == []


@pytest.mark.parametrize("name", [*DONE, *LOST])
def test_after_a_statement_no_transaction_and_no_lock_is_there(books: Books, name: str) -> None:
    assert books.left_open[name] == []


@pytest.mark.parametrize("name", DONE)
def test_no_statistics_of_what_was_written_count_as_accurate(books: Books, name: str) -> None:
    assert books.marked[name] == []


@pytest.mark.parametrize("name", LEFT)
def test_an_aborted_statement_leaves_what_the_cleaner_looks_for(books: Books, name: str) -> None:
    table, partition, operation = LEFT[name]
    if books.line is MetastoreLine.HIVE_3 and operation == "d":
        operation = "u"  # as which a delete is registered there
    ((*found, write_id, kind),) = books.of(1, name)
    assert (*found, kind) == (table, partition, operation)
    assert write_id is not None
    assert books.of(2, name) == [("a",)]


def test_of_a_lock_on_the_table_for_partitions_unknown_3_1_keeps_nothing_and_4_a_placeholder(books: Books) -> None:
    kept = [(*row[:2], row[3]) for row in books.of(1, "lost all")]
    assert kept == ([] if books.line is MetastoreLine.HIVE_3 else [("parts", None, "u")])


@pytest.mark.parametrize("name", LOST)
def test_nothing_of_an_aborted_statement_counts_as_completed(books: Books, name: str) -> None:
    assert books.of(0, name) == []


def test_nothing_of_an_open_transaction_is_left(books: Books) -> None:
    components, transactions, locks = books.tables[1:]
    states = dict(transactions)
    assert locks == []
    assert "o" not in states.values()
    assert {states[row[0]] for row in components} == {"a"}
