"""How often a statement calls the metastore, counted on real ones of both lines: the figures of the protocol."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.spark_lines import is_before
from support.drivers import open_transactions, wait_until
from support.metastore_releases import started_release
from support.session_process import SessionProcess
from support.statement_calls import CASES, TABLE, Case
from support.thrift_proxy import ThriftProxy

UNCOUNTED = {"heartbeat", "set_ugi"}
SPARKS_OWN = {"3.1.3": "get_table", "embedded": "get_table"}
"""By which call Spark's own client looks a table up; later ones do by ours."""
RELEASES = ("3.1.3", "embedded", pytest.param("4.2.0", marks=pytest.mark.slow))
TRANSACTIONAL = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@dataclass
class Counted:
    """A session, and the calls of its statements."""

    release: str
    session: SessionProcess
    proxy: ThriftProxy
    client: ThriftMetastore
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(100))

    def run(self, statement: str) -> Counter[str]:
        """The calls of a statement, Spark's own too, when its transaction has ended."""
        self._wait_ended()
        self.proxy.calls.clear()
        self.session.sql(statement)
        self._wait_ended()
        return Counter(method for method in self.proxy.calls if method not in UNCOUNTED)

    def _wait_ended(self) -> None:
        wait_until(lambda: not open_transactions(self.client), "all transactions have ended")


@pytest.fixture(scope="module", params=RELEASES)
def counted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counted]:
    """A session behind a proxy, with rows in its tables."""
    release, folder = request.param, tmp_path_factory.mktemp("calls")
    with ExitStack() as running:
        if release == "embedded":
            starting = EmbeddedMetastore.start(folder / "metastore")
        else:
            starting = started_release(release, folder / "metastore")
        metastore = running.enter_context(starting)
        proxy = running.enter_context(ThriftProxy(metastore.uri))
        session = running.enter_context(SessionProcess(folder / "spark", proxy.uri, metastore.warehouse))
        client = ThriftMetastore(metastore.uri)
        running.callback(client.close)
        for name, columns in (("flat", "(id INT, v INT)"), ("other", "(id INT, v INT)")):
            session.sql(f"CREATE TABLE {name} {columns} {TRANSACTIONAL}")
            session.sql(f"INSERT INTO {name} VALUES (1, 1), (2, 2)")
        session.sql(f"CREATE TABLE parts (id INT, v INT) PARTITIONED BY (d INT) {TRANSACTIONAL}")
        session.sql("INSERT INTO parts VALUES (1, 1, 1), (2, 2, 2)")
        session.sql("SET spark.hiveacid.compaction.runIn = queue")  # the calls of asking, not those of the work
        yield Counted(release, session, proxy, client)


@pytest.mark.beyond_the_gate(
    "the embedded metastore; the 3.1 line in `unit/execution/test_fault_matrix.py` and `contract`",
    cells=["3.1.3-*"],
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace("`", ""))
def test_a_statement_makes_the_calls_of_the_protocol_and_no_more(counted: Counted, case: Case) -> None:
    calls = counted.run(case.sql.format(n=next(counted.numbers)))
    ours = case.calls(counted.client.line, asks_cleaner=counted.release == "4.2.0")
    assert calls == ours + sparks_own(counted.release, case.tables)


def sparks_own(release: str, tables: int) -> Counter[str]:
    """How Spark's own client looks up so many tables. Before 4.0 it asks whether they are there first."""
    look = SPARKS_OWN.get(release, TABLE)
    return Counter({look: 2 * tables, "get_database": tables} if is_before("4.0") else {look: tables}) + Counter()
