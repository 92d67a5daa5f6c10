"""Statements about transactions, locks and compactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import TableName
from hive_acid.wire.table_detail import TableDetail

Row = tuple[str | int | bool | tuple[str, ...] | Mapping[str, str] | None, ...]
"""A row of a statement's result: one value for each column."""


@dataclass(frozen=True)
class OperatorStatement:
    """A statement about transactions, locks or compactions, which Python has parsed.

    `title` is for people, `schema` is the result's columns as Spark's DDL.
    `table`, the parts of a name, `partition` and `database` are what Spark resolves; a partition's value None is NULL.
    `clause` is the text of a PARTITION clause, which Spark's parser is to read; then there are no values. `condition`
    is the text of a condition on partition columns, which Spark reads and evaluates.
    `must_exist`: false if there may be something to tell about a table that is not there. `of_session`: it is for the
    session's own catalog, whichever is the current one. `statement` is what Python knows it by. `explained` is how
    EXPLAIN in front of it wants it explained, None without.
    `is_foreign`: the words are those of other engines, so that only transactional tables are meant: about another one
    Spark's parser has the last word.
    """

    title: str
    schema: str
    table: tuple[str, ...] | None
    partition: Mapping[str, str | None]
    clause: str | None
    condition: str | None
    database: str | None
    must_exist: bool
    of_session: bool
    statement: str
    explained: str | None
    is_foreign: bool


@dataclass(frozen=True)
class OperatorRequest:
    """The request to run one: `title` and `statement` as it was told of.

    Its table is resolved; `detail` is what the catalog knows of it, None where it was not asked. `parts` are those of
    its PARTITION clause, `k=v` as in the metastore's names of partitions. `partitions` are the names of those for which
    its condition is true, None without a condition.
    `transaction` is the token of the transaction of several statements that the session is in, None without one.
    """

    title: str
    statement: str
    table: TableName | None
    detail: TableDetail | None
    parts: tuple[str, ...]
    partitions: tuple[str, ...] | None
    transaction: str | None
    settings: Mapping[str, str]


@dataclass(frozen=True)
class OperatorAnswer:
    """The rows of one, and the token of the transaction that it has begun for the session, None if it has not."""

    rows: tuple[Row, ...]
    begun: str | None = None


@dataclass(frozen=True)
class OtherCommand:
    """A command of Spark's or of another extension that is about to run in a session's transaction.

    `node` is the name of its class, `is_temporary`: what it makes or drops is of the session alone. `transaction` is
    the token of the transaction.
    """

    node: str
    is_temporary: bool
    transaction: str
    settings: Mapping[str, str]
