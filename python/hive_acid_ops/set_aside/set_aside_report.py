"""The loss, if a write ID is set aside, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from hive_acid_ops.history.report import format_text as format_history
from hive_acid_ops.set_aside.setting_aside import LostFolder, SetAside


def format_text(found: SetAside, is_confirmed: bool = False) -> str:
    """For people: what made the write ID, and each of its folders with what becomes of its rows.

    It is told before anything is done, `is_confirmed` if that follows; afterwards only that it was done.
    """
    return "\n".join(_format_done(found) if found.is_done else _format_loss(found, is_confirmed))


def _format_done(found: SetAside) -> Iterator[str]:
    yield f"{found.table}: write ID {found.write_id} was set aside"
    yield f"its folders are in {found.target}, which no engine reads; remove that once nobody needs it"


def _format_loss(found: SetAside, is_confirmed: bool) -> Iterator[str]:
    yield f"{found.table}: write ID {found.write_id} {'is to' if is_confirmed else 'would'} be set aside"
    if found.written_by:
        yield "    " + format_history(found.written_by).replace("\n", "\n    ")
    for folder in found.folders:
        yield f"    {folder.path}: files {folder.files}, bytes {folder.bytes}; {_describe_rows(folder)}"
    if not is_confirmed:
        yield f"nothing was changed; --yes moves these folders into {found.target}, which no engine reads"


def _describe_rows(folder: LostFolder) -> str:
    count = "not known, for a file cannot be read" if folder.rows is None else folder.rows
    return f"deleted rows that come back: {count}" if folder.is_of_deletes else f"rows that are lost: {count}"


def format_json(found: SetAside) -> str:
    """For programs: one object on one line; what is not known is null."""
    fields = asdict(found) | {"table": str(found.table)}
    return json.dumps(fields)
