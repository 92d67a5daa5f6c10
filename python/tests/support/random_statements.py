"""Random histories of statements and compactions, and what each does to a plain list of rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hypothesis import assume
from hypothesis import strategies as st

from support.random_conditions import Condition, conditions, narrow
from support.typed_columns import IDS, LITERALS, PARTITION_COLUMN, TYPES, Literal, Row

STATEMENTS_PER_COMPACTION = 10


class Statement(Protocol):
    """A statement of a table `t`."""

    @property
    def sql(self) -> str: ...

    def apply(self, rows: list[Row]) -> int:
        """Changes the list as the statement changes the table; returns the number of affected rows."""


@dataclass(frozen=True)
class InsertValues:
    """`INSERT INTO t VALUES`; a row is its literals by column."""

    rows: tuple[dict[str, Literal], ...]

    @property
    def sql(self) -> str:
        return "INSERT INTO t VALUES " + ", ".join(
            f"({', '.join(literal.sql for literal in row.values())})" for row in self.rows
        )

    def apply(self, rows: list[Row]) -> int:
        rows += [{column: literal.value for column, literal in row.items()} for row in self.rows]
        return len(self.rows)


@dataclass(frozen=True)
class Shift:
    """`pmod(column + by, modulus)`: NULL where the column is."""

    column: str
    by: int
    modulus: int

    @property
    def sql(self) -> str:
        return f"pmod({self.column} + {self.by}, {self.modulus})"

    def value(self, row: Row) -> int | None:
        number = row[self.column]
        return (number + self.by) % self.modulus if isinstance(number, int) else None


@dataclass(frozen=True)
class InsertSelect:
    """`INSERT INTO t SELECT … FROM t`, with one column shifted."""

    columns: tuple[str, ...]
    shift: Shift
    condition: Condition

    @property
    def sql(self) -> str:
        columns = [self.shift.sql if column == self.shift.column else column for column in self.columns]
        return f"INSERT INTO t SELECT {', '.join(columns)} FROM t WHERE {self.condition.sql}"

    def apply(self, rows: list[Row]) -> int:
        chosen = [row | {self.shift.column: self.shift.value(row)} for row in rows if self.condition.judge(row)]
        rows += chosen
        return len(chosen)


@dataclass(frozen=True)
class Update:
    """Each column is assigned a literal or a shift of a column as it was before; rows may move to another partition."""

    assignments: dict[str, Literal | Shift]
    condition: Condition

    @property
    def assigned(self) -> str:
        """What stands after SET."""
        return ", ".join(f"{column} = {value.sql}" for column, value in self.assignments.items())

    @property
    def sql(self) -> str:
        return f"UPDATE t SET {self.assigned} WHERE {self.condition.sql}"

    def apply(self, rows: list[Row]) -> int:
        chosen = [row for row in rows if self.condition.judge(row)]
        for row in chosen:
            row |= {
                column: value.value(row) if isinstance(value, Shift) else value.value
                for column, value in self.assignments.items()
            }
        return len(chosen)


@dataclass(frozen=True)
class Delete:
    """`DELETE FROM t WHERE condition`."""

    condition: Condition

    @property
    def sql(self) -> str:
        return f"DELETE FROM t WHERE {self.condition.sql}"

    def apply(self, rows: list[Row]) -> int:
        kept = [row for row in rows if not self.condition.judge(row)]
        deleted = len(rows) - len(kept)
        rows[:] = kept
        return deleted


@dataclass(frozen=True)
class Merge:
    """`MERGE INTO t` of rows with different IDs, by every kind of clause."""

    rows: tuple[dict[str, Literal], ...]
    update: Update
    delete: Delete
    rest: Delete

    @property
    def sql(self) -> str:
        columns = list(self.rows[0])
        values = ", ".join(f"({', '.join(literal.sql for literal in row.values())})" for row in self.rows)
        named = ", ".join(f"s_{column}" for column in columns)
        return (
            f"MERGE INTO t USING (SELECT * FROM VALUES {values} AS v ({named})) AS s ON id = s_id "
            f"WHEN MATCHED AND {self.update.condition.sql} THEN UPDATE SET {self.update.assigned} "
            f"WHEN MATCHED AND {self.delete.condition.sql} THEN DELETE "
            f"WHEN NOT MATCHED THEN INSERT ({', '.join(columns)}) VALUES ({named}) "
            f"WHEN NOT MATCHED BY SOURCE AND {self.rest.condition.sql} THEN DELETE"
        )

    def apply(self, rows: list[Row]) -> int:
        ids = {row["id"].value for row in self.rows}
        matched = [row for row in rows if row["id"] in ids]
        unmatched = [row for row in rows if row["id"] not in ids]
        there = {row["id"] for row in matched}
        news = tuple(row for row in self.rows if row["id"].value not in there)
        updated = [row for row in matched if self.update.condition.judge(row)]
        kept = [row for row in matched if not self.update.condition.judge(row)]
        affected = self.update.apply(updated) + self.delete.apply(kept) + self.rest.apply(unmatched)
        rows[:] = updated + kept + unmatched
        return affected + InsertValues(news).apply(rows)


@dataclass(frozen=True)
class Replace:
    """`INSERT INTO t REPLACE WHERE condition SELECT … FROM t`: the new rows are those they replace, one column shifted,
    as far as they satisfy the condition then.
    """

    columns: tuple[str, ...]
    shift: Shift
    condition: Condition

    @property
    def sql(self) -> str:
        columns = [f"{self.shift.sql} AS {name}" if name == self.shift.column else name for name in self.columns]
        shifted = f"SELECT {', '.join(columns)} FROM t WHERE {self.condition.sql}"
        return f"INSERT INTO t REPLACE WHERE {self.condition.sql} SELECT * FROM ({shifted}) WHERE {self.condition.sql}"

    def apply(self, rows: list[Row]) -> int:
        old = [row for row in rows if self.condition.judge(row)]
        shifted = [row | {self.shift.column: self.shift.value(row)} for row in old]
        news = [row for row in shifted if self.condition.judge(row)]
        rows[:] = [row for row in rows if not self.condition.judge(row)] + news
        return len(old) + len(news)


@dataclass(frozen=True)
class Overwrite:
    """`INSERT OVERWRITE t SELECT … FROM t` without some rows; a partition that keeps none is left as it is."""

    columns: tuple[str, ...]
    condition: Condition

    @property
    def sql(self) -> str:
        kept = f"NOT coalesce({self.condition.sql}, false)"
        return f"INSERT OVERWRITE t SELECT {', '.join(self.columns)} FROM t WHERE {kept}"

    def apply(self, rows: list[Row]) -> int:
        kept = [row for row in rows if not self.condition.judge(row)]
        replaced = {row[PARTITION_COLUMN] for row in kept} if PARTITION_COLUMN in self.columns else None
        rows[:] = kept + [row for row in rows if replaced is not None and row[PARTITION_COLUMN] not in replaced]
        return len(kept)


@dataclass(frozen=True)
class Compaction:
    """A compaction of the whole table by Hive 4 or 3.1, after which the cleaner runs or does not."""

    is_major: bool
    hive_4: bool
    cleans: bool


class History:
    """Statements with compactions between them.

    No dataclass: hypothesis would print all of it, where the test says what went wrong and draws the same again.
    """

    def __init__(self, steps: Sequence[Statement | Compaction]) -> None:
        self.steps = tuple(steps)

    def __repr__(self) -> str:
        return f"<history of {len(self.steps)} steps>"

    @property
    def is_varied(self) -> bool:
        """True if every kind of step occurs."""
        kinds = {type(step) for step in self.steps}
        compactions = {step.is_major for step in self.steps if isinstance(step, Compaction)}
        return len(kinds) == 8 and len(compactions) == 2


def columns_of(is_partitioned: bool) -> tuple[str, ...]:
    """The table's columns in order."""
    return (*TYPES, *([PARTITION_COLUMN] if is_partitioned else []))


