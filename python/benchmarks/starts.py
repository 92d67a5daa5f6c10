"""How long a first statement and each command take, from the start of their process: `./dev bench starts`.

Processes are started one after the other, in rounds; medians are printed. Processor seconds are not: nobody waits for
the JVM that a process leaves, so that Linux gives its time to none. The baseline is a session of plain Spark that
reads a table of a Hive metastore, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from measures import ensure_equal, timed
from workbench import build_session

from hive_acid.local import EmbeddedMetastore

_PLAIN = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").enableHiveSupport().config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
spark = builder.config("spark.hadoop.hive.metastore.uris", "{uri}").getOrCreate()
assert spark.sql("SELECT count(*) FROM {table}").first()[0] == 3
spark.stop()
"""
_OURS = """
import hive_acid
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
spark = hive_acid.configure(builder{metastore}).getOrCreate()
{statement}
spark.stop()
"""
_READ = 'assert spark.sql("SELECT count(*) FROM {table}").first()[0] == 3'
_WRITE = 'spark.sql("UPDATE {table} SET v = v + 1 WHERE id = 1")'
_NEW = """spark.sql("CREATE TABLE t (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
spark.sql("INSERT INTO t VALUES (1)")"""

_ANSWERS = (1, 3, 4, 5)
"""Codes by which a command answers; 2 is a failure."""


def build_programs(uri: str) -> Mapping[str, Sequence[str]]:
    """The processes that are measured, by what they are; the first one is the baseline."""
    command = [sys.executable, "-m", "hive_acid.cli"]
    given = f', metastore="{uri}"'

    def ours(statement: str, metastore: str) -> list[str]:
        return [sys.executable, "-c", _OURS.format(metastore=metastore, statement=statement)]

    return {
        "plain Spark, SELECT": [sys.executable, "-c", _PLAIN.format(uri=uri, table="flat")],
        "SELECT, a metastore that runs": ours(_READ.format(table="acid"), given),
        "UPDATE, a metastore that runs": ours(_WRITE.format(table="acid"), given),
        "CREATE and INSERT, embedded": ours(_NEW, ""),
        "hive-acid --version": [*command, "--version"],
        "hive-acid --help": [*command, "--help"],
        "hive-acid settings": [*command, "settings", "--metastore", uri],
        "hive-acid txn status": [*command, "txn", "status", "1", "--metastore", uri],
        "hive-acid doctor": [*command, "doctor", "--metastore", uri],
    }


def start(command: Sequence[str], folder: Path) -> None:
    """Runs a process to its end."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in ((0, *_ANSWERS) if "hive_acid.cli" in command else (0,)):
        raise AssertionError(f"{command[-1]}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def prepare(uri: str, warehouse: Path, folder: Path) -> None:
    """The tables that the processes find."""
    spark = build_session(uri, warehouse, folder, "1g")
    for table, clause in {"acid": "TBLPROPERTIES ('transactional'='true')", "flat": ""}.items():
        spark.sql(f"CREATE TABLE {table} (id INT, v INT) STORED AS ORC {clause}")
        spark.sql(f"INSERT INTO {table} VALUES (1, 1), (2, 2), (3, 3)")
        ensure_equal("rows", spark.table(table).count(), 3)
    spark.stop()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints. Returns 0; raises when a process fails."""
    parser = argparse.ArgumentParser(prog="./dev bench starts", description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count (default: %(default)s)")
    rounds = parser.parse_args(arguments).rounds
    with tempfile.TemporaryDirectory(prefix="hive-acid-starts-") as name:
        folder = Path(name)
        with EmbeddedMetastore.start(folder / "metastore") as metastore:
            prepare(metastore.uri, metastore.warehouse, folder)
            programs = build_programs(metastore.uri)
            spent: dict[str, list[float]] = {title: [] for title in programs}
            for number in range(rounds + 1):
                for title, command in programs.items():
                    taken = timed(partial(start, command, folder))
                    if number:
                        spent[title].append(taken)
    print(f"load average {os.getloadavg()[0]:.1f}, {rounds} rounds, medians")
    medians = {title: median(taken) for title, taken in spent.items()}
    baseline, *_ = medians.values()
    for title, seconds in medians.items():
        print(f"  {title:<34}{seconds:8.2f} s{seconds - baseline:+8.2f} s by plain Spark")
    return 0


if __name__ == "__main__":
    sys.exit(main())
