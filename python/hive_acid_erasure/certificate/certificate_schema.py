"""The form of a certificate, down to the last entry: one that anybody has signed may be of any form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = type | list[Any] | Mapping[str, Any] | Callable[[Any], bool]
"""A type, the schema of a list's entries in a list, those of an object by name (`?`: may be missing), or a test."""


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _is_table(value: Any) -> bool:
    return isinstance(value, str) and all(value.partition("."))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number_or_none(value: Any) -> bool:
    return value is None or _is_number(value)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


_PLACE = {"kind": str, "where": str, "detail": str}
_COLUMN = {"name": str, "position": _is_number, "data_type": str}
_KEY = {"parts": [str], "hashes": [_is_hash], "types?": {"parts": [str], "columns": [_COLUMN]}}
_FILE = {
    "path": str,
    "length_bytes": _is_number,
    "modified_ms": _is_number,
    "searched": str,
    "rows": _is_number,
    "matches": _is_number,
    "sha256?": _is_hash,
}
_REACH = {
    "table": str,
    "asked": _is_number,
    "without": _is_number,
    "hidden_rows": _is_number,
    "unsearched_files": _is_number,
}
_SEARCHED = dict.fromkeys(("files", "bytes", "not_searched", "skipped_by_statistics"), _is_number)
_CROSS_CHECK = {
    "files": _is_number,
    "rows": _is_number,
    "not_checked": [{"files": _is_number, "reason": str}],
    "unsure_rows?": _is_number,
    "differences?": _is_number,
    "in_part?": _is_number,
    "one_reader?": [{"key": [str], "reason": str}],
}
_SECOND_READER = {"max_files": _is_number_or_none, "max_rows": _is_number_or_none}
_SNAPSHOT = {"high_write_id": _is_number_or_none, "listed_at": _is_text_or_none, "counted_at": _is_text_or_none}
_DELETION = {"txn_id": _is_number, "write_id": _is_number_or_none, "rows": _is_number, "after_interruption": bool}
_TABLE = {
    "table": _is_table,
    "identity": str,
    "locations": [str],
    "hidden_locations?": [_is_hash],
    "keys": [_KEY],
    "files": [_FILE],
    "places": [_PLACE],
    "reach?": [_REACH],
    "partitions?": {"within": [str], "outside": [str]},
    "snapshot?": _SNAPSHOT,
    "searched?": _SEARCHED,
    "cross_check?": _CROSS_CHECK,
    "found?": {"total": _is_number, "matched": _is_number},
    "deletions?": [_DELETION],
    "compactions?": [{"id": _is_number_or_none, "partition": str}],
    "files_removed?": [str],
    "bytes_removed?": _is_number,
}
PAYLOAD: Mapping[str, Any] = {
    "format": str,
    "kind": str,
    "erasure": str,
    "issued_at": str,
    "as_of?": str,
    "plan": {
        "subject_columns?": [str],
        "tables": [{"table": str, "partitions?": _is_text_or_none}],
        "second_reader?": _SECOND_READER,
        "former_columns?": bool,
    },
    "subjects": {"count": _is_number, "digest": str, "hash": str, "key": str},
    "tables": [_TABLE],
    "phases": [{"phase": str, "at": str, "detail": str}],
    "versions": dict,
    "blind_spots": [str],
    "verdict": {"state": str, "missing": [_PLACE], "after_deadline?": bool},
}


def find_misfit(value: Any, schema: Schema, place: str, name: str) -> tuple[str, str] | None:
    """Where something does not fit, and its name there; None if all fits. `name` is that of the value in `place`."""
    own = f"{place}.{name}" if place else name
    if isinstance(schema, Mapping):
        if not isinstance(value, dict):
            return place, name
        for key, inner in schema.items():
            entry = key.removesuffix("?")
            if entry not in value and entry == key:
                return own, key
            if entry in value and (found := find_misfit(value[entry], inner, own, entry)):
                return found
        return None
    if isinstance(schema, list):
        if not isinstance(value, list):
            return place, name
        misfits = (find_misfit(entry, schema[0], place, f"{name}[{at}]") for at, entry in enumerate(value))
        return next(filter(None, misfits), None)
    fits = isinstance(value, schema) if isinstance(schema, type) else schema(value)
    return None if fits else (place, name)
