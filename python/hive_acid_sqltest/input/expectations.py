"""Answers that an input itself asks for, whatever was recorded, and where it runs: `--EXPECT` and `--ONLY_IF`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

FORMS: Final = "error, error CONDITION, no rows, N rows, or value TEXT"
"""How an expectation is written."""
_FORM = re.compile(r"error(?: (?P<condition>\S+))?|(?P<rows>no|[0-9]+) rows?|value(?: (?P<value>.*))?", re.DOTALL)
_REQUIREMENT = re.compile(r"(spark|metastore)\s*(>=|<|==)\s*([0-9]+(?:\.[0-9]+)*)")
_OPERATORS: Final[Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]]] = {
    ">=": operator.ge,
    "<": operator.lt,
    "==": operator.eq,
}


@dataclass(frozen=True)
class Outcome:
    """How a statement ended: its rows as text, or the condition (else the class) of its error."""

    rows: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class Expectation:
    """An answer that a statement must give. `text` is one of `FORMS`."""

    text: str

    @property
    def is_error(self) -> bool:
        """Whether the statement has to fail."""
        return self.text.partition(" ")[0] == "error"

    def find_fault(self, outcome: Outcome) -> str:
        """How the outcome is another one; empty if it is as expected.

        A condition stands for its sub-conditions, too.
        """
        form = _FORM.fullmatch(self.text)
        assert form is not None, self.text
        if self.is_error:
            wanted = form["condition"]
            is_met = outcome.error is not None and (not wanted or f"{outcome.error}.".startswith(f"{wanted}."))
        elif outcome.error is not None:
            is_met = False
        elif form["rows"]:
            is_met = len(outcome.rows) == (0 if form["rows"] == "no" else int(form["rows"]))
        else:
            is_met = outcome.rows == (form["value"] or "",)
        return "" if is_met else f"expected {self.text}, found {_tell(outcome)}"


def _tell(outcome: Outcome) -> str:
    if outcome.error is not None:
        return f"error {outcome.error}"
    return f"value {outcome.rows[0]}" if len(outcome.rows) == 1 else f"{len(outcome.rows) or 'no'} rows"


def parse_expectation(text: str) -> Expectation:
    """From a text like `3 rows`. Raises ValueError for none of `FORMS`."""
    if not _FORM.fullmatch(text):
        raise ValueError(text)
    return Expectation(text)


@dataclass(frozen=True)
class Requirement:
    """Versions of Spark, or of the metastore, on which alone a file runs, such as `spark >= 4.0`."""

    of: str
    sign: str
    version: tuple[int, ...]
    text: str

    def is_met(self, version: str) -> bool:
        """Compared by as many numbers as the requirement has: 4.0.2 is `== 4.0`."""
        found = tuple(map(int, re.findall(r"[0-9]+", version)))[: len(self.version)]
        return _OPERATORS[self.sign](found, self.version)


def parse_requirement(text: str) -> Requirement:
    """From a text like `metastore < 4`. Raises ValueError for another form."""
    form = _REQUIREMENT.fullmatch(text)
    if form is None:
        raise ValueError(text)
    return Requirement(form[1], form[2], tuple(map(int, form[3].split("."))), text)
