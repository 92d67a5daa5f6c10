"""The tour's chapters, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hive_acid
from hive_acid.erasure.signing import make_keys
from hive_acid_examples import changes
from hive_acid_examples.changes import Change, Counts
from hive_acid_examples.data import TABLES, TIME_ZONE, Frames
from hive_acid_examples.disk import count_rows, read_folders
from hive_acid_examples.screen import Line, Screen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

COMPACT = "ALTER TABLE flights COMPACT 'major'"
AIRPORTS = """\
SELECT origin, count(*), sum(dep_delay), sum(arr_delay), count_if(carrier = 'AA'), count(DISTINCT tailnum)
FROM flights GROUP BY origin ORDER BY origin"""
CLOCK = "SELECT count(*) FROM flights WHERE hour(time_hour) = hour"
CLEANER_S = 30.0
"""How long the tour waits for the metastore's Cleaner, which looks every five seconds."""


@dataclass
class Tour:
    """The chapters of the tour. `frames` hold what each table holds by now; wrong counts are kept in `wrong`."""

    spark: SparkSession
    screen: Screen
    warehouse: Path
    frames: Frames
    wrong: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    chapters: int = 0
    _written: list[tuple[str, Counts]] = field(default_factory=list)

    def run(self, sources: Mapping[str, Path]) -> None:
        """Tell the story; `sources` are Parquet files by name."""
        for name, path in sources.items():
            view = f"{name}_file" if name in TABLES else name
            self.spark.read.parquet(path.as_uri()).createOrReplaceTempView(view)
        self._load()
        self._delete()
        self._update()
        self._merge()
        self._commit_together()
        self._dry_run()
        self._show_history()
        self._compact()
        self._erase()
        self._read_back()
        self._sum_up()

    def _load(self) -> None:
        self._chapter("Load", "Each INSERT is one transaction. Its rows lie in a folder of their own, a delta.")
        for table, columns in TABLES.items():
            kind = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
            self.screen.statement(f"CREATE TABLE {table} ({columns.split(',')[0]}, …) {kind}")
            seconds, _ = self._timed(f"CREATE TABLE {table} ({columns}) {kind}")
            self.lines.append(Line(f"CREATE TABLE {table}", None, seconds))
            self._change(changes.build_load(table))

    def _delete(self) -> None:
        self._chapter("DELETE", "Nothing is written anew: a delete delta names the rows that are gone.")
        self._change(changes.CANCELLED)
        self._change(changes.OLD_AIRBUSES)

    def _update(self) -> None:
        self._chapter("UPDATE", "A flight that leaves up to five minutes early counts as punctual from now on.")
        self._change(changes.EARLY)

    def _merge(self) -> None:
        self._chapter("MERGE", "A feed of late corrections cancels, corrects and adds flights in one statement.")
        self._change(changes.LATE_NEWS)

    def _commit_together(self) -> None:
        self._chapter(
            "A transaction of two statements",
            "US Airways joins American. Other sessions see both changes at once, and none of them before the commit.",
        )
        other = self.spark.newSession()
        question = "SELECT count(*) FROM flights JOIN airlines USING (carrier) WHERE carrier = 'US'"
        flights, known = self.frames["flights"], set(self.frames["airlines"].carrier)
        before = int((flights.carrier == "US").sum()) if "US" in known else 0
        both = (changes.NEW_CODE, changes.OLD_NAME)
        block = "".join(f'\n    spark.sql("{change.statement}")' for change in both)
        self.screen.statement(f"with hive_acid.transaction(spark):{block}", "python")
        started = time.perf_counter()
        with hive_acid.transaction(self.spark):
            for change in both:
                self._run(change)
            found = other.sql(question).collect()[0][0]
            self._check("flights of US Airways, as another session sees them before the commit", found, before)
        found = other.sql(question).collect()[0][0]
        self._check("flights of US Airways, as it sees them afterwards", found, 0)
        self.lines.append(
            Line("both in one transaction, with the looks of the other session", None, time.perf_counter() - started)
        )

    def _dry_run(self) -> None:
        self._chapter("A dry run", "The statement is counted as if it ran. Nothing is written and no lock is kept.")
        change, folders = changes.LOOKED_AT, read_folders(self.warehouse / "flights")
        self.screen.statement(f'hive_acid.dry_run(spark, "{change.statement}")', "python")
        started = time.perf_counter()
        dry_run = hive_acid.dry_run(self.spark, change.statement)
        seconds = time.perf_counter() - started
        facts = [fact for fact in dry_run.facts() if fact[0].startswith(("rows", "lock", "blocked"))]
        self.screen.table(("", ""), facts, has_head=False)
        expected = change.apply(dict(self.frames))
        found = Counts(dry_run.rows.inserted, dry_run.rows.updated, dry_run.rows.deleted)
        self._verify("it would change", f"{found}", f"{expected}", seconds)
        self._check("folders more than before", len(set(read_folders(self.warehouse / "flights")) - set(folders)), 0)
        self.lines.append(Line("dry run of a DELETE", expected.affected, seconds))

    def _show_history(self) -> None:
        self._chapter("History", "Each statement leaves a note beside its rows. Literals are left out of its text.")
        self.screen.statement('AcidTable.forName(spark, "flights").history()', "python")
        started = time.perf_counter()
        rows = hive_acid.AcidTable.forName(self.spark, "flights").history().collect()
        seconds = time.perf_counter() - started
        self.screen.table(
            ("write ID", "operation", "inserted", "updated", "deleted", "statement"),
            [(row.writeId, row.operation, *_row_counts(row), _shorten(row.statement)) for row in rows],
        )
        found = [(row.operation, Counts(*(count or 0 for count in _row_counts(row)))) for row in reversed(rows)]
        right = sum(one == other for one, other in zip(found, self._written, strict=False))
        self._check("entries with the counts of the statements", right, max(len(found), len(self._written)), seconds)
        self.lines.append(Line("history of flights", len(rows), seconds))

    def _compact(self) -> None:
        self._chapter("Compaction", "A major compaction makes one new base of all folders. Readers go on meanwhile.")
        root = self.warehouse / "flights"
        before = read_folders(root)
        self.screen.tree("flights", before)
        self._check("rows in the files, by pyarrow", count_rows(before), len(self.frames["flights"]))
        self.screen.statement(COMPACT)
        seconds, result = self._timed(COMPACT)
        self._check("compactions done", sum(row.accepted for row in result), 1, seconds)
        self.lines.append(Line(COMPACT, len(self.frames["flights"]), seconds))
        started = time.perf_counter()
        is_clean = _wait_for(lambda: len(read_folders(root)) == 1)
        waited = time.perf_counter() - started
        self.screen.note(
            f"The metastore's Cleaner removed the old folders {waited:.0f} s later."
            if is_clean
            else f"The metastore's Cleaner has not yet removed the old folders after {waited:.0f} s."
        )
        base = [folder for folder in read_folders(root) if folder.name.startswith("base_")]
        self.screen.tree("flights", read_folders(root))
        self._check("rows in the new base, by pyarrow", count_rows(base), len(self.frames["flights"]))

    def _erase(self) -> None:
        self._chapter("Erasure", "The owner of a plane asks to be forgotten. Afterwards every file is read for them.")
        known = set(self.frames["planes"].tailnum)
        plane = next(number for number in self.frames["flights"].tailnum.value_counts().index if number in known)
        held = ("flights", "planes")
        expected = sum(int((self.frames[table].tailnum == plane).sum()) for table in held)
        folder = self.warehouse.parent / "erasure"
        hash_key, signing_key, _ = make_keys(folder)
        self.screen.statement('hive_acid.erase(spark, subjects=[…], columns=["tailnum"], tables={…}, …)', "python")
        started = time.perf_counter()
        outcome = hive_acid.erase(
            self.spark,
            subjects=[plane],
            columns=["tailnum"],
            tables={f"default.{table}": {"keys": {"tailnum": "tailnum"}} for table in held},
            hash_key=bytes.fromhex(hash_key.read_text()),
            signing_key=signing_key,
            ledger=folder / "ledger",
            certificate=folder / "certificate.json",
        )
        seconds = time.perf_counter() - started
        for table in held:
            self.frames[table] = self.frames[table][self.frames[table].tailnum != plane]
        certified = outcome.certificate.payload["tables"] if outcome.certificate else []
        erased = sum(deletion["rows"] for table in certified for deletion in table["deletions"])
        self._check("rows erased", erased, expected, seconds)
        self._check("places where something of them is left", len(outcome.verdict.places), 0)
        read = sum(len(table["files"]) for table in certified)
        self.screen.note(
            f"Each of the {read} files was read. The signed certificate says: {outcome.verdict.state.value}."
        )
        self.lines.append(Line("erasure of a plane, verified and certified", erased, seconds))

    def _read_back(self) -> None:
        self._chapter("What is left", "pandas has made the same changes. Both must agree on every number.")
        self.screen.statement(AIRPORTS)
        seconds, result = self._timed(AIRPORTS)
        found = [tuple(row) for row in result]
        columns = ("origin", "flights", "minutes late at start", "at landing", "by American", "planes")
        self.screen.table(columns, found)
        expected = _count_airports(self.frames["flights"])
        right = sum(one == other for one, other in zip(found, expected, strict=False))
        self._check("airports as in pandas", right, max(len(found), len(expected)), seconds)
        self.lines.append(Line("SELECT … GROUP BY origin", len(found), seconds))
        self.screen.statement(f"{CLOCK}  -- in {TIME_ZONE}")
        seconds, result = self._timed(CLOCK)
        self._check("flights with the right local hour", result[0][0], len(self.frames["flights"]), seconds)
        for table in ("airlines", "planes"):
            found_rows = count_rows(read_folders(self.warehouse / table))
            self._check(f"rows in the files of {table}, by pyarrow", found_rows, len(self.frames[table]))

    def _sum_up(self) -> None:
        self._chapter("Statements, rows and seconds", "Rows are those that a statement changed, or found.")
        self.screen.summary(self.lines)

    def _chapter(self, title: str, explanation: str) -> None:
        self.chapters += 1
        self.screen.chapter(self.chapters, title, explanation)

    def _change(self, change: Change) -> None:
        self.screen.statement(change.statement)
        self._run(change)

    def _run(self, change: Change) -> None:
        """Run a statement, and compare what it changed and left with what pandas did."""
        expected = change.apply(self.frames)
        seconds, result = self._timed(change.statement)
        left = self.spark.sql(f"SELECT count(*) FROM {change.table}").collect()[0][0]
        found = _find_counts(result[0].asDict(), expected)
        total = len(self.frames[change.table])
        self._verify(change.title, f"{found}, {left:,} in the table", f"{expected}, {total:,} in the table", seconds)
        if change.table == "flights":
            self._written.append((change.operation, expected))
        self.lines.append(Line(_shorten(change.statement, 62), expected.affected, seconds))

    def _timed(self, statement: str) -> tuple[float, list[Any]]:
        started = time.perf_counter()
        result = self.spark.sql(statement).collect()
        return time.perf_counter() - started, result

    def _check(self, name: str, found: int, expected: int, seconds: float | None = None) -> None:
        self._verify(name, f"{found:,}", f"{expected:,}", seconds)

    def _verify(self, name: str, found: str, expected: str, seconds: float | None) -> None:
        wrong = None if found == expected else f"{expected} expected"
        if wrong:
            self.wrong.append(f"chapter {self.chapters}, {name}: {found}, but {expected} expected")
        self.screen.result(f"{name}: {found}", wrong, seconds)