def _row(columns: tuple[str, ...], seed: int) -> dict[str, Literal]:
    rng = random.Random(seed)
    return {column: rng.choice(LITERALS[column]) for column in columns}


def _assignments(columns: tuple[str, ...]) -> st.SearchStrategy[dict[str, Literal | Shift]]:
    """One to five columns; the shifts fit in a TINYINT."""

    def values(column: str) -> st.SearchStrategy[tuple[str, Literal | Shift]]:
        literals: st.SearchStrategy[Literal | Shift] = st.sampled_from(LITERALS[column])
        if column in ("id", "n", "si", "bi"):
            literals = st.one_of(literals, _shifts())
        return st.tuples(st.just(column), literals)

    one = st.sampled_from(columns).flatmap(values)
    return st.lists(one, min_size=1, max_size=5, unique_by=lambda assignment: assignment[0]).map(dict)


def _shifts() -> st.SearchStrategy[Shift]:
    moves = st.integers(1, IDS - 1)
    return st.one_of(
        st.builds(Shift, st.just("id"), moves, st.just(IDS)), st.builds(Shift, st.just("n"), moves, st.just(7))
    )


def _inserts(columns: tuple[str, ...], least: int) -> st.SearchStrategy[Statement]:
    rows = st.integers(0, 2**32 - 1).map(lambda seed: _row(columns, seed))
    return st.lists(rows, min_size=least, max_size=8).map(lambda drawn: InsertValues(tuple(drawn)))


def _sources(columns: tuple[str, ...]) -> st.SearchStrategy[tuple[dict[str, Literal], ...]]:
    """Rows to merge: no two have one ID, for they would match the same rows."""
    rows = st.integers(0, 2**32 - 1).map(lambda seed: _row(columns, seed))
    return st.lists(rows, min_size=1, max_size=6, unique_by=lambda row: row["id"].value).map(tuple)


def statements(columns: tuple[str, ...]) -> st.SearchStrategy[Statement]:
    """One statement, with narrow conditions of a DELETE, which would empty the table too often."""
    condition = conditions(columns)
    insert_select = st.builds(InsertSelect, st.just(columns), _shifts(), condition)
    update = st.builds(Update, _assignments(columns), condition)
    delete = st.builds(Delete, narrow(condition))
    overwrite = st.builds(Overwrite, st.just(columns), narrow(condition))
    merge = st.builds(Merge, _sources(columns), update, delete, delete)
    replace = st.builds(Replace, st.just(columns), _shifts(), condition)
    return st.one_of(_inserts(columns, 1), insert_select, update, update, delete, merge, merge, replace, overwrite)


@st.composite
def histories(draw: st.DrawFn, is_partitioned: bool, length: int) -> History:
    """Histories of `length` statements, a compaction after each STATEMENTS_PER_COMPACTION, and no kind left out."""
    columns = columns_of(is_partitioned)
    statement = statements(columns)
    compaction = st.builds(Compaction, st.booleans(), st.booleans(), st.booleans())
    steps: list[Statement | Compaction] = [draw(_inserts(columns, 8))]
    for number in range(2, length + 1):
        steps.append(draw(statement))
        if number % STATEMENTS_PER_COMPACTION == 0:
            steps.append(draw(compaction))
    history = History(steps)
    assume(history.is_varied)
    return history
