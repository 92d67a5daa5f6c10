"""An erasure beside a real Hive: its Worker and Cleaner take part in it, and it reads and writes on what is left."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hive_acid
from hive_acid_erasure.certificate.signing import make_keys
from hive_acid_erasure.run import Outcome
from interop.hive_engine import HIVE_VERSIONS, HiveEngine, HiveError
from interop.hive_table import HiveTable
from interop.releases import cases_of_releases
from interop.spark_beside import session_beside

pytestmark = [pytest.mark.interop, pytest.mark.slow]

ADA = "ada.lovelace@example.org"
SERVICES = {
    "hive.compactor.initiator.on": "true",
    "hive.compactor.cleaner.on": "true",
    "metastore.compactor.cleaner.on": "true",
    "metastore.compactor.initiator.on": "true",
}
"""An erasure waits for a Cleaner only where the settings tell of one; their passes are run by `served`."""
FULL = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY = "'transactional'='true', 'transactional_properties'='insert_only'"
TABLES = {
    "flat": f"(id INT, email STRING, day STRING) {FULL}",
    "partitioned": f"(id INT, email STRING) PARTITIONED BY (day STRING) {FULL}",
    "bucketed": f"(id INT, email STRING, day STRING) CLUSTERED BY (id) INTO 2 BUCKETS {FULL}",
    "originals": "(id INT, email STRING, day STRING) STORED AS ORC TBLPROPERTIES ('transactional'='false')",
    "insert_only": f"(id INT, email STRING) PARTITIONED BY (day STRING) STORED AS ORC TBLPROPERTIES ({INSERT_ONLY})",
    "insert_only_parquet": f"(id INT, email STRING, day STRING) STORED AS PARQUET TBLPROPERTIES ({INSERT_ONLY})",
    "insert_only_bucketed": "(id INT, email STRING, day STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC "
    f"TBLPROPERTIES ({INSERT_ONLY})",
}


@pytest.fixture(scope="module", params=HIVE_VERSIONS, ids=lambda version: f"hive-{version}")
def hive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveEngine]:
    folder = tmp_path_factory.mktemp(f"hive-{request.param}")
    with HiveEngine.started(request.param, folder, settings=SERVICES) as engine:
        yield engine


@pytest.fixture(scope="module")
def spark(hive: HiveEngine, no_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    with session_beside(hive, tmp_path_factory.mktemp("spark"), "UTC") as session:
        yield session


@contextmanager
def served(hive: HiveEngine) -> Iterator[None]:
    """Hive's Worker and Cleaner look into the queue again and again within the block, which must not ask Hive."""
    ended = threading.Event()
    failures: list[HiveError] = []

    def serve() -> None:
        while not ended.wait(0.3):
            try:
                for request in ("!worker", "!cleaner"):
                    hive.sql(request)
            except HiveError as error:
                failures.append(error)
                return

    server = threading.Thread(target=serve, name="hive-services")
    server.start()
    try:
        yield
    finally:
        ended.set()
        server.join()
    assert failures == []


def erase(spark: SparkSession, folder: Path, name: str) -> Outcome:
    hash_file, signing_file, _ = make_keys(folder / "keys")
    return hive_acid.erase(
        spark,
        subjects=[ADA],
        columns=["email"],
        tables={f"default.{name}": {"keys": {"email": "lower(email)"}}},
        hash_key=bytes.fromhex(hash_file.read_text()),
        signing_key=signing_file,
        ledger=folder / "ledger",
        certificate=folder / "certificate.json",
    )


ON_3_1_3 = ("flat", "partitioned", "originals", "insert_only")
"""Buckets and formats are found, deleted and folded here alike, whatever the release."""


@cases_of_releases(
    ("name",), [*(("3.1.3", name, (name,)) for name in ON_3_1_3), *(("4.1.0", name, (name,)) for name in TABLES)]
)
def test_hive_reads_what_an_erasure_has_left_and_writes_on(
    hive: HiveEngine, spark: SparkSession, tmp_path: Path, name: str
) -> None:
    table, days = HiveTable(hive, name), ("mon", "tue")
    hive.sql(f"CREATE TABLE {name} {TABLES[name]}")
    rows = [(id_, ADA if id_ % 5 == 0 else f"n{id_}", days[id_ % 2]) for id_ in range(20)]
    values = ", ".join(str(row) for row in rows)
    partition = "PARTITION (day)" if "PARTITIONED" in TABLES[name] else ""
    hive.sql(f"INSERT INTO {name} {partition} VALUES {values}")
    if name == "originals":
        hive.sql("SET hive.input.format=org.apache.hadoop.hive.ql.io.HiveInputFormat")  # no other reads originals
        # Hive 4 has made an external table of it
        hive.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('EXTERNAL'='FALSE', 'transactional'='true')")
    spark.sql(f"INSERT INTO {name} VALUES (20, '{ADA.upper()}', 'mon'), (21, 'n21', 'tue')")
    if "insert_only" not in name:
        hive.sql(f"UPDATE {name} SET email = upper(email) WHERE id IN (1, 5)")
        hive.sql(f"DELETE FROM {name} WHERE id IN (10, 11)")
    with served(hive):
        outcome = erase(spark, tmp_path, name)
    assert outcome.verdict.state.value == "erased", outcome.verdict
    left = sorted(tuple(row) for row in spark.table(name).collect())
    deleted = set() if "insert_only" in name else {11}
    assert {row[0] for row in left} == {id_ for id_ in range(22) if id_ % 5} - deleted
    if "parquet" in name:  # Hive's plan of a vectorised read of Parquet is not told as that of ORC is
        assert sorted(table.rows_plain()) == table.rows_by_row_job("id") == left
    else:
        table.check_rows("id", left)

    hive.sql(f"INSERT INTO {name} {partition} VALUES (30, 'n30', 'mon'), (31, 'n31', 'wed')")
    left = [*left, (30, "n30", "mon"), (31, "n31", "wed")]
    if "insert_only" not in name:
        hive.sql(f"UPDATE {name} SET email = 'changed' WHERE id IN (2, 30)")
        hive.sql(f"DELETE FROM {name} WHERE id = 3")
        left = [(row[0], "changed" if row[0] in (2, 30) else row[1], row[2]) for row in left if row[0] != 3]
    assert sorted(tuple(row) for row in spark.table(name).collect()) == left
    assert sorted(table.rows_plain()) == left