def _row_counts(row: Any) -> tuple[int | None, int | None, int | None]:
    return row.numInsertedRows, row.numUpdatedRows, row.numDeletedRows


def _find_counts(row: Mapping[str, int], expected: Counts) -> Counts:
    """The counts in Spark's row.

    An UPDATE, DELETE and INSERT tell one number, which is that of the only kind expected.
    """
    if "num_updated_rows" in row:
        return Counts(row["num_inserted_rows"], row["num_updated_rows"], row["num_deleted_rows"])
    kinds = [name for name, count in asdict(expected).items() if count] or ["updated"]
    return Counts(**{kinds[0]: row["num_affected_rows"]})


def _count_airports(flights: Any) -> Sequence[tuple[Any, ...]]:
    groups = flights.assign(american=flights.carrier == "AA").groupby("origin")
    counted = groups.agg(
        flights=("origin", "size"),
        departures=("dep_delay", "sum"),
        arrivals=("arr_delay", "sum"),
        american=("american", "sum"),
        planes=("tailnum", "nunique"),
    )
    return [(origin, *map(int, numbers)) for origin, *numbers in counted.itertuples()]


def _shorten(text: str | None, width: int = 44) -> str:
    line = " ".join((text or "").split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _wait_for(is_true: Callable[[], bool]) -> bool:
    end = time.monotonic() + CLEANER_S
    while not is_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True
