"""Runs the steps of a segment on both implementations and compares them after each."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, functions

import hive_acid
from hive_acid.errors import condition_of
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from support.acid_merge import read_rows
from support.compactor import Compactor
from support.drivers import open_transactions
from support.polling import eventually
from support.random_sql.answers import Answer, as_in_files, differing, frozen
from support.random_sql.settings import MEANING, NEUTRAL
from support.random_sql.steps import Adoption, Call, HandCompaction, Query, Segment, Settings, Step, Worker
from support.random_sql.tables import Kind, TableSpec
from support.random_sql.twins import MustFail, Twins, translate

FILES_EVERY: Final = 10
"""Steps after which the files are read by a reader of their own; they are after each compaction too."""
END_SECONDS: Final = 30.0
LONGEST_ERROR: Final = 300
BOTH_FAILED: Final = "failed in both"
REFUSED: Final = "refused as it must be"
RUN_IN: Final = "spark.hiveacid.compaction.runIn"


@dataclass(frozen=True)
class Difference:
    """What went wrong at a step."""

    step: int
    text: str

    @property
    def sort(self) -> str:
        """What it has in common with the same difference after fewer steps."""
        return re.sub(r"\W+|\d+", " ", "\n".join(line[:50] for line in self.text.splitlines()[:2]))[:90]


class Undone(Exception):
    """Ends a transaction that is to be undone."""


@dataclass
class Runner:
    """Runs segments, each in databases of its own; `seen` is the log of an extension that asks for rights."""

    spark: SparkSession
    client: ThriftMetastore
    seen: Path | None = None
    happened: Counter[str] = field(default_factory=Counter)
    """Steps by kind, and those of each that failed in both."""

    def run(self, segment: Segment) -> Difference | None:
        """The first difference, if there is one."""
        database = f"random_{uuid.uuid4().hex[:10]}"
        self.spark.sql(f"CREATE DATABASE {database}")
        self.spark.sql(f"USE {database}")
        twins = Twins(self.spark)
        try:
            for key, value in segment.settings.items():
                self.spark.conf.set(key, value)
            pair = Pair(self, database, twins)
            for number, step in enumerate(segment.steps):
                if text := pair.run(number, step):
                    return Difference(number, text)
            return self._find_left_open(len(segment.steps))
        finally:
            twins.end()
            for key in (*MEANING, *NEUTRAL):
                self.spark.conf.unset(key)
            self.spark.sql("USE default")
            self.spark.sql(f"DROP DATABASE {database} CASCADE")

    def _find_left_open(self, steps: int) -> Difference | None:
        """Reads end soon after their rows are there."""
        if eventually(lambda: not (open_transactions(self.client) or self.client.held_locks()), END_SECONDS):
            return None
        return Difference(steps - 1, f"left open: {open_transactions(self.client)} {self.client.held_locks()}")


@dataclass
class Outcome:
    """Of a statement: its result, or how it failed."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    error: Exception | None = None

    @property
    def condition(self) -> str | None:
        """Of its error."""
        return condition_of(self.error) if isinstance(self.error, PySparkException) else None

    def __str__(self) -> str:
        if self.error is None:
            return "ended well"
        return f"failed: {self.condition or type(self.error).__name__}: {str(self.error)[:LONGEST_ERROR]}"


