"""Statements that are called off: one condition at whatever moment, and nothing is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import hive_acid
from hive_acid.local import EmbeddedMetastore
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.session.session import attach
from integration.conftest import Tables
from support.polling import eventually
from support.spark_settings import SHORT_LIVED

STATEMENTS = {
    "insert": "INSERT INTO {t} SELECT slow(id), 1 FROM range(0, 4000, 1, 2)",
    "overwrite": "INSERT OVERWRITE {t} SELECT slow(id), 1 FROM range(0, 4000, 1, 2)",
    "update": "UPDATE {t} SET v = slow(id)",
    "delete": "DELETE FROM {t} WHERE slow(id) >= 0",
    "merge": "MERGE INTO {t} t USING (SELECT slow(id) id FROM range(0, 4000, 1, 2)) s ON t.id = s.id "
    "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.id, 1)",
    "in a transaction": "INSERT INTO {t} SELECT slow(id), 1 FROM range(0, 4000, 1, 2)",
}
WAYS: dict[str, Callable[[Any], None]] = {
    "group": lambda context: context.cancelJobGroup("mine"),
    "tag": lambda context: context.cancelJobsWithTag("mine"),
    "all": lambda context: context.cancelAllJobs(),
}


@pytest.fixture
def table(tables: Tables, spark: SparkSession, tmp_path: Path) -> str:
    """Its name; `slow` tells by the file `begun` that it runs."""
    begun = str(tmp_path / "begun")

    def slow(value: int) -> int:
        import time

        with Path(begun).open("w"):
            time.sleep(0.02)
        return value

    spark.udf.register("slow", slow, "bigint")
    tables.create("t", "id BIGINT, v BIGINT")
    tables.sql("INSERT INTO t SELECT id, 0 FROM range(0, 2000, 1, 2)")
    return f"{tables.database}.t"


def assert_undone(tables: Tables) -> None:
    assert tables.sql("SELECT count(*), sum(v) FROM t") == [(2_000, 0)]
    assert [path.name for path in tables.location("t").iterdir() if path.name.startswith(STAGING_PREFIX)] == []
    assert eventually(lambda: tables.open_transactions() == [])


def run(spark: SparkSession, kind: str, table: str) -> None:
    """In a job group and under a job tag of its own."""
    context = spark.sparkContext
    context.setJobGroup("mine", "to be cancelled")
    context.addJobTag("mine")
    if kind == "in a transaction":
        with hive_acid.transaction(spark.newSession()) as block:
            block._spark.sql(STATEMENTS[kind].format(t=table))
    else:
        spark.sql(STATEMENTS[kind].format(t=table))


def cancelled(spark: SparkSession, kind: str, table: str, meanwhile: Callable[[], None]) -> PySparkException:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run, spark, kind, table)
        meanwhile()
        with pytest.raises(PySparkException) as raised:
            running.result(timeout=120)
    return raised.value


@pytest.mark.beyond_the_gate(
    "`cancelJobGroup` and Ctrl-C in `integration/faults/test_matrix.py`; a tag; where Spark has no job",
    but=["insert-tag"],
)
@pytest.mark.parametrize(
    ("kind", "way"),
    [*((kind, "group") for kind in STATEMENTS if kind != "in a transaction"), ("insert", "tag"), ("insert", "all")],
)
def test_in_its_job(tables: Tables, spark: SparkSession, table: str, tmp_path: Path, kind: str, way: str) -> None:
    def cancel() -> None:
        assert eventually((tmp_path / "begun").exists, 300)
        WAYS[way](spark.sparkContext)

    error = cancelled(spark, kind, table, cancel)
    assert (error.getCondition(), error.getSqlState()) == ("HIVE_ACID_CANCELLED", "57014")
    assert_undone(tables)


@pytest.mark.parametrize("moment", ["before its job", "while it publishes"])
def test_where_spark_has_no_job_of_it(
    tables: Tables, spark: SparkSession, table: str, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    attachment = attach(spark)
    owner, name = {
        "before its job": (attachment.metastore, "allocate_write_id"),
        "while it publishes": (attachment.file_system, "write_text"),
    }[moment]
    real = getattr(owner, name)

    def call(*args: Any) -> Any:
        spark.sparkContext.cancelJobGroup("mine")
        return real(*args)

    monkeypatch.setattr(owner, name, call)
    monkeypatch.setitem(STATEMENTS, "quick", "INSERT INTO {t} VALUES (1, 1)")
    error = cancelled(spark, "quick", table, lambda: None)
    assert (error.getCondition(), error.getSqlState()) == ("HIVE_ACID_CANCELLED", "57014")
    monkeypatch.undo()
    assert_undone(tables)


@pytest.mark.beyond_the_gate("jobs that are cancelled: the other tests of the file")
def test_a_stream_that_is_stopped_in_a_statement(
    tables: Tables, spark: SparkSession, table: str, tmp_path: Path
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "one.json").write_text('{"id": 1}\n')

    def merge(batch: DataFrame, _: int) -> None:
        batch.sparkSession.sql(STATEMENTS["merge"].format(t=table))

    stream = spark.readStream.schema("id BIGINT").json(str(source))
    query = stream.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).foreachBatch(merge).start()
    assert eventually((tmp_path / "begun").exists, 300)
    query.stop()
    assert "StackOverflowError" not in str(query.exception())
    assert_undone(tables)


CHILD = """
import sys
import hive_acid
from pyspark.sql import SparkSession

def slow(value):
    import time
    with open("begun", "w"):
        time.sleep(0.02)
    return value

spark = hive_acid.configure(SparkSession.builder.config(map={conf}), metastore="{uri}").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.udf.register("slow", slow, "bigint")
print("BEGINS", file=sys.stderr, flush=True)
spark.sql("{statement}")
"""


@pytest.mark.beyond_the_gate("`integration/faults/test_matrix.py`: Ctrl-C in a DELETE, `cancelJobGroup`; a tag")
def test_ctrl_c_in_its_job(
    tables: Tables, spark: SparkSession, table: str, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    conf = {**SHORT_LIVED, "spark.master": "local[2]", "spark.sql.warehouse.dir": metastore.warehouse.as_uri()}
    statement = STATEMENTS["insert"].format(t=table)
    (tmp_path / "child.py").write_text(CHILD.format(conf=conf, uri=metastore.uri, statement=statement))
    home = str(Path(hive_acid.__file__).parent.parent)
    with (tmp_path / "printed").open("wb") as printed:
        child = subprocess.Popen(
            [sys.executable, "child.py"],
            cwd=tmp_path,
            stderr=printed,
            env={**os.environ, "PYTHONPATH": home, "PYSPARK_PYTHON": sys.executable},
        )
    try:
        assert eventually((tmp_path / "begun").exists, 300)
        started = time.monotonic()
        child.send_signal(signal.SIGINT)
        child.wait(120)
        assert time.monotonic() - started < 60
    finally:
        child.kill()
    lines = (tmp_path / "printed").read_text().split("BEGINS\n")[1].splitlines()
    assert lines[-1] == "KeyboardInterrupt"
    own = [line for line in lines if line.startswith("Traceback")]
    # py4j tells of its own, once for each connection that the interrupt has broken off
    of_py4j = [line for line in lines if line.startswith("ERROR:py4j")]
    assert len(own) <= 1 + 2 * len(of_py4j), lines
    assert len(lines) < 40 * (1 + len(of_py4j)), lines
    assert_undone(tables)
