"""What an error says of a statement: that nothing happened, that nobody knows, or that we are at fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from hive_acid.metastore.generated import ttypes
from support.chaos.events import Answer, Reading
from support.chaos.rows import SeenRow, parse_row
from support.client_history import Outcome
from support.session_process import StatementFailed

HANG_SECONDS = 150.0
"""No statement takes so long: locks are given up long before."""
NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "HIVE_ACID_TABLE_NOT_FOUND")
FORESEEN = (
    "TABLE_OR_VIEW_ALREADY_EXISTS",
    "TABLE_ALREADY_EXISTS",
    "PARTITIONS_NOT_FOUND",
    "PARTITIONS_ALREADY_EXIST",
    "PARTITION_ALREADY_EXISTS",
)
"""Conditions of Spark by which a statement did nothing."""
OUR_FAULT = ("HIVE_ACID_INTERNAL", "HIVE_ACID_CORRUPT_FILE", "HIVE_ACID_UNSUPPORTED_LAYOUT", "HIVE_ACID_CONFIGURATION")
"""Named errors that nothing that is done here can be a reason for."""
UNKNOWN = ("HIVE_ACID_COMMIT_STATE_UNKNOWN",)
LONGEST = 600
"""Of the beginning, and of the end, of an error's text: a trace tells its cause last."""
_NAMED = re.compile(r"\[(HIVE_ACID_[A-Z_]+)")


def shorten(text: str) -> str:
    """Both ends of a text."""
    return text if len(text) <= 2 * LONGEST else f"{text[:LONGEST]} … {text[-LONGEST:]}"


class Hangs(Exception):
    """A statement has not ended."""


def wait(future: Future[list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """The rows. Raises StatementFailed, and Hangs."""
    try:
        return future.result(HANG_SECONDS)
    except FutureTimeoutError as error:
        raise Hangs from error


def name_of(error: StatementFailed) -> str:
    """Its main condition, or its cause's: PySpark tells only the text where Spark's reader of files has wrapped it."""
    if error.condition is None and (named := _NAMED.findall(error.text)):
        return str(named[-1])
    return error.condition.partition(".")[0] if error.condition else error.type


def judge_failure(answer: Answer, error: StatementFailed, slots: Sequence[str], expected: str = "") -> None:
    """Fills in what a failed statement on these tables tells; `expected` is a condition that is meant to come."""
    name = name_of(error)
    answer.reason = name
    if name in NOT_FOUND:
        answer.outcome = Outcome.FAILED
        if len(slots) == 1:
            answer.readings.append(Reading(slots[0]))
    elif name in UNKNOWN:
        answer.outcome = Outcome.UNKNOWN
    elif (name.startswith("HIVE_ACID_") and name not in OUR_FAULT) or name in FORESEEN or name == expected:
        answer.outcome = Outcome.FAILED
    else:
        answer.outcome, answer.complaint = Outcome.UNKNOWN, f"{name}: {shorten(error.text)}"


def carry_out(answer: Answer, slots: Sequence[str], work: Callable[[], None], expected: str = "") -> None:
    """Runs a statement of a session on these tables and fills in how it ended."""
    try:
        work()
    except StatementFailed as error:
        judge_failure(answer, error, slots, expected)
    except Hangs:
        answer.outcome, answer.reason, answer.complaint = Outcome.UNKNOWN, "hangs", f"no end in {HANG_SECONDS} s"


class CallFailed(Exception):
    """The metastore refused a call: `is_certain` if certainly nothing happened."""

    def __init__(self, text: str, is_certain: bool) -> None:
        super().__init__(text)
        self.is_certain = is_certain


def translate(call: Callable[[], object]) -> None:
    """Calls the metastore. Raises CallFailed: thrift's own errors cannot pass a `with`, for they are immutable."""
    try:
        call()
    except (ttypes.NoSuchObjectException, ttypes.AlreadyExistsException) as error:
        raise CallFailed(type(error).__name__, True) from error
    except (ttypes.InvalidOperationException, ttypes.MetaException, ttypes.InvalidObjectException) as error:
        raise CallFailed(f"{type(error).__name__}: {error.message}", False) from error


def carry_out_call(answer: Answer, work: Callable[[], None]) -> None:
    """The same as `carry_out` for a call to the metastore."""
    try:
        work()
    except CallFailed as error:
        answer.outcome, answer.reason = Outcome.FAILED if error.is_certain else Outcome.UNKNOWN, str(error)


def read_rows(slot: str, rows: Sequence[tuple[Any, ...]]) -> Reading:
    """From rows of `to_json(struct(*))`."""
    parsed = [parse_row(text) for *_, text in rows]
    right = tuple(row for row in parsed if isinstance(row, SeenRow))
    return Reading(slot, right, tuple(row for row in parsed if isinstance(row, str)))
