"""Only the partitions that a condition leaves are fetched, listed, read and written, wherever and however they lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from hive_acid.bridge.jvm import JvmFileSystem
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.types import LockKind
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from integration.conftest import Tables
from support.metastore_setup import thrift_setup
from support.session_process import SessionProcess
from support.thrift_proxy import ThriftProxy

PARTITIONS = 300


@dataclass
class Asked:
    """What was asked of the metastore and of storage since the last `clear`."""

    calls: list[str] = field(default_factory=list)
    partitions: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def clear(self) -> None:
        for part in (self.calls, self.partitions, self.folders):
            part.clear()


@pytest.fixture
def asked(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Of the session's own client, and of its file system."""
    client: Any = attach(spark).metastore
    call, read, list_trees = client._call, client._read, JvmFileSystem.list_trees
    seen = Asked()

    def watched_call(method: str, *args: Any, **options: Any) -> Any:
        seen.calls.append(method)
        return call(method, *args, **options)

    def watched_read(method: str, *args: Any, **options: Any) -> Any:
        if method == "get_partitions_by_names":
            seen.partitions += args[2]
        return read(method, *args, **options)

    def watched_listing(self: JvmFileSystem, roots: Any) -> Any:
        seen.folders += roots
        return list_trees(self, roots)

    monkeypatch.setattr(client, "_call", watched_call)
    monkeypatch.setattr(client, "_read", watched_read)
    monkeypatch.setattr(JvmFileSystem, "list_trees", watched_listing)
    return seen


def add_partitions(tables: Tables, name: TableName, locations: dict[str, str]) -> None:
    """Partitions by name, as another client adds them."""
    txn_id = tables.client.open_transaction("test", "here", "test")
    write_id = tables.client.allocate_write_id(txn_id, name)
    write_ids = tables.client.valid_write_ids([name], tables.client.valid_transactions(txn_id))[name]
    tables.client.add_partitions(name, locations, write_id, write_ids)
    tables.client.commit(txn_id)


@pytest.fixture
def wide(tables: Tables) -> Tables:
    """A table `p` with 300 partitions by `k`; rows (1, a) to (3, c) in those from 1 to 5."""
    name = tables.create("p", "id INT, v STRING", "PARTITIONED BY (k INT)")
    tables.sql(
        "INSERT INTO p SELECT r.id, v, CAST(k.id AS INT) "
        "FROM VALUES (1, 'a'), (2, 'b'), (3, 'c') AS r (id, v), range(1, 6) k"
    )
    root = tables.location("p")
    add_partitions(tables, name, {f"k={k}": f"file:{root}/k={k}" for k in range(6, PARTITIONS + 1)})
    assert len(tables.client.partition_names(name)) == PARTITIONS
    return tables


CONDITIONS = {
    "k = 3": {3},
    "k IN (2, 4)": {2, 4},
    "k > 298": {299, 300},
    "k % 75 = 1": {1, 76, 151, 226},
    "k = 1 AND id = 2 OR k = 5 AND v = 'c'": {1, 5},
    "concat('k', k) = 'k2' AND rand() < 2": {2},
    "k = (SELECT 4)": {4},
    "k < 0": set(),
}


