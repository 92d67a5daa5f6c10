"""Runs input files, and compares or records what comes out."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.golden import QueryResult, diff_golden, format_golden, parse_golden
from hive_acid_sqltest.input_run import run_input
from hive_acid_sqltest.inputs import TestInput, Variant
from hive_acid_sqltest.parsing import load_input
from hive_acid_sqltest.session import SessionFactory
from hive_acid_sqltest.suite import SuiteFile

REGENERATE = "SPARK_GENERATE_GOLDEN_FILES"
"""The environment variable, Spark's, that with the value 1 has results recorded instead of compared."""


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


Tell = Callable[[Report], None]


def order_files(files: Sequence[SuiteFile], seed: int) -> list[SuiteFile]:
    """The files in the order that `seed` decides."""
    order = list(files)
    random.Random(seed).shuffle(order)
    return order


def run_suite(files: Sequence[SuiteFile], sessions: SessionFactory, is_update: bool, tell: Tell) -> list[Report]:
    """Runs the files one after the other, one report each, told as it comes."""
    reports = []
    for file in files:
        reports.append(run_file(file, sessions, is_update))
        tell(reports[-1])
    return reports


def is_recording() -> bool:
    """Whether the environment asks for results to be recorded."""
    return os.environ.get(REGENERATE) == "1"


def run_file(file: SuiteFile, sessions: SessionFactory, is_update: bool) -> Report:
    """Records or checks the file."""
    return update_file(file, sessions) if is_update else check_file(file, sessions)


def check_file(file: SuiteFile, sessions: SessionFactory) -> Report:
    """Runs the file with every choice of its dimensions and compares with the recorded result."""
    return _reported(file, lambda: _check(file, sessions))


def update_file(file: SuiteFile, sessions: SessionFactory) -> Report:
    """Records the result of the file, reads it back, and checks that the other choices of its dimensions agree."""
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
    for variant in test.runs():
        if difference := _difference(file, test, expected, variant, sessions):
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
    for variant in others:
        if difference := _difference(file, test, expected, variant, sessions):
            return Verdict.DIFFERS, difference
    return (Verdict.UPDATED, "") if is_new else (Verdict.PASSED, "")


def _difference(
    file: SuiteFile, test: TestInput, expected: Sequence[QueryResult], variant: Variant, sessions: SessionFactory
) -> str:
    """The diff of one run, with the whole text of errors that were not expected."""
    actual, messages = run_input(test, variant, sessions, file.name)
    difference = diff_golden(expected, actual, file.name)
    if not difference:
        return ""
    unexpected = [
        f"statement {index + 1} failed: {message}"
        for index, message in messages.items()
        if index >= len(expected) or expected[index] != actual[index]
    ]
    return "\n".join([*([f"with {variant.label}"] if variant.label else []), difference, *unexpected])


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()  # not as text, which would turn \r into \n
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: cannot be read: {error}") from error
