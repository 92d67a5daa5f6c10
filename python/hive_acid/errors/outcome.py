"""The fate of the statement that an error ends: one of a few fixed texts, which outcomes.json keeps.

Some conditions, such as HIVE_ACID_STORAGE, can end a statement at any point of its way. Their `<outcome>` is empty when
they are raised. The places that know how far the statement has come run its steps within `telling`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import cache
from importlib import resources

PARAMETER = "outcome"
_ATTRIBUTE = "_hive_acid_outcome"


@cache
def load_outcomes() -> Mapping[str, str]:
    """Name of an outcome → its text."""
    text = resources.files("hive_acid.errors").joinpath("outcomes.json").read_text(encoding="utf-8")
    outcomes: Mapping[str, str] = json.loads(text)
    return outcomes


class StatementOutcome(Enum):
    """The fate of a statement."""

    CARRIED_OUT = "CARRIED_OUT"
    COMMITTED = "COMMITTED"
    COMPACTIONS_LISTED = "COMPACTIONS_LISTED"
    NOTHING_CHANGED = "NOTHING_CHANGED"
    NOT_COMMITTED = "NOT_COMMITTED"
    NOT_KNOWN = "NOT_KNOWN"
    QUERY_FAILED = "QUERY_FAILED"
    TABLE_CREATED = "TABLE_CREATED"
    TRANSACTION_DOOMED = "TRANSACTION_DOOMED"

    @property
    def text(self) -> str:
        return load_outcomes()[self.value]


def find_outcome(error: BaseException) -> StatementOutcome | None:
    """The outcome that `tell` was told; None if nobody has told."""
    found = getattr(error, _ATTRIBUTE, None)
    return found if isinstance(found, StatementOutcome) else None


def tell(error: BaseException, outcome: StatementOutcome) -> None:
    """Lets `error`, of any class, say what became of the statement. The first to tell is nearest, and is believed."""
    if find_outcome(error) is not None:
        return
    setattr(error, _ATTRIBUTE, outcome)
    show = getattr(error, "show_outcome", None)
    if show is not None:
        show(outcome.text)


@contextmanager
def telling(outcome: StatementOutcome | Callable[[], StatementOutcome]) -> Iterator[None]:
    """An error that leaves the block says this outcome; if it is a function, it is called when the block has ended."""
    try:
        yield
    except BaseException as error:
        tell(error, outcome if isinstance(outcome, StatementOutcome) else outcome())
        raise
