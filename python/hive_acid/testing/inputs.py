"""What an input file says: statements with what to record after each, and the ways to run them. `parsing` reads it.

Directives are comments on lines of their own; the word follows the two dashes without a blank:

--SET key=value[,key=value…]           a setting of the session, for the whole file
--IMPORT file.sql                      the statements (and directives) of another input, run first
--CONFIG_DIM1 key=value[,key=value…]   one choice of settings; the file runs with every choice of each dimension
                                       (lines of one number are the choices), always with the same result
--TABLE_DIM table kind [clauses]       one kind of a table; the file runs with every kind, always with the same result.
                                       Where a statement holds ${table}, the clauses of the kind stand, or nothing
--SESSION name                         the statements from here on run in the session of that name: settings, temporary
                                       views and variables of its own, the same tables. A file begins in `main`
--HOLD point                           the next statement is held when it comes to the point, while others run
--CONTINUE session[,session…]          the statements of these sessions, which are held or wait for a lock of one that
                                       is, go on, at once; then what became of each is recorded
--FILES table                          record the files of the table after the next statement
--ROWS table                           record every row in the files of the table after the next statement
--HISTORY table                        record the notes that statements have left in the table's folders, after the next
--QUERY-DELIMITER-START                what stands between these two lines is one statement, whatever `;` it holds:
--QUERY-DELIMITER-END                  a SQL script (BEGIN … END), say

--SET, --IMPORT, --CONFIG_DIM and the delimiters are Spark's (SQLQueryTestSuite). A file for three kinds of table:

--TABLE_DIM t flat
--TABLE_DIM t partitioned PARTITIONED BY (name)
--TABLE_DIM t bucketed CLUSTERED BY (id) INTO 2 BUCKETS
CREATE TABLE t (id INT, name STRING) ${t} STORED AS ORC TBLPROPERTIES ('transactional' = 'true');

The files of such a table are different for each kind and cannot be recorded.

A statement that is held is recorded as `<held at point>`, one that waits as `<waiting for a lock>`. Points are those of
the sessions that run the file (`SteppedSession` in `session`); the sessions of `hive-acid sqltest` have none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

MAIN_SESSION = "main"
Settings = tuple[tuple[str, str], ...]


class Recording(Enum):
    """What is recorded of a table after a statement."""

    FILES = "files"
    ROWS = "rows"
    HISTORY = "history"


@dataclass(frozen=True)
class InputStatement:
    """A statement, its line in its own file, and what is recorded after it: kind and table, in order.

    `hold` is the point where it is held, if at any. `continues` are the sessions of a --CONTINUE, which has no text.
    """

    text: str
    line: int
    recordings: tuple[tuple[Recording, str], ...] = ()
    session: str = MAIN_SESSION
    hold: str | None = None
    continues: tuple[str, ...] = ()


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
class TestInput:
    """A parsed input file. `dimensions`: for each dimension its choices."""

    __test__ = False  # no test class, whatever pytest thinks of the name

    settings: Settings
    dimensions: tuple[tuple[Variant, ...], ...]
    statements: tuple[InputStatement, ...]

    @property
    def is_interleaved(self) -> bool:
        """True if statements are held while others run."""
        return any(statement.hold or statement.continues for statement in self.statements)

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
