"""A block of several statements that runs again if others were in the way, and not for any other reason."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

import hive_acid
from hive_acid import clock
from hive_acid.errors import CommitStateUnknown, HiveAcidError, WriteConflict, build_error
from hive_acid.user import transaction

if TYPE_CHECKING:
    from typing_extensions import Self

SESSION: Any = None


def conflict(number: int) -> HiveAcidError:
    return build_error("HIVE_ACID_WRITE_CONFLICT.CHANGED", txnId=number, table="db.t", attempts=1)


class Blocks:
    """Blocks that are begun, with how each ended. The commits of the first ones fail."""

    def __init__(self) -> None:
        self.ends: list[str] = []
        self.failing_commits: list[HiveAcidError] = []
        self.is_open = False

    def begin(self, _: object) -> Self:
        return self

    def __enter__(self) -> Self:
        if self.is_open:
            raise build_error("HIVE_ACID_TRANSACTION_STATE.NESTED", txnId="(none)")
        self.is_open = True
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        self.is_open = False
        self.ends.append("aborted" if error or self.failing_commits else "committed")
        if error is None and self.failing_commits:
            raise self.failing_commits.pop(0)


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> Blocks:
    blocks = Blocks()
    monkeypatch.setattr(transaction, "AcidTransaction", blocks.begin)
    monkeypatch.setattr(clock, "pause_ms", lambda _: None)
    return blocks


def failing(*errors: BaseException) -> Callable[[], str]:
    """A function that raises these, one in each call, and then returns."""
    left = list(errors)

    def call() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return call


def test_it_returns_what_the_function_returned_that_was_committed(blocks: Blocks) -> None:
    assert hive_acid.run_in_transaction(SESSION, failing(conflict(1), conflict(2))) == "done"
    assert blocks.ends == ["aborted", "aborted", "committed"]


def test_a_commit_that_loses_a_race_counts_as_well(blocks: Blocks) -> None:
    blocks.failing_commits = [conflict(1)]
    assert hive_acid.run_in_transaction(SESSION, failing()) == "done"
    assert blocks.ends == ["aborted", "committed"]


def test_the_error_of_the_last_attempt_is_raised(blocks: Blocks) -> None:
    with pytest.raises(WriteConflict, match="ransaction 3"):
        hive_acid.run_in_transaction(SESSION, failing(*map(conflict, range(1, 9))), attempts=3)
    assert blocks.ends == ["aborted"] * 3


@pytest.mark.parametrize(
    "error",
    [
        ValueError("the function's own"),
        build_error("HIVE_ACID_COMMIT_STATE_UNKNOWN", txnId=1, table="db.t", reason="no answer", uri="thrift://x"),
    ],
    ids=["its own", "unknown"],
)
def test_any_other_error_is_raised_at_once(blocks: Blocks, error: Exception) -> None:
    with pytest.raises((ValueError, CommitStateUnknown)) as raised:
        hive_acid.run_in_transaction(SESSION, failing(error))
    assert raised.value is error
    assert blocks.ends == ["aborted"]


def test_an_error_of_its_own_that_a_conflict_has_caused_is_its_own(blocks: Blocks) -> None:
    def call() -> NoReturn:
        try:
            raise conflict(1)
        except WriteConflict as error:
            raise KeyError("gone") from error

    with pytest.raises(KeyError):
        hive_acid.run_in_transaction(SESSION, call)
    assert blocks.ends == ["aborted"]


def test_within_another_one_it_is_refused(blocks: Blocks) -> None:
    with pytest.raises(HiveAcidError, match="TRANSACTION_STATE"):
        hive_acid.run_in_transaction(SESSION, lambda: hive_acid.run_in_transaction(SESSION, failing()))
    assert blocks.ends == ["aborted"]


@pytest.mark.parametrize("attempts", [0, -1])
def test_it_is_tried_once_at_least(blocks: Blocks, attempts: int) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        hive_acid.run_in_transaction(SESSION, failing(), attempts)
    assert blocks.ends == []


def test_a_session_of_spark_connect_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_acid.user.remote.is_remote", lambda _: True)
    with pytest.raises(HiveAcidError, match="run_in_transaction"):
        hive_acid.run_in_transaction(SESSION, failing())
