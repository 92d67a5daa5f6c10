"""Runs input files, and compares or records what comes out."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.golden import QueryResult, diff_golden, format_golden, parse_golden
from hive_acid_sqltest.input.parsing import load_input
from hive_acid_sqltest.input.values import TestInput, Variant
from hive_acid_sqltest.input_run import StatementRun, run_input
from hive_acid_sqltest.session import SessionFactory
from hive_acid_sqltest.suite import SuiteFile

REGENERATE = "SPARK_GENERATE_GOLDEN_FILES"
"""The environment variable, Spark's, that with the value 1 has results recorded instead of compared."""


class Verdict(Enum):
    """How a file ended."""

    PASSED = "passed"
    SKIPPED = "skipped"
    DIFFERS = "differs"
    BROKEN = "broken"
    UPDATED = "updated"


@dataclass(frozen=True)
class Report:
    """One file's end; `text` is the diff, or the reason why it was not run, or what is to be known of a record."""

    name: str
    verdict: Verdict
    seconds: float
    text: str = ""

    @property
    def is_good(self) -> bool:
        """True unless somebody has to look at it."""
        return self.verdict in (Verdict.PASSED, Verdict.UPDATED, Verdict.SKIPPED)


Tell = Callable[[Report], None]
_CHANGING = re.compile(
    r"\b(current_date|current_timestamp|localtimestamp|now|curdate|unix_timestamp\s*\(\s*\)|rand|randn|random|randstr"
    r"|uniform|uuid|shuffle|monotonically_increasing_id|spark_partition_id|input_file_name)\b",
    re.IGNORECASE,
)
"""Functions whose results differ from day to day, from run to run or from machine to machine."""


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
    if reason := find_reason_to_skip(test, sessions):
        return Verdict.SKIPPED, reason
    if not file.result.is_file():
        return _check_unrecorded(file, test, sessions)
    expected = parse_golden(_read(file.result), str(file.result))
    for variant in test.runs():
        if difference := _difference(file, expected, variant, run_input(test, variant, sessions, file.name)):
            return Verdict.DIFFERS, difference
    return Verdict.PASSED, ""


def find_reason_to_skip(test: TestInput, sessions: SessionFactory) -> str:
    """The first `--ONLY_IF` of the file that is not met; empty if it is to run."""
    for requirement in test.requirements:
        if not requirement.is_met(version := sessions.version(requirement.of)):
            return f"only if {requirement.text}, and this is {version}"
    return ""


def _check_unrecorded(file: SuiteFile, test: TestInput, sessions: SessionFactory) -> tuple[Verdict, str]:
    """An input that expects something can be run before it is recorded."""
    if not test.has_expectations:
        raise SuiteError(f"{file.result} is missing: record it with `hive-acid sqltest update`")
    for variant in test.runs():
        if faults := [
            *find_faults(file.input, runs := run_input(test, variant, sessions, file.name)),
            *_errors(file, runs),
        ]:
            return Verdict.DIFFERS, "\n".join(_headed(variant, *faults))
    return Verdict.PASSED, ""


def _update(file: SuiteFile, sessions: SessionFactory) -> tuple[Verdict, str]:
    test = load_input(file.input)
    if reason := find_reason_to_skip(test, sessions):
        return Verdict.SKIPPED, reason
    first, *others = test.runs()
    runs = run_input(test, first, sessions, file.name)
    recorded = parse_golden(_read(file.result), str(file.result)) if file.result.is_file() else ()
    if faults := [*find_faults(file.input, runs), *_errors(file, runs, recorded)]:
        raise SuiteError("\n".join([*faults, "Nothing was recorded."]))
    text = format_golden([run.result for run in runs], str(file.result))
    is_new = not file.result.is_file() or _read(file.result) != text
    file.result.parent.mkdir(parents=True, exist_ok=True)
    file.result.write_bytes(text.encode())
    expected = parse_golden(_read(file.result), str(file.result))
    for variant in others:
        if difference := _difference(file, expected, variant, run_input(test, variant, sessions, file.name)):
            return Verdict.DIFFERS, difference
    return (Verdict.UPDATED, "\n".join(find_cautions(runs))) if is_new else (Verdict.PASSED, "")


def find_cautions(runs: Sequence[StatementRun]) -> list[str]:
    """Lines of a new record to look at: those that are errors, and those that may differ tomorrow."""

    def lines(chosen: Iterable[StatementRun]) -> str:
        return ", ".join(str(run.statement.line) for run in chosen)

    errors = lines(run for run in runs if run.outcome.error is not None)
    changing = lines(run for run in runs if run.outcome.error is None and _CHANGING.search(run.statement.text))
    found = [f"lines that end in an error: {errors}"] if errors else []
    return found + ([f"lines whose result depends on the time or on chance: {changing}"] if changing else [])


def find_faults(path: Path, runs: Sequence[StatementRun]) -> list[str]:
    """Where statements of the input did otherwise than it expects."""
    return [_at(path, run, run.fault) for run in runs if run.fault]


def _errors(file: SuiteFile, runs: Sequence[StatementRun], recorded: Sequence[QueryResult] = ()) -> list[str]:
    """The errors that the input does not expect, and that were not recorded before."""
    known = {(result.query, result.error) for result in recorded}
    return [
        _at(file.input, run, f"failed: {run.message}\nIf it is meant to fail, write `--EXPECT error` before it.")
        for run in runs
        if run.outcome.error is not None
        and not run.statement.expectation
        and (run.result.query, run.result.error) not in known
    ]


def _at(path: Path, run: StatementRun, text: str) -> str:
    return f"{path}:{run.statement.line}: {text}"


def _headed(variant: Variant, *lines: str) -> list[str]:
    return [*([f"with {variant.label}"] if variant.label else []), *lines]


def _difference(
    file: SuiteFile, expected: Sequence[QueryResult], variant: Variant, runs: Sequence[StatementRun]
) -> str:
    """The diff of one run, with the whole text of errors that were not expected."""
    faults = find_faults(file.input, runs)
    difference = diff_golden(expected, [run.result for run in runs], file.name)
    if not difference and not faults:
        return ""
    unexpected = [
        f"statement {index + 1} failed: {run.message}"
        for index, run in enumerate(runs)
        if run.message and (index >= len(expected) or expected[index] != run.result)
    ]
    return "\n".join(_headed(variant, *([difference] if difference else []), *unexpected, *faults))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()  # not as text, which would turn \r into \n
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: cannot be read: {error}") from error
