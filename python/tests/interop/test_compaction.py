"""Compactions of ours and of Hive's on one table, in all orders, between changes of both: the rows are what they were,
with the IDs they had, and Hive's Cleaner removes what ours have replaced."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from pyspark.sql import SparkSession

from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.compaction.queue.worker import Worker
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from interop.hive_engine import HiveEngine
from interop.hive_table import CLEANER_LIMIT_S, HiveTable
from interop.releases import cases_of_releases

pytestmark = [pytest.mark.interop, pytest.mark.slow]

POOL = "of_the_tests"
KINDS = {"M": CompactionKind.MAJOR, "m": CompactionKind.MINOR, "R": CompactionKind.REBALANCE}
Row = tuple[int, str, int]


@dataclass
class Subject:
    """A table, the rows it must have, and both who change it. A partitioned one has its rows in d=0 and d=1."""

    hive: HiveEngine
    spark: SparkSession
    table: HiveTable
    partitions: Sequence[str | None] = (None,)
    rows: dict[int, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        attachment = attach(self.spark)
        self.metastore: Metastore = attachment.metastore
        self.worker: Worker = attachment.build_worker("testhost-interop")
        self.name = TableName("default", self.table.name)

    def change(self) -> None:
        """New rows, changed and deleted ones, each by both engines."""
        first = max(self.rows, default=0) + 1
        for offset, run in enumerate((self.spark.sql, self.hive.sql)):
            ids = range(first + 10 * offset, first + 10 * offset + 6)
            rows = {id_: (id_, f"n{id_}", id_ % 2) for id_ in ids}
            columns = "(id, name, d)" if self.hive.version != "3.1.3" or offset == 0 else ""
            run(f"INSERT INTO {self.table.name} {columns} VALUES {', '.join(str(row) for row in rows.values())}")
            self.rows |= rows
            run(f"UPDATE {self.table.name} SET name = 'changed' WHERE id IN ({ids[0]}, {ids[3]})")
            self.rows |= {id_: (id_, "changed", id_ % 2) for id_ in (ids[0], ids[3])}
            run(f"DELETE FROM {self.table.name} WHERE id IN ({ids[1]}, {ids[4]})")
            for id_ in (ids[1], ids[4]):
                del self.rows[id_]

    def check(self) -> None:
        """Both read the rows, Hive in both ways."""
        expected = sorted(self.rows.values())
        self.table.check_rows("id", expected)
        assert [
            tuple(row) for row in self.spark.sql(f"SELECT * FROM {self.table.name} ORDER BY id").collect()
        ] == expected

    def compact(self, step: str) -> None:
        """`o` for ours or `h` for Hive's, and `M`ajor, `m`inor or `R`ebalance."""
        kind = KINDS[step[1]]
        ids = self.table.row_ids("id")
        for partition in self.partitions:
            if step[0] == "h":
                key = partition and partition.replace("=", "='") + "'"
                self.table.compact(kind.value, key, may_be_refused=True)
            else:
                outcome = self.compact_ours(kind, partition)
                self.check()
                self.clean(outcome)
        if kind is not CompactionKind.REBALANCE:
            assert self.table.row_ids("id") == ids
        assert self.table.row_ids("id", vectorised=True) == self.table.row_ids("id")

    def compact_ours(self, kind: CompactionKind, partition: str | None = None) -> CompactionOutcome:
        """Asks the queue, and does what it gives; on 3.1 Hive's Worker is run after the base has been published."""
        if self.metastore.line is MetastoreLine.HIVE_4:
            self.metastore.request_compaction(CompactionRequest(self.name, kind, partition, pool=POOL, user="tester"))
            outcome = self.worker.run_next(POOL)
            assert outcome is not None
        else:
            outcome = self.worker.publish_base(self.name, partition)
            assert self.metastore.request_compaction(CompactionRequest(self.name, kind, partition)).accepted
            self.hive.sql("!worker")
        return outcome

    def clean(self, outcome: CompactionOutcome) -> None:
        """Hive's Cleaner leaves nothing that the result stands for."""
        limit = time.monotonic() + CLEANER_LIMIT_S
        entry = max(
            (info for info in self.metastore.compactions() if info.table == self.name), key=lambda info: info.id
        )
        while entry.state is CompactionState.READY and time.monotonic() < limit:
            self.hive.sql("!cleaner")
            (entry,) = [info for info in self.metastore.compactions() if info.id == entry.id]
        assert entry.state in (CompactionState.SUCCEEDED, CompactionState.REFUSED), entry
        if outcome.kind is CompactionKind.MAJOR and outcome.folders:
            root = outcome.partition or ""
            left = {path.rpartition("/")[0] for path in self.table.files() if path.startswith(root)}
            assert left == {f"{root}/{name}".lstrip("/") for name in outcome.folders}


def subject(hive: HiveEngine, spark: SparkSession, name: str, shape: str) -> Subject:
    columns = "id INT, name STRING" + ("" if shape == "partitioned" else ", d INT")
    more = {"partitioned": "PARTITIONED BY (d INT)", "bucketed": "CLUSTERED BY (id) INTO 3 BUCKETS"}.get(shape, "")
    hive.sql(f"CREATE TABLE {name} ({columns}) {more} STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    hive.sql("SET hive.exec.dynamic.partition.mode=nonstrict")
    partitions = ("d=0", "d=1") if shape == "partitioned" else (None,)
    return Subject(hive, spark, HiveTable(hive, name), partitions)


ORDERS = {
    "3.1.3": {"flat": ("oM_hM_oM",), "partitioned": ("oM_hM_oM",), "bucketed": ("oM_hM_oM",)},
    "4.1.0": {
        "flat": ("hM_oM", "hm_om_oM", "om_oR_hM"),
        "partitioned": ("oM_oM_hm_hM",),
        "bucketed": ("om_hm_om_hM",),
    },
}
"""Each kind of either engine after each that it can meet, on 4.1.0; partitions and buckets are as flat tables.

On 3.1.3 ours are major ones only, and Hive's minor ones of several buckets break its own major ones.
"""
CASES = [
    (version, f"{shape}-{order}", (shape, order))
    for version, shapes in ORDERS.items()
    for shape, orders in shapes.items()
    for order in orders
]


def spelled(order: str) -> str:
    """As a part of a table's name, in which `m` and `M` are the same."""
    return order.replace("m", "minor").replace("M", "major")


@cases_of_releases(("shape", "order"), CASES)
def test_compactions_of_both_in_any_order_change_no_answer(
    hive: HiveEngine, spark: SparkSession, shape: str, order: str
) -> None:
    tested = subject(hive, spark, f"{shape}_{spelled(order)}", shape)
    tested.change()
    tested.check()
    for step in order.split("_"):
        tested.compact(step)
        tested.change()
        tested.check()


def test_a_minor_compaction_of_hive_makes_no_stale_count_of_rows_true(hive: HiveEngine, spark: SparkSession) -> None:
    tested = subject(hive, spark, "counted", "flat")
    hive.sql("INSERT INTO counted VALUES (1, 'a', 1), (2, 'b', 0)")
    assert hive.sql("SELECT count(*) FROM counted").rows == [(2,)]
    spark.sql("INSERT INTO counted VALUES (3, 'c', 1), (4, 'd', 0), (5, 'e', 1)")
    spark.sql("DELETE FROM counted WHERE id = 1")
    tested.table.compact("minor")
    assert hive.sql("SELECT count(*) FROM counted").rows == [(4,)]