@pytest.mark.beyond_the_gate("changes and joins; locks: `integration/test_partition_locks.py`")
def test_a_select_fetches_and_lists_what_its_condition_leaves(wide: Tables, asked: Asked) -> None:
    root = wide.location("p")
    for condition, keys in CONDITIONS.items():
        asked.clear()
        wide.sql(f"SELECT sum(id) FROM p WHERE {condition}")
        assert sorted(asked.partitions) == sorted(f"k={k}" for k in keys), condition
        assert sorted(asked.folders) == sorted(f"file:{root}/k={k}" for k in keys), condition
        assert asked.calls.count("get_partition_names") == 1, condition
        assert asked.calls.count("get_partitions_by_names") == -(-len(keys) // 500), condition


STATEMENTS = {
    "DELETE FROM p WHERE k = 2 AND id > 1": ({2}, {2}, 2),
    "DELETE FROM p WHERE k BETWEEN 4 AND 9 AND v = 'a'": ({4, 5, 6, 7, 8, 9}, {4, 5}, 2),
    "UPDATE p SET v = concat(v, k) WHERE k IN (1, 300)": ({1, 300}, {1}, 3),
    "UPDATE p SET id = id + 1 WHERE k = 3 AND id = 9": ({3}, set(), 0),
    "DELETE FROM p WHERE k > 5000": (set(), set(), 0),
}


def test_a_change_fetches_lists_and_writes_what_its_condition_leaves(wide: Tables, asked: Asked) -> None:
    root = wide.location("p")
    for statement, (surviving, written, rows) in STATEMENTS.items():
        before = set(wide.files("p"))
        asked.clear()
        assert wide.sql(statement) == [(rows,)], statement
        assert set(asked.partitions) == {f"k={k}" for k in surviving}, statement
        assert set(asked.folders) == {f"file:{root}/k={k}" for k in surviving}, statement
        new = {file.split("/")[0] for file in set(wide.files("p")) - before}
        assert new == {f"k={k}" for k in written}, statement
    assert wide.sql("SELECT k, count(*), max(v) FROM p GROUP BY k ORDER BY k") == [
        (1, 3, "c1"),
        (2, 1, "a"),
        (3, 3, "c"),
        (4, 2, "c"),
        (5, 2, "c"),
    ]


REPLACEMENTS = {
    "INSERT INTO p REPLACE WHERE k IN (2, 4) AND id < 3 VALUES (0, 'v', 4)": ({"k=2", "k=4"}, 5),
    "INSERT INTO p REPLACE WHERE k = 3 SELECT id, upper(v), 3 FROM VALUES (7, 'x') AS n (id, v)": ({"k=3"}, 4),
    "INSERT INTO p REPLACE WHERE id = 77 VALUES (77, 'v', 1), (77, 'v', 301)": (set(), 2),
    "INSERT INTO p REPLACE WHERE k > 4 AND k < 6 SELECT id, v, k FROM p WHERE k = 5 AND id = 1": (set(), 4),
    "INSERT INTO p REPLACE WHERE k = 1 SELECT int(id), 'y', int(id) FROM range(1, 2)": (set(), 5),
}
"""Which partitions are locked by name, none if the table is; and the number of rows."""


@pytest.mark.beyond_the_gate("changes and joins; locks: `integration/test_partition_locks.py`")
def test_a_replacement_locks_the_partitions_of_its_condition_and_those_of_its_new_rows(
    wide: Tables, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    client: Any = attach(spark).metastore
    lock, locked = client.lock, []

    def watched(txn_id: int, components: Any, *args: Any) -> Any:
        if components[0].kind is not LockKind.EXCLUSIVE:  # which a change of rows asks for before it commits
            locked.append({part.partition for part in components})
        return lock(txn_id, components, *args)

    monkeypatch.setattr(client, "lock", watched)
    for statement, (partitions, rows) in REPLACEMENTS.items():
        locked.clear()
        ((affected, *_),) = wide.sql(statement)
        assert affected == rows, statement
        assert locked == [partitions or {None}], statement


@pytest.mark.slow
def test_sparks_own_client_asks_for_no_partition(wide: Tables, metastore: EmbeddedMetastore, tmp_path: Path) -> None:
    with (
        ThriftProxy(metastore.uri) as proxy,
        SessionProcess(tmp_path, proxy.uri, metastore.warehouse) as session,
    ):
        session.wait_started()
        for statement, changes in (
            (f"SELECT count(*) FROM {wide.database}.p WHERE k = 3", []),
            (f"UPDATE {wide.database}.p SET v = 'z' WHERE k = 3", ["get_partition_names", "alter_partitions_req"]),
        ):
            proxy.calls.clear()
            session.sql(statement)
            about = [call for call in proxy.calls if "partition" in call and call != "get_partitions_by_names"]
            assert about == ["get_partition_names", *changes], statement
    assert wide.sql("SELECT * FROM p WHERE k = 3 ORDER BY id") == [(1, "z", 3), (2, "z", 3), (3, "z", 3)]


def scanned_partitions(frame: DataFrame) -> int:
    """How many partitions the first scan of an executed query has read, by Spark's own metric."""
    plan: Any = frame._jdf.queryExecution().executedPlan()
    leaves = plan.collectLeaves()
    return int(leaves.apply(0).metrics().apply("numPartitions").value())


def test_a_join_prunes_the_partitions_that_are_read(wide: Tables, spark: SparkSession) -> None:
    wide.sql("CREATE TABLE d (k INT, word STRING) USING parquet")
    wide.sql("INSERT INTO d VALUES (2, 'two'), (4, 'four'), (900, 'none')")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try:
        frame = spark.sql("SELECT p.id, p.k FROM p JOIN d ON p.k = d.k WHERE d.word <> 'two' ORDER BY id")
        assert [tuple(row) for row in frame.collect()] == [(1, 4), (2, 4), (3, 4)]
        assert "dynamicpruning" in frame._jdf.queryExecution().executedPlan().toString()
        assert scanned_partitions(frame) <= 2
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
    assert wide.sql("DELETE FROM p WHERE k IN (SELECT k FROM d WHERE word = 'two') AND id < 3") == [(2,)]
    assert wide.sql("UPDATE p SET v = (SELECT max(word) FROM d WHERE d.k = p.k) WHERE k IN (SELECT k FROM d)") == [(4,)]
    assert wide.sql("SELECT id, v, k FROM p WHERE k IN (2, 4) ORDER BY k, id") == [
        (3, "two", 2),
        (1, "four", 4),
        (2, "four", 4),
        (3, "four", 4),
    ]


def test_a_partition_elsewhere_is_read_and_changed_where_it_lies(tables: Tables, tmp_path: Path) -> None:
    name = tables.create("p", "id INT", "PARTITIONED BY (k STRING)")
    elsewhere = tmp_path / "else where" / "k=other"
    add_partitions(tables, name, {"k=far": f"file:{elsewhere}"})
    tables.sql("INSERT INTO p VALUES (1, 'far'), (2, 'far'), (1, 'near'), (2, 'near')")
    assert tables.sql("DELETE FROM p WHERE k = 'far' AND id = 1") == [(1,)]
    assert tables.sql("UPDATE p SET id = id * 10 WHERE id = 2") == [(2,)]
    assert tables.sql("SELECT k, id FROM p ORDER BY k, id") == [("far", 20), ("near", 1), ("near", 20)]
    kinds = [folder.name.split("_0")[0] for folder in sorted(elsewhere.iterdir())]
    assert kinds == ["delete_delta", "delete_delta", "delta", "delta"]
    assert {file.split("/")[0] for file in tables.files("p")} == {"k=near"}


def test_partitions_of_an_older_schema_are_read_and_changed(tables: Tables, metastore: EmbeddedMetastore) -> None:
    name = tables.create("p", "id INT, small SMALLINT, f FLOAT", "PARTITIONED BY (k INT)")
    tables.sql("INSERT INTO p VALUES (1, 1S, 1.5F, 1), (2, 2S, 2.5F, 1)")
    tables.sql("ALTER TABLE p ADD COLUMNS (more STRING)")
    tables.sql("INSERT INTO p VALUES (3, 3S, 3.5F, 'new', 1), (4, 4S, 4.5F, 'new', 2)")
    with thrift_setup(metastore.uri) as setup:
        setup.alter_columns(name, {"id": "bigint", "small": "int", "f": "double"})
    tables.sql("INSERT INTO p VALUES (5000000000, 70000, 0.1D, 'wide', 2)")
    assert tables.sql("SELECT * FROM p ORDER BY id") == [
        (1, 1, 1.5, None, 1),
        (2, 2, 2.5, None, 1),
        (3, 3, 3.5, "new", 1),
        (4, 4, 4.5, "new", 2),
        (5000000000, 70000, 0.1, "wide", 2),
    ]
    assert tables.sql("DELETE FROM p WHERE k = 1 AND more IS NULL AND small = 1") == [(1,)]
    assert tables.sql(
        "UPDATE p SET id = id + 6000000000, more = coalesce(more, 'was null'), small = small + 70000 WHERE id < 4"
    ) == [(2,)]
    assert tables.sql("SELECT * FROM p ORDER BY id") == [
        (4, 4, 4.5, "new", 2),
        (5000000000, 70000, 0.1, "wide", 2),
        (6000000002, 70002, 2.5, "was null", 1),
        (6000000003, 70003, 3.5, "new", 1),
    ]
