"""The note that a statement leaves in one of its folders; its form is `hive_acid.history.note`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from hive_acid import config
from hive_acid.history.note import MAX_NAME, MAX_TEXT, HistoryFile, WriteNote, fold_notes, shorten
from hive_acid.model.names import FolderName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.sql.redaction import redact
from hive_acid.wire.statements import Statement
from hive_acid.wire.write_spec import WriteResult


@dataclass(frozen=True)
class Author:
    """The author of a write: the application's name and ID, and the user whom the metastore knows."""

    application: str
    application_id: str
    user: str


class NoteWriter:
    """Writes the notes of one application. `now_ms` is the time since 1970."""

    def __init__(self, author: Author | None = None, now_ms: Callable[[], int] | None = None) -> None:
        self._author = author or Author("", "", "")
        self._now_ms = now_ms or _now_ms

    def build(
        self,
        statement: Statement,
        result: WriteResult,
        txn_id: int,
        write_id: int,
        settings: config.Settings,
        purpose: str | None = None,
    ) -> str | None:
        """The text of the note of a statement that has staged `result`; None if no history is kept.

        `purpose` stands in the place of the statement's own text, which a program has made.
        """
        if not settings.flag(config.HISTORY_ENABLED):
            return None
        names = [FolderName.parse(folder.name) for folder in result.folders]
        statement_ids = [name.statement_id or 0 for name in names if name] or [0]
        note = replace(
            self._begin(statement.kind.title, txn_id, write_id),
            first_statement_id=min(statement_ids),
            last_statement_id=max(statement_ids),
            statement=(purpose or _find_text(statement)) if settings.flag(config.HISTORY_STATEMENT_TEXT) else None,
            inserted=result.counts.inserted,
            updated=result.counts.updated,
            deleted=(result.counts.replaced or None) if statement.kind.replaces else result.counts.deleted,
            files=sum(len(folder.files) for folder in result.folders),
            bytes=sum(folder.bytes for folder in result.folders),
            partitions=len(result.partitions),
        )
        return HistoryFile((note,)).format()

    def build_told(
        self, operation: str, text: str, partitions: int, txn_id: int, write_id: int, settings: config.Settings
    ) -> str | None:
        """The text of the note of what has written no rows; None if no history is kept."""
        if not settings.flag(config.HISTORY_ENABLED):
            return None
        note = replace(self._begin(operation, txn_id, write_id), statement=text, partitions=partitions)
        return HistoryFile((note,)).format()

    def build_folded(
        self,
        operation: str,
        texts: Iterable[str],
        result: WriteResult,
        txn_id: int,
        write_ids: ValidWriteIdList,
        settings: config.Settings,
    ) -> str | None:
        """The text of the note of a compaction that has staged `result`, with those of what it folded (`texts`).

        `write_ids` are those it was allowed to fold. None if no history is kept.
        """
        if not settings.flag(config.HISTORY_ENABLED):
            return None
        note = replace(
            self._begin(operation, txn_id, max(0, write_ids.high_water_mark)),
            files=sum(len(folder.files) for folder in result.folders),
            bytes=sum(folder.bytes for folder in result.folders),
        )
        return fold_notes(texts, note, lambda write_id: not write_ids.is_aborted(write_id))

    def _begin(self, operation: str, txn_id: int, write_id: int) -> WriteNote:
        return WriteNote(
            write_id=write_id,
            txn_id=txn_id,
            time_ms=self._now_ms(),
            operation=operation,
            application=shorten(self._author.application, MAX_NAME) or None,
            application_id=shorten(self._author.application_id, MAX_NAME) or None,
            user=shorten(self._author.user, MAX_NAME) or None,
        )


def _find_text(statement: Statement) -> str | None:
    text = statement.text
    if text is None:
        return None
    redacted = redact(text.sql, frozenset(text.names), text.position, text.is_whole)
    return None if redacted is None else shorten(redacted, MAX_TEXT)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
