"""An input file as a value: statements, recordings after each, and the ways to run them. `parsing` reads it.

`sql-tests/README.md` tells every directive. A statement is held at the points of the sessions that run the file
(`SteppedSession` in `session`); the sessions of `hive-acid sqltest` have none.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from hive_acid_sqltest.input.expectations import Expectation, Requirement

MAIN_SESSION = "main"
Settings = tuple[tuple[str, str], ...]


class Recording(Enum):
    """Kinds of records of a table after a statement."""

    FILES = "files"
    ROWS = "rows"
    HISTORY = "history"


@dataclass(frozen=True)
class InputStatement:
    """A statement, its line in its own file, and what is recorded after it: kind and table, in order.

    `hold` is the point where it is held, if at any. `continues` are the sessions of a --CONTINUE, which has no text.
    `expectation` is what it must do, whatever was recorded.
    """

    text: str
    line: int
    recordings: tuple[tuple[Recording, str], ...] = ()
    session: str = MAIN_SESSION
    hold: str | None = None
    continues: tuple[str, ...] = ()
    expectation: Expectation | None = None


@dataclass(frozen=True)
class Variant:
    """One way to run a file, or one choice of a dimension.

    `clauses`: for each table that has kinds, its name and what stands for `${name}`. `label` tells the way from others;
    it is empty for the only one.
    """

    settings: Settings = ()
    clauses: tuple[tuple[str, str], ...] = ()
    label: str = ""

    def fill(self, statement: str) -> str:
        """The statement with the clauses of this way."""
        for table, clauses in self.clauses:
            statement = statement.replace(f"${{{table}}}", clauses)
        return statement


@dataclass(frozen=True)
class Recorder:
    """How answers of a file are recorded beside the rules for all files.

    Text that matches one of `masks` is left out. An answer of more than `most_rows` rows is their number and a hash.
    """

    masks: tuple[re.Pattern[str], ...] = ()
    most_rows: int | None = None


@dataclass(frozen=True)
class TestInput:
    """A parsed input file. `dimensions`: for each dimension its choices. It runs only where `requirements` are met."""

    __test__ = False  # no test class, whatever pytest thinks of the name

    settings: Settings
    dimensions: tuple[tuple[Variant, ...], ...]
    statements: tuple[InputStatement, ...]
    requirements: tuple[Requirement, ...] = ()
    recorder: Recorder = Recorder()

    @property
    def is_interleaved(self) -> bool:
        """True if statements are held while others run."""
        return any(statement.hold or statement.continues for statement in self.statements)

    @property
    def has_expectations(self) -> bool:
        """True if it can be run before it is recorded."""
        return any(statement.expectation for statement in self.statements)

    def runs(self) -> list[Variant]:
        """Every way to run the file: its settings and one choice of every dimension."""
        return [self._combine(choices) for choices in itertools.product(*self.dimensions)]

    def _combine(self, choices: Iterable[Variant]) -> Variant:
        settings, clauses, labels = [self.settings], [], []
        for choice in choices:
            settings.append(choice.settings)
            clauses.append(choice.clauses)
            labels.append(choice.label)
        return Variant(tuple(itertools.chain(*settings)), tuple(itertools.chain(*clauses)), ", ".join(labels))
