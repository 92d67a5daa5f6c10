"""A program that ends leaves no transaction and no lock behind, whatever its other threads are doing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import hive_acid
from hive_acid.local import EmbeddedMetastore
from integration.conftest import Tables
from support.spark_settings import SHORT_LIVED

BEGIN = """
import signal, sys, threading, time
import hive_acid
from pyspark.sql import SparkSession

settings, uri, warehouse, database = {settings!r}, {uri!r}, {warehouse!r}, {database!r}
builder = SparkSession.builder.master("local[2]").config(map=settings).config("spark.sql.warehouse.dir", warehouse)
spark = hive_acid.configure(builder, metastore=uri).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.sql("USE " + database)


def start(run, daemon=True):
    thread = threading.Thread(target=run, daemon=daemon)
    thread.start()
    return thread


def wait_until(condition):
    while not condition():
        time.sleep(0.1)


def is_locked(table, kind):
    return any(kind in row[6] for row in spark.sql("SHOW LOCKS " + table).collect())

"""
LONG = f"(SELECT int(id) FROM range({1 << 40}) WHERE id < 0)"
BUSY = f"""
def fails(run):
    try:
        run()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0], flush=True)


def update():
    fails(lambda: spark.sql("UPDATE t SET id = 9 WHERE id IN {LONG}").collect())


def block():
    def run():
        session = spark.newSession()
        session.sql("USE " + database)
        with hive_acid.transaction(session):
            session.sql("INSERT INTO written VALUES (1, 'a')")
            time.sleep(1000)
    fails(run)


def read():
    fails(lambda: spark.sql("SELECT * FROM read_only WHERE id IN {LONG}").collect())


threads = [start(update), start(block), start(read)]
wait_until(lambda: is_locked("t", "WRITE") and is_locked("written", "READ") and is_locked("read_only", "READ"))
wait_until(lambda: len(spark.sparkContext.statusTracker().getActiveJobsIds()) > 1)
print("busy", flush=True)
"""
LATE_READ = """
def read():
    threading.main_thread().join()
    print(spark.sql("SELECT count(*) FROM t").collect()[0][0], flush=True)


start(read, daemon=False)
"""
ENDS = {
    "sys.exit": "sys.exit(3)",
    "an exception": "raise ValueError('of the program')",
    "spark.stop": "spark.stop(); threads[0].join(); threads[2].join()",
    "a restart": "time.sleep(1); signal.raise_signal(signal.SIGINT)",
}


def run_program(
    tables: Tables, metastore: EmbeddedMetastore, folder: Path, text: str, settings: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """The exit code of such a program, and what it has written to its output and its error output."""
    begin = BEGIN.format(
        settings={**SHORT_LIVED, "spark.local.dir": str(folder), **(settings or {})},
        uri=metastore.uri,
        warehouse=metastore.warehouse.as_uri(),
        database=tables.database,
    )
    (folder / "program.py").write_text(begin + text)
    home = str(Path(hive_acid.__file__).parent.parent)
    ran = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": home, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return ran.returncode, ran.stdout, ran.stderr


def create(tables: Tables, *names: str) -> None:
    """Tables with the rows 1 and 2."""
    for name in names:
        tables.create(name)
        tables.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")


def assert_nothing_is_open(tables: Tables) -> None:
    assert tables.open_transactions() == []
    assert tables.client.held_locks() == []


def test_a_read_that_ends_after_the_main_thread_ends_without_a_word(
    tables: Tables, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    create(tables, "t")
    code, out, err = run_program(tables, metastore, tmp_path, LATE_READ)
    assert (code, out) == (0, "2\n")
    assert "hive_acid" not in err.lower()
    assert "Traceback" not in err
    assert_nothing_is_open(tables)


@pytest.mark.beyond_the_gate(
    "`unit/spark/test_cancellation.py`, `unit/execution/test_ended_applications.py`", but=["spark.stop"]
)
@pytest.mark.parametrize("end", ENDS)
def test_a_program_that_ends_ends_its_statements_blocks_and_reads(
    tables: Tables, metastore: EmbeddedMetastore, tmp_path: Path, end: str
) -> None:
    create(tables, "t", "read_only", "written")
    code, out, err = run_program(tables, metastore, tmp_path, BUSY + ENDS[end])
    assert_nothing_is_open(tables)
    assert "busy" in out, err
    assert "INTERNAL" not in out + err
    assert code == {"sys.exit": 3, "spark.stop": 0}.get(end, code), err
    if end == "spark.stop":
        statement = next(line for line in out.splitlines() if "HIVE_ACID_CANCELLED" in line)
        assert "Nothing it wrote is visible" in statement
        assert "HIVE_ACID" not in err
    for name in ("t", "read_only", "written"):
        assert tables.sql(f"SELECT * FROM {name} ORDER BY id") == [(1, "a"), (2, "b")]
