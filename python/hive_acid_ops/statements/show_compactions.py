"""The rows of SHOW COMPACTIONS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hive_acid.api.compaction import WAITING_MS, CompactionInfo, CompactionKind, CompactionState
from hive_acid.api.statements import Row, ShowCompactions, SortKey
from hive_acid_ops.doctor.ages import format_age, is_old
from hive_acid_ops.statements.scope import ShownScope

_TYPES = {CompactionKind.ABORT_CLEANUP: "ABORT_TXN_CLEANUP"}
"""Names in Hive's CompactionType, where the kind has another one."""
_PLACES = {column.name: place for place, column in enumerate(ShowCompactions.COLUMNS)}


def build_compaction_rows(
    entries: Iterable[CompactionInfo], statement: ShowCompactions, scope: ShownScope, now_ms: int
) -> list[Row]:
    """A row for each entry that the scope and the filters let pass (ShowCompactionsOperation of Hive 4.1).

    `now_ms` are milliseconds since 1970: what has waited long for the Cleaner says so where the metastore keeps no
    error. Sorted as the statement says, else as the entries are; only then the limit counts.
    """
    shown = [entry for entry in entries if _is_shown(entry, statement, scope)]
    rows = _sorted_rows([_build_row(entry, now_ms) for entry in shown], statement.sort_keys)
    return rows[: statement.limit]


def _is_shown(entry: CompactionInfo, statement: ShowCompactions, scope: ShownScope) -> bool:
    wanted = (
        (statement.compaction_id, entry.id),
        (statement.pool, entry.pool),
        (statement.kind, entry.kind.value.replace("-", " ")),
        (statement.state, entry.state.value),
    )
    passes = all(asked is None or asked == found for asked, found in wanted)
    return passes and scope.covers(entry.table.database, entry.table, entry.partition)


def _sorted_rows(rows: list[Row], keys: Sequence[SortKey]) -> list[Row]:
    for key in reversed(keys):
        place = _PLACES[key.column]
        unknown = [row for row in rows if row[place] is None]
        known = sorted((row for row in rows if row[place] is not None), key=_value_at(place), reverse=key.is_descending)
        rows = [*unknown, *known] if key.nulls_first else [*known, *unknown]
    return rows


def _value_at(place: int) -> Callable[[Row], Any]:
    return lambda row: row[place]


def _find_error(entry: CompactionInfo, now_ms: int) -> str | None:
    if entry.error or entry.state is not CompactionState.READY:
        return entry.error
    done_ms = entry.committed_ms or entry.started_ms
    if done_ms is None or not is_old(done_ms, now_ms, WAITING_MS):
        return None
    return f"not cleaned for {format_age(now_ms - done_ms)}; hive-acid doctor says what its Cleaner waits for"


def _build_row(entry: CompactionInfo, now_ms: int) -> Row:
    duration_ms = None
    if entry.started_ms is not None and entry.ended_ms is not None:
        duration_ms = entry.ended_ms - entry.started_ms
    return (
        entry.id,
        entry.table.database,
        entry.table.table,
        entry.partition,
        _TYPES.get(entry.kind, entry.kind.name),
        entry.state.value,
        *_split_id(entry.worker),
        entry.enqueued_ms,
        entry.started_ms,
        duration_ms,
        entry.job_id,
        _find_error(entry, now_ms),
        *_split_id(entry.initiator),
        entry.pool,
        entry.txn_id,
        entry.next_txn_id,
        entry.committed_ms,
        entry.highest_write_id,
    )


def _split_id(id_: str | None) -> tuple[str | None, str | None]:
    """Host and thread of `host-thread`; each is the whole where there is no hyphen (MetaStoreUtils.getHostFromId)."""
    if id_ is None:
        return None, None
    host, hyphen, thread = id_.rpartition("-")
    return (host, thread) if hyphen else (id_, id_)
