"""Runs input files, each in a database of its own, and compares or records what comes out."""

from __future__ import annotations

import random
import re
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hive_acid.testing.errors import SuiteError
from hive_acid.testing.failures import StatementFailed
from hive_acid.testing.golden import QueryResult, Recorded, diff_golden, format_golden, parse_golden
from hive_acid.testing.inputs import InputStatement, Recording, Settings, TestInput, load_input
from hive_acid.testing.masking import mask_row, mask_text
from hive_acid.testing.session import Session, SessionFactory
from hive_acid.testing.suite import SuiteFile
from hive_acid.testing.table_files import dump_rows, list_files, local_folder

DEFAULT_SETTINGS: Settings = (
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.maxMetadataStringLength", "100000"),  # plans cut long locations off, so that they could not be masked
)
NO_SCHEMA = "struct<>"
_RECORDERS = {Recording.FILES: list_files, Recording.ROWS: dump_rows}


class Verdict(Enum):
    """How a file ended."""

    PASSED = "passed"
    DIFFERS = "differs"
    BROKEN = "broken"
    UPDATED = "updated"


@dataclass(frozen=True)
class Report:
    """One file's end; `text` is the diff, or the reason why it could not be run."""

    name: str
    verdict: Verdict
    seconds: float
    text: str = ""

    @property
    def is_good(self) -> bool:
        """True unless somebody has to look at it."""
        return self.verdict in (Verdict.PASSED, Verdict.UPDATED)


def run_suite(
    files: Sequence[SuiteFile],
    sessions: SessionFactory,
    seed: int,
    is_update: bool,
    tell: Callable[[Report], None],
) -> list[Report]:
    """Runs the files in an order that `seed` decides, one report each, told as it comes."""
    order = list(files)
    random.Random(seed).shuffle(order)
    reports = []
    for file in order:
        reports.append(update_file(file, sessions) if is_update else check_file(file, sessions))
        tell(reports[-1])
    return reports


def check_file(file: SuiteFile, sessions: SessionFactory) -> Report:
    """Runs the file with all its choices of settings and compares with the recorded result."""
    return _reported(file, lambda: _check(file, sessions))


def update_file(file: SuiteFile, sessions: SessionFactory) -> Report:
    """Records the result of the file, reads it back, and checks that its other choices of settings agree."""
    return _reported(file, lambda: _update(file, sessions))


def _reported(file: SuiteFile, work: Callable[[], tuple[Verdict, str]]) -> Report:
    started = time.monotonic()
    try:
        verdict, text = work()
    except SuiteError as error:
        verdict, text = Verdict.BROKEN, str(error)
    return Report(file.name, verdict, time.monotonic() - started, text)


def _check(file: SuiteFile, sessions: SessionFactory) -> tuple[Verdict, str]:
    test = load_input(file.input)
    if not file.result.is_file():
        raise SuiteError(f"{file.result} is missing: record it with `hive-acid sqltest update`")
    expected = parse_golden(_read(file.result), str(file.result))
    for settings in test.runs():
        if difference := _difference(file, test, expected, settings, sessions):
            return Verdict.DIFFERS, difference
    return Verdict.PASSED, ""


def _update(file: SuiteFile, sessions: SessionFactory) -> tuple[Verdict, str]:
    test = load_input(file.input)
    first, *others = test.runs()
    results, _ = run_input(test, first, sessions, file.name)
    text = format_golden(results, str(file.result))
    is_new = not file.result.is_file() or _read(file.result) != text
    file.result.parent.mkdir(parents=True, exist_ok=True)
    file.result.write_bytes(text.encode())
    expected = parse_golden(_read(file.result), str(file.result))
    for settings in others:
        if difference := _difference(file, test, expected, settings, sessions):
            return Verdict.DIFFERS, difference
    return (Verdict.UPDATED, "") if is_new else (Verdict.PASSED, "")


def _difference(
    file: SuiteFile, test: TestInput, expected: Sequence[QueryResult], settings: Settings, sessions: SessionFactory
) -> str:
    """The diff of one run, with the whole text of errors that were not expected."""
    actual, messages = run_input(test, settings, sessions, file.name)
    difference = diff_golden(expected, actual, file.name)
    if not difference:
        return ""
    unexpected = [
        f"statement {index + 1} failed: {message}"
        for index, message in messages.items()
        if index >= len(expected) or expected[index] != actual[index]
    ]
    varied = settings[len(test.settings) :]
    with_settings = ["with " + ", ".join(f"{key}={value}" for key, value in varied)] if varied else []
    return "\n".join([*with_settings, difference, *unexpected])


def run_input(
    test: TestInput, settings: Settings, sessions: SessionFactory, name: str
) -> tuple[list[QueryResult], dict[int, str]]:
    """The results of all statements, run in a new database that is dropped afterwards.

    With them the whole messages of those that failed, by index. Raises SuiteError if the database cannot be made or
    dropped, or if what is to be recorded cannot be read.
    """
    database = f"sqltest_{re.sub(r'[^a-z0-9]', '_', name.lower())}_{uuid.uuid4().hex[:8]}"
    session = sessions.open(DEFAULT_SETTINGS + settings)
    _prepare(session, f"CREATE DATABASE {database}", f"USE {database}")
    messages: dict[int, str] = {}
    try:
        results = []
        for index, statement in enumerate(test.statements):
            result, message = _run_statement(session, statement, database)
            results.append(result)
            if message is not None:
                messages[index] = message
    finally:
        _prepare(session, "USE default", f"DROP DATABASE {database} CASCADE")
    return results, messages


def _run_statement(session: Session, statement: InputStatement, database: str) -> tuple[QueryResult, str | None]:
    message = None
    try:
        answer = session.run(statement.text)
    except StatementFailed as error:
        schema, output, message = NO_SCHEMA, error.format(database), str(error)
    else:
        mask = mask_text if answer.is_command else mask_row
        schema, output = mask(answer.schema, database), "\n".join(mask(row, database) for row in answer.rows)
    recorded = tuple(_record(session, kind, table, database) for kind, table in statement.recordings)
    return QueryResult(statement.text, schema, output, recorded), message


def _record(session: Session, kind: Recording, table: str, database: str) -> Recorded:
    try:
        folder = local_folder(session.location(table))
    except StatementFailed as error:
        raise SuiteError(f"--{kind.name} {table}: {error}") from error
    if not folder.is_dir():
        raise SuiteError(f"--{kind.name} {table}: {folder} is not there, or not on this machine")
    return Recorded(f"{kind.value} {table}", _RECORDERS[kind](Path(folder), database))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()  # not as text, which would turn \r into \n
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: cannot be read: {error}") from error


def _prepare(session: Session, *statements: str) -> None:
    for statement in statements:
        try:
            session.run(statement)
        except StatementFailed as error:
            raise SuiteError(f"{statement} failed: {error}") from error
