"""Methods of `AcidTable` that a client of Spark Connect calls, and questions about a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import TableName
from hive_acid.wire.operators import OperatorStatement


@dataclass(frozen=True)
class CalledClause:
    """A clause of a MERGE; columns are told by their places, see TableCall.

    `group` is matched, notMatched or notMatchedBySource, `action` update, insert or delete. `keys` and `values` are
    None where all columns are assigned by name.
    """

    group: str
    action: str
    condition: int | None
    keys: tuple[str, ...] | None
    values: tuple[int, ...] | None


@dataclass(frozen=True)
class TableCall:
    """One call. Its columns and the source of a MERGE come beside it; a column is told by its place, from 0.

    `version` is the client's package. `table` is the name as `forName` got it, `alias` that of `alias`. `frames` are
    Spark Connect's plan IDs of the table's own DataFrame and, behind it, of the aliased one. `condition` is None for
    all rows, `partition` for all partitions; a value None of it is NULL. `statement` is that of `compact`, but for the
    table, `limit` that of `history`.
    """

    version: str
    method: str
    table: str
    alias: str | None = None
    frames: tuple[int, ...] = ()
    condition: int | None = None
    keys: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    clauses: tuple[CalledClause, ...] = ()
    partition: Mapping[str, str | None] | None = None
    statement: OperatorStatement | None = None
    limit: int | None = None


@dataclass(frozen=True)
class TableQuestion:
    """A question of the shim about a table: its content, or at most `limit` entries of its history."""

    table: TableName
    limit: int | None
    settings: Mapping[str, str]
