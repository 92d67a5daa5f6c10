"""Random conditions that Spark and Python judge alike: TRUE, FALSE or NULL by SQL's three-valued logic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hypothesis import strategies as st

from support.typed_columns import LITERALS, NULL, ORDERED, Literal, Row

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Condition(Protocol):
    """A predicate; rows are changed where it is True, not where it is None (NULL)."""

    @property
    def sql(self) -> str: ...

    def judge(self, row: Row) -> bool | None: ...


@dataclass(frozen=True)
class Comparison:
    """`column OPERATOR literal`: NULL if either side is."""

    column: str
    operator: str
    literal: Literal

    @property
    def sql(self) -> str:
        return f"{self.column} {self.operator} {self.literal.sql}"

    def judge(self, row: Row) -> bool | None:
        value = row[self.column]
        if value is None or self.literal.value is None:
            return None
        return _COMPARISONS[self.operator](value, self.literal.value)


@dataclass(frozen=True)
class NullSafeEquality:
    """`column <=> literal`, never NULL; with the literal NULL also written `IS NULL`."""

    column: str
    literal: Literal

    @property
    def sql(self) -> str:
        return f"{self.column} IS NULL" if self.literal is NULL else f"{self.column} <=> {self.literal.sql}"

    def judge(self, row: Row) -> bool | None:
        return row[self.column] == self.literal.value


@dataclass(frozen=True)
class Membership:
    """`column IN (…)`: NULL, not FALSE, where nothing equals the value and the list holds a NULL."""

    column: str
    literals: tuple[Literal, ...]

    @property
    def sql(self) -> str:
        return f"{self.column} IN ({', '.join(literal.sql for literal in self.literals)})"

    def judge(self, row: Row) -> bool | None:
        value, values = row[self.column], [literal.value for literal in self.literals]
        if value is None:
            return None
        if value in values:
            return True
        return None if None in values else False


@dataclass(frozen=True)
class Negation:
    """`NOT condition`: NULL stays NULL."""

    condition: Condition

    @property
    def sql(self) -> str:
        return f"NOT ({self.condition.sql})"

    def judge(self, row: Row) -> bool | None:
        judged = self.condition.judge(row)
        return None if judged is None else not judged


@dataclass(frozen=True)
class Connection:
    """`(a) AND (b)` or `(a) OR (b)`: FALSE decides an AND and TRUE an OR; else a NULL makes it NULL."""

    connective: str
    sides: tuple[Condition, Condition]

    @property
    def sql(self) -> str:
        return f" {self.connective} ".join(f"({side.sql})" for side in self.sides)

    def judge(self, row: Row) -> bool | None:
        decisive = self.connective == "OR"
        judged = [side.judge(row) for side in self.sides]
        if decisive in judged:
            return decisive
        return None if None in judged else not decisive


def _simple(column: str) -> st.SearchStrategy[Condition]:
    literals = st.sampled_from(LITERALS[column])
    return st.one_of(
        st.builds(Comparison, st.just(column), st.sampled_from(list(_COMPARISONS)), literals),
        st.builds(NullSafeEquality, st.just(column), literals),
        st.builds(Membership, st.just(column), st.lists(literals, min_size=1, max_size=4).map(tuple)),
    )


def conditions(columns: tuple[str, ...]) -> st.SearchStrategy[Condition]:
    """Conditions on the table's columns that have an order; half of the simple ones are on `id` or `n`."""
    ordered = [column for column in columns if column in ORDERED]
    simple = st.one_of(st.sampled_from(["id", "n"]), st.sampled_from(ordered)).flatmap(_simple)
    part: st.SearchStrategy[Condition] = st.one_of(simple, simple.map(Negation))
    connected = st.builds(Connection, st.sampled_from(["AND", "OR"]), st.tuples(part, part))
    return st.one_of(simple, connected, narrow(connected), connected.map(Negation))


def narrow(condition: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    """The condition and one on `id`, which both must hold."""
    return st.builds(Connection, st.just("AND"), st.tuples(_simple("id"), condition))
