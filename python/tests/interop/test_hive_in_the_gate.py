"""The part of the interop tests that every change must pass: one Hive engine beside one Spark session.

Of the two releases the faster one. The session is a process of its own, since that of the other tests may be running.
"""

from collections.abc import Iterator

import pytest

from interop.all_types import COLUMNS, HIVE_ROW, VALUES
from interop.hive_engine import HiveEngine
from interop.hive_jars import EngineUnavailable, hive_installation
from interop.hive_table import HiveTable
from support.session_process import SessionProcess

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


def test_hive_reads_every_type_that_spark_wrote_and_updated(hive: HiveEngine, spark: SessionProcess) -> None:
    spark.sql(f"CREATE TABLE types ({COLUMNS}) {ACID}")
    spark.sql(f"INSERT INTO types SELECT {VALUES}")
    assert spark.sql("UPDATE types SET id = id + 1") == [(1,)]
    table = HiveTable(hive, "types")
    assert table.rows_plain() == table.rows_vectorised("id") == [(2, *HIVE_ROW[1:])]
    hive.sql("UPDATE types SET id = id + 1")
    assert spark.sql("SELECT count(*) FROM types WHERE id = 3 AND ar[1] = 2 AND vc = 'vc' AND bo") == [(1,)]
