"""The history of a table, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timezone

from hive_acid_ops.history.entries import HistoryEntry


def format_json(entries: Sequence[HistoryEntry]) -> str:
    """For programs: one object on one line."""
    return json.dumps({"history": [asdict(entry) for entry in entries]})


def format_text(entries: Sequence[HistoryEntry]) -> str:
    """For people: a few lines each, the newest first. Times are in UTC."""
    return "\n".join(line for entry in entries for line in _format_entry(entry)) or "nothing was written"


def describe_ids(entry: HistoryEntry) -> str:
    """Its write ID, or from which to which."""
    return f"{entry.first_write_id}-{entry.write_id}" if entry.first_write_id != entry.write_id else str(entry.write_id)


def describe_time(entry: HistoryEntry) -> str:
    """In UTC; `-` if it is not known."""
    if not entry.time_ms:
        return "-"
    return datetime.fromtimestamp(entry.time_ms / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def _format_entry(entry: HistoryEntry) -> list[str]:
    by = entry.application + (f" ({entry.application_id})" if entry.application_id else "")
    user = f", user {entry.user}" if entry.user else ""
    txn = f", transaction {entry.txn_id}" if entry.txn_id else ""
    lines = [f"write ID {describe_ids(entry)}  {describe_time(entry)}  {entry.operation or '-'}  by {by}{user}{txn}"]
    lines += [text for text in (entry.statement, entry.remark) if text]
    if entry.folded_into:
        lines.append(f"folded into {', '.join(entry.folded_into)} by a compaction")
    return [_printable(lines[0]), *(f"    {_printable(line)}" for line in (*lines[1:], describe_amounts(entry)))]


def describe_amounts(entry: HistoryEntry) -> str:
    """Its rows, files, bytes and partitions."""
    counts = {name: getattr(entry, name) for name in ("inserted", "updated", "deleted")}
    rows = ", ".join(f"{count} {name}" for name, count in counts.items() if count is not None)
    names = f": {', '.join(entry.partitions)}" if entry.partitions else ""
    more = " …" if 0 < len(entry.partitions) < entry.partition_count else ""
    partitions = f"; partitions {entry.partition_count}{names}{more}" if entry.partition_count else ""
    return f"rows {rows or 'not known'}; files {entry.files}, bytes {entry.bytes}{partitions}"


def _printable(text: str) -> str:
    """Others may have written it: nothing in it moves the cursor of a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)
