"""The statements that change rows, each in one line: every matrix of faults is run over this table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from hive_acid.wire.statement_kinds import StatementKind

Rows = list[tuple[int, int, int]]
"""`(id, v, d)` in order; `d` is the partition, `id % 2`, also where the table is flat."""

NEW_IDS = 1000
"""Above all IDs that a table starts with: what an INSERT adds for the numbers n is n + NEW_IDS."""


def _add(rows: Rows, numbers: range) -> Rows:
    return sorted([*rows, *((n + NEW_IDS, 0, n % 2) for n in numbers)])


def _replace(rows: Rows, numbers: range) -> Rows:
    return _add([], numbers)


def _replace_partitions(rows: Rows, numbers: range) -> Rows:
    touched = {n % 2 for n in numbers}
    return _add([row for row in rows if row[2] not in touched], numbers)


def _empty(rows: Rows, numbers: range) -> Rows:
    return []


def _increase(rows: Rows, numbers: range) -> Rows:
    return sorted((id_, v + (id_ in numbers), d) for id_, v, d in rows)


def _remove(rows: Rows, numbers: range) -> Rows:
    return [row for row in rows if row[0] not in numbers]


def _merge(rows: Rows, numbers: range) -> Rows:
    even, odd = (range(numbers.start + rest, numbers.stop, 2) for rest in (0, 1))
    return _add(_increase(rows, even), odd)


def _move(rows: Rows, numbers: range) -> Rows:
    return sorted((id_, v + (id_ in numbers), 1 - d if id_ in numbers else d) for id_, v, d in rows)


def _exchange(rows: Rows, numbers: range) -> Rows:
    odd = range(numbers.start + 1, numbers.stop, 2)
    return [(id_, 10 if id_ in odd else v, d) for id_, v, d in rows]


@dataclass(frozen=True)
class Mutation:
    """One statement over the rows whose ID lies in a range of numbers, which begins with an even one.

    `sql` has `{t}` for the table, `{numbers}` for the range as a query of one column `id`, `{first}` and `{end}`
    (exclusive) for its bounds and `{id}` for the ID, or for an expression that gives it and can fail or wait.
    `effect` is what it makes of the rows. `names_partitions`: its condition tells which it touches, so that it locks
    these and not the table. `is_bucketed`: its table has buckets by `v`, so that a row whose `v` changes moves.
    """

    name: str
    kind: StatementKind
    is_partitioned: bool
    sql: str
    effect: Callable[[Rows, range], Rows]
    names_partitions: bool = False
    is_bucketed: bool = False

    def text(self, table: object, numbers: range, expression: str = "id") -> str:
        """The statement. `expression` stands for the ID and is an INT."""
        source = f"(SELECT int(id) AS id FROM range({numbers.start}, {numbers.stop}, 1, 2))"
        bounds = {"first": numbers.start, "end": numbers.stop}
        return self.sql.format(t=table, numbers=source, id=expression, **bounds)

    def __str__(self) -> str:
        return self.name


_UPDATE = "UPDATE {t} SET v = v + 1 WHERE {id} >= {first} AND id >= {first} AND id < {end}"
_DELETE = "DELETE FROM {t} WHERE {id} >= {first} AND id >= {first} AND id < {end}"
_MERGE = (
    "MERGE INTO {{t}} t USING (SELECT {{id}} + id % 2 * 1000 AS id FROM {{numbers}}) s "
    "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + 1 WHEN NOT MATCHED THEN INSERT (id, v{columns}) "
    "VALUES (s.id, 0{values})"
)

_EXCHANGE = (
    "INSERT INTO {{t}} REPLACE WHERE id >= {{first}} AND id < {{end}} AND id % 2 = 1{condition} "
    "SELECT {{id}}, 10{values} FROM {{numbers}} WHERE id % 2 = 1"
)

MUTATIONS = (
    Mutation("insert-flat", StatementKind.INSERT, False, "INSERT INTO {t} SELECT {id} + 1000, 0 FROM {numbers}", _add),
    Mutation(
        "insert-partitions",
        StatementKind.INSERT,
        True,
        "INSERT INTO {t} SELECT {id} + 1000, 0, id % 2 FROM {numbers}",
        _add,
    ),
    Mutation("update-flat", StatementKind.UPDATE, False, _UPDATE, _increase),
    Mutation("update-partitions", StatementKind.UPDATE, True, _UPDATE, _increase),
    Mutation("delete-flat", StatementKind.DELETE, False, _DELETE, _remove),
    Mutation("update-named", StatementKind.UPDATE, True, f"{_UPDATE} AND d IN (0, 1)", _increase, True),
    Mutation("delete-partitions", StatementKind.DELETE, True, _DELETE, _remove),
    Mutation("delete-named", StatementKind.DELETE, True, f"{_DELETE} AND d IN (0, 1)", _remove, True),
    Mutation("merge-flat", StatementKind.MERGE, False, _MERGE.format(columns="", values=""), _merge),
    Mutation("merge-partitions", StatementKind.MERGE, True, _MERGE.format(columns=", d", values=", s.id % 2"), _merge),
    Mutation(
        "merge-moves",
        StatementKind.MERGE,
        True,
        "MERGE INTO {t} t USING (SELECT {id} AS id FROM {numbers}) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = t.v + 1, d = 1 - t.d",
        _move,
    ),
    Mutation("replace-flat", StatementKind.REPLACE, False, _EXCHANGE.format(condition="", values=""), _exchange),
    Mutation(
        "replace-partitions",
        StatementKind.REPLACE,
        True,
        _EXCHANGE.format(condition="", values=", id % 2"),
        _exchange,
    ),
    Mutation(
        "replace-named",
        StatementKind.REPLACE,
        True,
        _EXCHANGE.format(condition=" AND d = 1", values=", 1"),
        _exchange,
        True,
    ),
    Mutation(
        "overwrite-flat",
        StatementKind.OVERWRITE,
        False,
        "INSERT OVERWRITE {t} SELECT {id} + 1000, 0 FROM {numbers}",
        _replace,
    ),
    Mutation(
        "overwrite-partitions",
        StatementKind.OVERWRITE,
        True,
        "INSERT OVERWRITE {t} SELECT {id} + 1000, 0, id % 2 FROM {numbers}",
        _replace_partitions,
    ),
)
BUCKETED = (
    Mutation("update-buckets", StatementKind.UPDATE, False, _UPDATE, _increase, is_bucketed=True),
    Mutation(
        "insert-buckets",
        StatementKind.INSERT,
        False,
        "INSERT INTO {t} SELECT {id} + 1000, 0 FROM (SELECT int(id) AS id "
        "FROM range({first} - 10000, {end} + 10000, 1, 2)) WHERE id >= {first} AND id < {end}",
        _add,
        is_bucketed=True,
    ),
)
"""The shuffles of bucketed tables; for the rest they are as other flat ones.

