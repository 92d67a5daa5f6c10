"""Notes on who wrote what: a small hidden file in one folder of each statement, and in those that compactions make.

No literal of a statement is in a note (design, D22), nor the name of a partition, which is a value too: which ones a
statement touched is told by its folders, as long as they are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

MAX_HISTORY_BYTES = 16_384
"""The maximum size of a file of notes, in bytes."""
MAX_TEXT = 2_000
"""The most characters of a statement in a note."""
MAX_NAME = 200
"""The most characters of any other text in a note."""
_FORMAT = 1
_MAX_NUMBER = 2**63 - 1


@dataclass(frozen=True)
class WriteNote:
    """The record of what one statement, or one compaction, wrote under one write ID.

    `time_ms` is the writer's clock just before the commit, since 1970. `first_statement_id` and `last_statement_id`
    bound the statement IDs of its folders (0 for a base). `statement` is its SQL text without literals, None if it
    had none (a DataFrame's method) or it is not to be kept. Rows are None where nobody counted them. `files` and
    `bytes` are of data files, `partitions` is a number, 0 in a flat table.
    """

    write_id: int
    txn_id: int
    time_ms: int
    operation: str
    first_statement_id: int = 0
    last_statement_id: int = 0
    statement: str | None = None
    application: str | None = None
    application_id: str | None = None
    user: str | None = None
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    files: int = 0
    bytes: int = 0
    partitions: int = 0

    def has_statement(self, statement_id: int | None) -> bool:
        """True if a folder with this statement ID (None: its name has none) can be this statement's."""
        return statement_id is None or self.first_statement_id <= statement_id <= self.last_statement_id


@dataclass(frozen=True)
class HistoryFile:
    """The notes in one file: one note of a statement, or those of everything that a compaction merged, newest first.

    `dropped` is how many notes of folded statements were left out for want of room. `compaction` is the compaction's
    own note.
    """

    notes: tuple[WriteNote, ...]
    dropped: int = 0
    compaction: WriteNote | None = None

    def format(self) -> str:
        """As JSON on one line, of at most MAX_HISTORY_BYTES: the statement of a lone note, and old notes, give way."""
        kept, dropped = list(self.notes), self.dropped
        while _size(text := _format(kept, dropped, self.compaction)) > MAX_HISTORY_BYTES and kept:
            if len(kept) == 1 and kept[0].statement is not None:
                kept = [replace(kept[0], statement=None)]
            else:
                surplus = _size(text) - MAX_HISTORY_BYTES
                while surplus > 0 and kept:
                    surplus -= _size(json.dumps(_to_json(kept[-1]), ensure_ascii=False))
                    kept.pop()
                    dropped += 1
        return text

    @classmethod
    def parse(cls, text: str) -> HistoryFile:
        """From its JSON. Raises ValueError for what is none of ours, or of a later form."""
        try:
            found = json.loads(text)
            if not isinstance(found, dict) or found["version"] != _FORMAT or not isinstance(found["notes"], list):
                raise ValueError("not notes of this form")
            compaction = found.get("compaction")
            return cls(
                tuple(map(_parse_note, found["notes"])),
                _number(found.get("dropped", 0)),
                None if compaction is None else _parse_note(compaction),
            )
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"not notes of this form: {error!r}") from error


def fold_notes(
    texts: Iterable[str], compaction: WriteNote | None = None, is_kept: Callable[[int], bool] = lambda write_id: True
) -> str:
    """The text of the file for a folder that a compaction makes, from the texts of those in the folders it folds.

    Each note is kept once, the newest first, as many as there is room for; what cannot be read is passed over.
    `is_kept` tells by its write ID whether a note is wanted: not if the transaction was aborted. `compaction` says who
    compacted; such notes of earlier compactions go.
    """
    notes: dict[tuple[int, int, int], WriteNote] = {}
    dropped = 0
    for text in texts:
        try:
            file = HistoryFile.parse(text)
        except ValueError:
            continue
        dropped += file.dropped
        notes.update({note_key(note): note for note in file.notes if is_kept(note.write_id)})
    newest_first = tuple(notes[key] for key in sorted(notes, reverse=True))
    return HistoryFile(newest_first, dropped, compaction).format()


def note_key(note: WriteNote) -> tuple[int, int, int]:
    """The sort key of a note: it gives the order in which notes were written."""
    return note.write_id, note.first_statement_id, note.txn_id


def _format(notes: Iterable[WriteNote], dropped: int, compaction: WriteNote | None) -> str:
    content: dict[str, Any] = {"version": _FORMAT, "notes": [_to_json(note) for note in notes]}
    if dropped:
        content["dropped"] = dropped
    if compaction:
        content["compaction"] = _to_json(compaction)
    return json.dumps(content, ensure_ascii=False)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _to_json(note: WriteNote) -> Mapping[str, Any]:
    return {name: value for name, value in asdict(note).items() if value is not None}


_TEXTS = frozenset(field.name for field in fields(WriteNote) if "str" in str(field.type))
_NAMES = frozenset(field.name for field in fields(WriteNote))


def _parse_note(found: Any) -> WriteNote:
    """Fields that a later release may have added are passed over. Raises ValueError, KeyError and TypeError."""
    if not isinstance(found, dict):
        raise ValueError("a note is an object")
    values = {name: value for name, value in found.items() if name in _NAMES and value is not None}
    checked: dict[str, Any] = {
        name: _text(name, value) if name in _TEXTS else _number(value) for name, value in values.items()
    }
    return WriteNote(**checked)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return shorten(value, MAX_TEXT if name == "statement" else MAX_NAME)


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MAX_NUMBER:
        raise ValueError(f"{value!r} is no number of a note")
    return value


def shorten(text: str, limit: int) -> str:
    """The text, or its beginning and `…`, in at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