@dataclass
class Pair:
    """Both implementations of the tables of a database."""

    runner: Runner
    database: str
    twins: Twins
    _read_lines: int = 0

    def run(self, number: int, step: Step) -> str | None:
        """What differs after the step."""
        happened = self.runner.happened
        happened[step.kind] += 1
        match step:
            case Query():
                return self._compare_query(step.query)
            case Settings():
                self._set(step)
                return None
            case Adoption():
                self._rename_files(step.table)
            case HandCompaction():
                self._compact_by_hand(step)
        wrong = self._run_block(step) if step.is_block else self._run_alone(step)
        if wrong:
            return wrong
        if isinstance(step, Worker):
            self._work()
        is_due = "COMPACT" in step.kind or number % FILES_EVERY == 0
        wrong = self.compare_tables(self.twins.names if is_due else step.tables)
        return wrong or (self.compare_files() if is_due else None)

    def _set(self, step: Settings) -> None:
        for key, value in step.changed:
            if value is None:
                self.runner.spark.conf.unset(key)
            else:
                self.runner.spark.conf.set(key, value)

    def _run_alone(self, step: Step) -> str | None:
        conf = self.runner.spark.conf
        if isinstance(step, Worker):
            conf.set(RUN_IN, "queue")
        try:
            for call in step.calls:
                mark = self.twins.mark()
                ours, theirs = self._call(call), self._apply(call)
                if ours.error or theirs.error:
                    self.twins.go_back(mark)
                    if call.refusal and ours.condition == call.refusal:
                        self.runner.happened[f"{step.kind}, {REFUSED}: {call.refusal}"] += 1
                        return None
                    return self._judge_errors(step, ours, theirs)
                if wrong := self._judge_counts(call, ours, theirs):
                    return wrong
                if wrong := self._judge_seen(call):
                    return wrong
        finally:
            conf.unset(RUN_IN)
        return None

    def _run_block(self, step: Step) -> str | None:
        mark, theirs = self.twins.mark(), Outcome()
        try:
            with hive_acid.transaction(self.runner.spark):
                for call in step.calls:
                    ours, theirs = self._call(call), self._apply(call)
                    if ours.error or theirs.error:
                        if bool(ours.error) != bool(theirs.error):
                            self.twins.go_back(mark)
                            return self._judge_errors(step, ours, theirs)
                        raise Undone
                    if wrong := self._judge_counts(call, ours, theirs) or self.compare_tables(call.tables):
                        return f"in the transaction: {wrong}"
                if step.is_undone:
                    raise Undone
        except Undone:
            self.twins.go_back(mark)
        except PySparkException as error:
            self.twins.go_back(mark)
            return self._judge_errors(step, Outcome(error=error), theirs)
        return None

    def _call(self, call: Call) -> Outcome:
        known = {"spark": self.runner.spark, "functions": functions, "hive_acid": hive_acid}
        try:
            result = eval(call.code, known)  # noqa: S307 (it is this run's own text)
            rows = [row.asDict() for row in result.collect()] if isinstance(result, DataFrame) else []
            return Outcome(rows)
        except Exception as error:  # noqa: BLE001 (every error is an outcome)
            return Outcome(error=error)

    def _apply(self, call: Call) -> Outcome:
        try:
            return Outcome([self.twins.apply(effect) for effect in call.effects])
        except (PySparkException, MustFail) as error:
            return Outcome(error=error)
        except Exception as error:  # noqa: BLE001 (before 4.0 a failed job is an error of Py4J's)
            return Outcome(error=error)

    def _judge_errors(self, step: Step, ours: Outcome, theirs: Outcome) -> str | None:
        if ours.error and theirs.error:
            self.runner.happened[f"{step.kind}, {BOTH_FAILED}: {ours.condition}"] += 1
            if type(ours.error) is not type(theirs.error) and "INTERNAL" in str(ours):
                return f"an internal error: {ours}"
            return None
        return f"here it {ours}\nin plain tables it {theirs}"

    def _judge_counts(self, call: Call, ours: Outcome, theirs: Outcome) -> str | None:
        told = ours.rows[0] if len(ours.rows) == 1 else {}
        wanted = theirs.rows[0] if len(theirs.rows) == 1 else {}
        for kind, count in wanted.items():
            found = told.get(f"num_{kind}_rows", count)
            if found != count:
                return f"told {told}, but {wanted} in plain tables"
        return None

    def _judge_seen(self, call: Call) -> str | None:
        if self.runner.seen is None or not call.asked:
            return None
        lines = self.runner.seen.read_text().splitlines() if self.runner.seen.exists() else []
        new, self._read_lines = lines[self._read_lines :], len(lines)
        return None if f"ask {call.asked}" in new else f"the extension was not asked: {call.asked}; it saw {new}"

    def _compare_query(self, query: str) -> str | None:
        ours, theirs = (self._query(text) for text in (query, translate(query)))
        if isinstance(ours, Outcome) and isinstance(theirs, Outcome):
            self.runner.happened[f"SELECT, {BOTH_FAILED}: {ours.condition}"] += 1
            return None
        if isinstance(ours, Outcome) or isinstance(theirs, Outcome):
            return f"here it {ours}\nin plain tables it {theirs}"
        return differing(ours, theirs)

    def _query(self, text: str) -> Outcome | Answer:
        try:
            frame = self.runner.spark.sql(text)
            types = tuple((field.name.lower(), field.dataType.simpleString()) for field in frame.schema.fields)
            return Answer(types, Counter(frozen(tuple(row)) for row in frame.collect()))
        except Exception as error:  # noqa: BLE001 (every error is an outcome)
            return Outcome(error=error)

    def compare_tables(self, names: Iterable[str]) -> str | None:
        for name in set(names) & set(self.twins.names):
            if wrong := self._compare_query(f"SELECT * FROM {name}"):
                return f"{name}: {wrong}"
        return None

    def compare_files(self) -> str | None:
        for name in self.twins.names:
            table = self.twins.table(name)
            if table.kind is Kind.ACID and (wrong := self._compare_files_of(table)):
                return f"the files of {name}: {wrong}"
        return None

    def _compare_files_of(self, table: TableSpec) -> str | None:
        columns = [as_in_files(column.name, column.type, column in table.keys) for column in table.columns]
        wanted = self._query(translate(f"SELECT {', '.join(columns)} FROM {table.name}"))
        assert isinstance(wanted, Answer), wanted
        try:
            rows = list(read_rows(self.runner.client, TableName(self.database, table.name)))
        except AssertionError as error:
            return str(error)
        names = [column.name for column in table.columns]
        found = Counter(frozen(tuple(row.get(name) for name in names)) for row in rows)
        return differing(Answer(wanted.types, found), wanted)

    def _rename_files(self, name: str) -> None:
        """As Hive would have named them."""
        with suppress(Exception):  # the table may be left out of a run
            location = self.runner.client.table(TableName(self.database, name)).location
            files = sorted(Path(location.removeprefix("file:")).rglob("part-*"))
            numbers: Counter[Path] = Counter()
            for file in files:
                place = numbers[file.parent]
                file.rename(file.with_name(f"{place:06d}_0"))
                numbers[file.parent] += 1
            self.runner.spark.sql(f"REFRESH TABLE {name}")

    def _compact_by_hand(self, step: HandCompaction) -> None:
        if step.table in self.twins.names:
            compactor = Compactor(self.runner.spark, self.runner.client)
            compactor.compact(TableName(self.database, step.table), step.is_major, step.hive_4, step.cleans)

    def _work(self) -> None:
        worker = attach(self.runner.spark).build_worker("random-sql")
        while worker.run_next(None) is not None:
            pass