The INSERT's source could have so many rows that they are not written by one task, without a shuffle.
"""

TRUNCATIONS = (
    Mutation("truncate-flat", StatementKind.TRUNCATE, False, "TRUNCATE TABLE {t}", _empty),
    Mutation("truncate-partitions", StatementKind.TRUNCATE, True, "TRUNCATE TABLE {t}", _empty),
)
"""Without a Spark job, in which something could fail or wait."""


_WAYS = (
    *("insert-flat", "update-partitions", "delete-named", "merge-moves", "replace-partitions"),
    *("overwrite-partitions", "insert-buckets"),
)
WAYS_OF_WRITING = tuple(mutation for mutation in (*MUTATIONS, *BUCKETED) if mutation.name in _WAYS)
"""One for each way in which rows come into folders. Where these are tried, what the place does with tasks and files is
the question. What each statement does there is asked once, without a fault.
"""


def named(*names: str) -> pytest.MarkDecorator:
    """A test's parameter `mutation`: the statements of these names."""
    of_name = {mutation.name: mutation for mutation in (*MUTATIONS, *BUCKETED, *TRUNCATIONS)}
    return pytest.mark.parametrize("mutation", [of_name[name] for name in names], ids=str)


EACH_WAY = named(*(mutation.name for mutation in WAYS_OF_WRITING))
"""The same: each way of writing."""
