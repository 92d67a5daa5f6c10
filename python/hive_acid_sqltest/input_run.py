"""One run of an input file: its statements, in their sessions, in a database of its own."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.failures import StatementFailed
from hive_acid_sqltest.golden import NO_SCHEMA, QueryResult, Recorded
from hive_acid_sqltest.input.expectations import Outcome
from hive_acid_sqltest.input.values import MAIN_SESSION, InputStatement, Recording, Settings, TestInput, Variant
from hive_acid_sqltest.interleaving import Interleaving
from hive_acid_sqltest.masking import mask_answer, mask_row, mask_text
from hive_acid_sqltest.session import Answer, Session, SessionFactory
from hive_acid_sqltest.table_files import dump_notes, dump_rows, list_files, local_folder

DEFAULT_SETTINGS: Settings = (
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.maxMetadataStringLength", "100000"),  # plans cut long locations off, so that they could not be masked
)
_RECORDERS = {Recording.FILES: list_files, Recording.ROWS: dump_rows, Recording.HISTORY: dump_notes}


@dataclass(frozen=True)
class StatementRun:
    """A statement as it ran: what is recorded of it, how it ended, and the whole message of its error."""

    statement: InputStatement
    result: QueryResult
    outcome: Outcome
    message: str = ""

    @property
    def fault(self) -> str:
        """How it ended otherwise than its input expects; empty if it does not expect anything else."""
        expected = self.statement.expectation
        return expected.find_fault(self.outcome) if expected else ""


def run_input(test: TestInput, variant: Variant, sessions: SessionFactory, name: str) -> list[StatementRun]:
    """All statements, run in a new database that is dropped afterwards.

    Raises SuiteError if the database cannot be made or dropped, or if what is to be recorded cannot be read.
    """
    run = _Run(test, variant, sessions, f"sqltest_{re.sub(r'[^a-z0-9]', '_', name.lower())}_{uuid.uuid4().hex[:8]}")
    run.begin()
    try:
        run.statements()
    finally:
        run.end()
    return run.done


class _Run:
    def __init__(self, test: TestInput, variant: Variant, sessions: SessionFactory, database: str) -> None:
        self._test = test
        self._variant = variant
        self._factory = sessions
        self._database = database
        self._sessions = {MAIN_SESSION: self._open()}
        self._interleaving = Interleaving()
        self.done: list[StatementRun] = []

    def begin(self) -> None:
        _prepare(self._sessions[MAIN_SESSION], f"CREATE DATABASE {self._database}", f"USE {self._database}")

    def end(self) -> None:
        self._interleaving.abandon()
        main = self._sessions[MAIN_SESSION]
        _prepare(main, "USE default", f"DROP DATABASE {self._database} CASCADE")

    def statements(self) -> None:
        for statement in self._test.statements:
            if statement.continues:
                self._interleaving.go_on(statement.continues)
                for name in statement.continues:
                    self._add(replace(statement, text=f"--CONTINUE {name}", session=name, continues=()), self._settle)
            elif self._test.is_interleaved:
                self._add(statement, self._start)
            else:
                self._add(statement, self._run)
        self._interleaving.end()

    def _run(self, statement: InputStatement) -> Answer:
        return self._session(statement.session).run(self._variant.fill(statement.text))

    def _start(self, statement: InputStatement) -> Answer:
        name, text = statement.session, self._variant.fill(statement.text)
        self._interleaving.start(name, self._session(name), text, statement.hold)
        return self._settle(statement)

    def _settle(self, statement: InputStatement) -> Answer:
        return self._interleaving.settle(statement.session)

    def _add(self, statement: InputStatement, work: Callable[[InputStatement], Answer]) -> None:
        """Does the work and adds how it ended."""
        recorded: list[Recorded] = []
        message = ""
        try:
            answer = work(statement)
        except StatementFailed as error:
            message, outcome = str(error), Outcome(error=error.condition or error.exception_class)
            schema, output = NO_SCHEMA, self._masked([error.format(self._database)])
        else:
            outcome = Outcome(answer.rows)
            schema = (mask_text if answer.is_command else mask_row)(answer.schema, self._database)
            output = self._masked(self._rows(answer))
            if self._is_hashed(answer):
                output = f"{len(answer.rows)} rows hashing to {hashlib.sha256(output.encode()).hexdigest()}"
            else:
                recorded += _count_rows(answer, output)
        session = self._sessions[statement.session]
        recorded += [self._record(session, kind, table) for kind, table in statement.recordings]
        result = QueryResult(statement.text, schema, output, tuple(recorded), statement.session)
        self.done.append(StatementRun(statement, result, outcome, message))

    def _is_hashed(self, answer: Answer) -> bool:
        most = self._test.recorder.most_rows
        return most is not None and not answer.is_command and len(answer.rows) > most

    def _rows(self, answer: Answer) -> list[str]:
        if answer.is_command:
            return mask_answer(answer.schema, answer.rows, self._database)
        return [mask_row(row, self._database) for row in answer.rows]

    def _masked(self, rows: Sequence[str]) -> str:
        output = "\n".join(rows)
        for mask in self._test.recorder.masks:
            output = mask.sub("{masked}", output)
        return output

    def _open(self) -> Session:
        return self._factory.open(DEFAULT_SETTINGS + self._variant.settings)

    def _session(self, name: str) -> Session:
        if name not in self._sessions:
            self._sessions[name] = self._open()
            _prepare(self._sessions[name], f"USE {self._database}")
        return self._sessions[name]

    def _record(self, session: Session, kind: Recording, table: str) -> Recorded:
        try:
            folder = local_folder(session.location(table))
        except StatementFailed as error:
            raise SuiteError(f"--{kind.name} {table}: {error}") from error
        if not folder.is_dir():
            raise SuiteError(f"--{kind.name} {table}: {folder} is not there, or not on this machine")
        return Recorded(f"{kind.value} {table}", _RECORDERS[kind](Path(folder), self._database))


def _count_rows(answer: Answer, output: str) -> list[Recorded]:
    """The number of a query's rows where it is not that of the lines, as of one row with an empty text."""
    lines = len(output.split("\n")) if output else 0
    return [] if answer.is_command or len(answer.rows) == lines else [Recorded("count", str(len(answer.rows)))]


def _prepare(session: Session, *statements: str) -> None:
    for statement in statements:
        try:
            session.run(statement)
        except StatementFailed as error:
            raise SuiteError(f"{statement} failed: {error}") from error
