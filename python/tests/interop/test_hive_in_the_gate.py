"""The part of the interop tests that every change must pass: one Hive engine beside one Spark session.

Of the two releases the faster one. The session is a process of its own, since that of the other tests may be running.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.names import OVERWRITE_FILE
from hive_acid.model.table import TableName
from interop.all_types import COLUMNS, HIVE_ROW, VALUES
from interop.hive_engine import HiveEngine, HiveError
from interop.hive_jars import EngineUnavailable, hive_installation
from interop.hive_table import HiveTable
from support.session_process import SessionProcess, StatementFailed

HIVE_VERSION = "3.1.3"
ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
KINDS = {
    "flat": "(id INT, name STRING, day STRING)",
    "partitioned": "(id INT, name STRING) PARTITIONED BY (day STRING)",
}
MONDAY, TUESDAY = "2024-01-01", "2024-01-02"


@pytest.fixture(scope="module")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveEngine]:
    """The engine. Where it cannot be had, the tests are skipped, and pytest prints why."""
    try:
        hive_installation(HIVE_VERSION)
    except EngineUnavailable as error:
        pytest.skip(f"no Hive {HIVE_VERSION} on this machine: {error}")
    with HiveEngine.started(HIVE_VERSION, tmp_path_factory.mktemp("hive")) as engine:
        yield engine


@pytest.fixture(scope="module")
def spark(hive: HiveEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionProcess]:
    """A session on the engine's metastore. Its time zone is not Hive's, so that a shifted timestamp shows."""
    conf = {"spark.sql.session.timeZone": "Asia/Kolkata"}
    with SessionProcess(tmp_path_factory.mktemp("spark"), hive.metastore_uri, hive.warehouse, conf) as session:
        yield session


@pytest.mark.beyond_the_gate(
    "partitioned tables; a flat one that was overwritten; "
    "what an ALTER writes: `contract/test_alters_beside_writes.py`",
    cells=["flat"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_hive_reads_and_changes_what_spark_wrote_and_spark_reads_it_back(
    hive: HiveEngine, spark: SessionProcess, kind: str
) -> None:
    spark.sql(f"CREATE TABLE {kind} {KINDS[kind]} {ACID}")
    table = HiveTable(hive, kind)

    spark.sql(
        f"INSERT INTO {kind} VALUES (1, 'one', '{MONDAY}'), (2, 'two', '{MONDAY}'), (3, NULL, '{TUESDAY}'), "
        f"(4, 'four', '{TUESDAY}'), (5, 'five', '{TUESDAY}')"
    )
    assert spark.sql(f"DELETE FROM {kind} WHERE id = 1 OR name IS NULL") == [(2,)]
    table.check_rows("id", [(2, "two", MONDAY), (4, "four", TUESDAY), (5, "five", TUESDAY)])
    assert spark.sql(f"UPDATE {kind} SET name = upper(name) WHERE id < 5") == [(2,)]
    table.check_rows("id", [(2, "TWO", MONDAY), (4, "FOUR", TUESDAY), (5, "five", TUESDAY)])

    hive.sql(f"UPDATE {kind} SET name = concat(name, '!') WHERE id IN (2, 5)")
    hive.sql(f"DELETE FROM {kind} WHERE id = 4")
    hive.sql(f"INSERT INTO {kind} VALUES (6, 'six', '{MONDAY}')")
    changed = [(2, "TWO!", MONDAY), (5, "five!", TUESDAY), (6, "six", MONDAY)]
    assert spark.sql(f"SELECT * FROM {kind} ORDER BY id") == changed

    assert spark.sql(f"UPDATE {kind} SET id = id * 10 WHERE day = '{MONDAY}'") == [(2,)]
    assert spark.sql(f"DELETE FROM {kind} WHERE name = 'five!'") == [(1,)]
    table.check_rows("id", [(20, "TWO!", MONDAY), (60, "six", MONDAY)])

    merge = (
        f"MERGE INTO {kind} t USING (SELECT * FROM VALUES (20, '{TUESDAY}'), (7, '{MONDAY}') AS v(id, day)) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET day = s.day WHEN NOT MATCHED THEN INSERT (id, name, day) "
        "VALUES (s.id, 'seven', s.day) WHEN NOT MATCHED BY SOURCE THEN DELETE"
    )
    assert spark.sql(merge) == [(3, 1, 1, 1)]
    table.check_rows("id", [(7, "seven", MONDAY), (20, "TWO!", TUESDAY)])

    replace = (
        f"INSERT INTO {kind} REPLACE WHERE day = '{MONDAY}' VALUES (8, 'eight', '{MONDAY}'), (9, NULL, '{MONDAY}')"
    )
    assert spark.sql(replace) == [(3, 1, 2)]
    table.check_rows("id", [(8, "eight", MONDAY), (9, None, MONDAY), (20, "TWO!", TUESDAY)])


@pytest.mark.beyond_the_gate(
    "partitioned tables; a flat one that was overwritten; what an ALTER writes: `contract/test_alters_beside_writes.py`"
)
def test_hive_reads_and_changes_what_spark_created_as_a_query_and_inserted_into_several_tables(
    hive: HiveEngine, spark: SessionProcess
) -> None:
    rows = f"VALUES (1, 'one', '{MONDAY}'), (2, 'two', '{TUESDAY}') AS v(id, name, day)"
    spark.sql(f"CREATE TABLE of_query {ACID} AS SELECT * FROM {rows}")
    spark.sql(f"CREATE TABLE of_query_parts PARTITIONED BY (day) {ACID} AS SELECT day, id, name FROM {rows}")
    tables = HiveTable(hive, "of_query"), HiveTable(hive, "of_query_parts")
    for table in tables:
        table.check_rows("id", [(1, "one", MONDAY), (2, "two", TUESDAY)])
    # the source is one of the targets, twice
    assert spark.sql(
        "FROM of_query INSERT INTO of_query SELECT id + 10, name, day WHERE id = 1 INSERT INTO of_query "
        "SELECT id + 20, name, day WHERE id = 2 INSERT OVERWRITE TABLE of_query_parts SELECT id, upper(name), day "
        "WHERE id = 1"
    ) == [(3,)]
    everything = [(1, "one", MONDAY), (2, "two", TUESDAY), (11, "one", MONDAY), (22, "two", TUESDAY)]
    tables[0].check_rows("id", everything)
    tables[1].check_rows("id", [(1, "ONE", MONDAY), (2, "two", TUESDAY)])
    hive.sql("UPDATE of_query SET name = concat(name, '!') WHERE id > 10")
    hive.sql("DELETE FROM of_query_parts WHERE id = 2")
    assert spark.sql("SELECT id, name FROM of_query WHERE id > 10 ORDER BY id") == [(11, "one!"), (22, "two!")]
    assert spark.sql("SELECT id, name FROM of_query_parts") == [(1, "ONE")]
    # no value of the query was NULL, of which Hive knows nothing
    hive.sql(f"INSERT INTO of_query VALUES (NULL, 'none', '{MONDAY}')")
    assert spark.sql("SELECT id, name FROM of_query WHERE id IS NULL") == [(None, "none")]
    assert spark.sql("UPDATE of_query SET name = 'NONE' WHERE name = 'none'") == [(1,)]
    assert spark.sql("DELETE FROM of_query WHERE id IS NOT NULL") == [(4,)]
    tables[0].check_rows("id", [(None, "NONE", MONDAY)])


@pytest.mark.beyond_the_gate(
    "partitioned tables; a flat one that was overwritten; what an ALTER writes: `contract/test_alters_beside_writes.py`"
)
def test_hive_reads_and_changes_what_spark_altered(hive: HiveEngine, spark: SessionProcess) -> None:
    spark.sql(f"CREATE TABLE altered {KINDS['partitioned']} {ACID}")
    table = HiveTable(hive, "altered")
    spark.sql(f"INSERT INTO altered VALUES (1, 'one', '{MONDAY}'), (2, 'two', '{TUESDAY}'), (3, 'three', 'gone')")
    spark.sql("DELETE FROM altered WHERE id = 2")
    spark.sql(f"INSERT INTO altered VALUES (4, 'four', '{TUESDAY}')")
    spark.sql("ALTER TABLE altered DROP PARTITION (day = 'gone')")
    spark.sql("ALTER TABLE altered ADD PARTITION (day = 'new')")
    spark.sql(f"ALTER TABLE altered PARTITION (day = '{TUESDAY}') RENAME TO PARTITION (day = 'renamed')")
    table.check_rows("id", [(1, "one", MONDAY), (4, "four", "renamed")])

    # rows that come to old partitions have the new column for Hive too
    spark.sql("ALTER TABLE altered ADD COLUMNS (extra INT)")
    spark.sql(f"INSERT INTO altered (id, extra, day) VALUES (5, 50, '{MONDAY}'), (6, 60, 'new')")
    assert spark.sql("UPDATE altered SET extra = 40 WHERE id = 4") == [(1,)]
    rows = [(1, "one", None, MONDAY), (4, "four", 40, "renamed"), (5, None, 50, MONDAY), (6, None, 60, "new")]
    table.check_rows("id", rows)
    # Hive 3.1.3 compacts a partition by the columns that the partition has in the metastore
    table.compact("major", "day='renamed'")
    table.check_rows("id", rows)

    hive.sql("UPDATE altered SET extra = extra + 1 WHERE id > 4")
    hive.sql("DELETE FROM altered WHERE id = 1")
    hive.sql("ALTER TABLE altered PARTITION (day = 'renamed') RENAME TO PARTITION (day = 'again')")
    assert spark.sql("SELECT id, extra, day FROM altered ORDER BY id") == [
        (4, 40, "again"),
        (5, 51, MONDAY),
        (6, 61, "new"),
    ]

    spark.sql("DROP TABLE altered")
    assert hive.sql("SHOW TABLES LIKE 'altered'").rows == []


def test_constraints_that_hive_has_made_hold_in_spark(hive: HiveEngine, spark: SessionProcess) -> None:
    hive.sql(
        "CREATE TABLE bound (id INT NOT NULL ENABLE, name STRING DEFAULT 'no name', price DECIMAL(2,1) DEFAULT 1.5, "
        f"since DATE DEFAULT CAST('2024-01-01' AS DATE)) {ACID}"
    )
    assert spark.sql("INSERT INTO bound (id) VALUES (1)") == [(1,)]
    with pytest.raises(StatementFailed, match="HIVE_ACID_NULL_VALUE"):
        spark.sql("INSERT INTO bound (name) VALUES ('two')")
    assert spark.sql("INSERT INTO bound (id, name) VALUES (2, 'two')") == [(1,)]
    rows = [(1, "no name", "1.5", MONDAY), (2, "two", "1.5", MONDAY)]
    assert spark.sql("SELECT * FROM bound ORDER BY id") == rows
    HiveTable(hive, "bound").check_rows("id", rows)
    hive.sql("CREATE TABLE checked (id INT CHECK (id > 0)) " + ACID)
    with pytest.raises(StatementFailed, match="it has CHECK constraints"):
        spark.sql("INSERT INTO checked VALUES (1)")


@pytest.mark.beyond_the_gate(
    "partitioned tables; a flat one that was overwritten; "
    "what an ALTER writes: `contract/test_alters_beside_writes.py`",
    cells=["partitioned"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_hive_reads_and_changes_what_spark_overwrote_and_truncated(
    hive: HiveEngine, spark: SessionProcess, kind: str
) -> None:
    name = f"overwritten_{kind}"
    spark.sql(f"CREATE TABLE {name} {KINDS[kind]} {ACID}")
    table = HiveTable(hive, name)
    spark.sql(f"INSERT INTO {name} VALUES (1, 'one', '{MONDAY}'), (2, 'two', '{TUESDAY}')")
    rows = f"SELECT id + 10, name, day FROM {name} WHERE day = '{MONDAY}'"
    assert spark.sql(f"INSERT OVERWRITE {name} {rows}") == [(1,)]
    left = [(2, "two", TUESDAY)] if kind == "partitioned" else []
    table.check_rows("id", [*left, (11, "one", MONDAY)])

    hive.sql(f"UPDATE {name} SET name = concat(name, '!') WHERE id = 11")
    assert spark.sql(f"INSERT OVERWRITE {name} SELECT id + 10, name, day FROM {name}") == [(1 + len(left),)]
    table.check_rows("id", [*((12, "two", TUESDAY) for _ in left), (21, "one!", MONDAY)])

    spark.sql(f"TRUNCATE TABLE {name}")
    table.check_rows("id", [])
    hive.sql(f"INSERT INTO {name} VALUES (3, 'three', '{MONDAY}')")
    assert spark.sql(f"UPDATE {name} SET id = 4") == [(1,)]
    table.check_rows("id", [(4, "three", MONDAY)])


@pytest.mark.slow
def test_what_an_overwrite_that_died_left_is_removed_by_the_next_statement_or_by_doctor(
    hive: HiveEngine, spark: SessionProcess
) -> None:
    spark.sql(f"CREATE TABLE died {KINDS['flat']} {ACID}")
    spark.sql(f"INSERT INTO died VALUES (1, 'one', '{MONDAY}')")
    table, name = HiveTable(hive, "died"), TableName("default", "died")
    base = leave_base(hive, table, name)
    with pytest.raises(HiveError, match="Not enough history"):
        table.rows_plain()
    assert spark.sql("SELECT id FROM died") == [(1,)]

    spark.sql(f"INSERT INTO died VALUES (2, 'two', '{MONDAY}')")
    assert not base.exists()
    table.check_rows("id", [(1, "one", MONDAY), (2, "two", MONDAY)])

    base = leave_base(hive, table, name)
    doctor = [sys.executable, "-m", "hive_acid.cli", "doctor", "default.died", "--metastore", hive.metastore_uri]
    found = subprocess.run(doctor, capture_output=True, text=True, cwd=hive.folder)
    assert found.returncode == 1, found.stderr
    assert str(base) in found.stdout
    assert base.exists()
    assert subprocess.run([*doctor, "--fix"], stdout=subprocess.DEVNULL, cwd=hive.folder).returncode == 0
    assert not base.exists()
    table.check_rows("id", [(1, "one", MONDAY), (2, "two", MONDAY)])


def leave_base(hive: HiveEngine, table: HiveTable, name: TableName) -> Path:
    """What an overwrite leaves whose process was killed just before the commit."""
    client = ThriftMetastore(hive.metastore_uri)
    txn_id = client.open_transaction("somebody", "here", "a process that was killed")
    base = table.location() / f"base_{client.allocate_write_id(txn_id, name):07d}"
    base.mkdir()
    (base / OVERWRITE_FILE).write_text(str(txn_id))
    shutil.copy(next(table.location().glob("delta_*/bucket_00000")), base)
    client.abort(txn_id)
    client.close()
    return base


def test_hive_reads_every_type_that_spark_wrote_and_updated(hive: HiveEngine, spark: SessionProcess) -> None:
    spark.sql(f"CREATE TABLE types ({COLUMNS}) {ACID}")
    spark.sql(f"INSERT INTO types SELECT {VALUES}")
    assert spark.sql("UPDATE types SET id = id + 1") == [(1,)]
    table = HiveTable(hive, "types")
    assert table.rows_plain() == table.rows_vectorised("id") == [(2, *HIVE_ROW[1:])]
    hive.sql("UPDATE types SET id = id + 1")
    assert spark.sql("SELECT count(*) FROM types WHERE id = 3 AND ar[1] = 2 AND vc = 'vc' AND bo") == [(1,)]
