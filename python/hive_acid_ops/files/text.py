"""The folders of a table as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from hive_acid_ops.files.folders import ShownFolder, ShownRoot, TableFiles

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB", "PB")
_FOLDERS: Final = 40
"""The number of folders of a table or partition that text names; the oldest deltas beyond are one line."""


def format_json(files: TableFiles) -> str:
    """For programs: one object on one line; what is not known is null. `role` is a stable word."""
    roots = [_build_fields(root) for root in files.roots]
    table = {"database": files.table.database, "table": files.table.table}
    return json.dumps({**table, "kind": files.kind, "location": files.location, "partitions": roots})


def _build_fields(root: ShownRoot) -> dict[str, object]:
    folders = [{**vars(folder), "role": folder.role.value} for folder in root.folders]
    return {**vars(root), "folders": folders}


def format_text(files: TableFiles) -> str:
    """For people: the folders of each partition in the order of their write IDs, and what becomes of them."""
    lines = [f"{files.table}  {files.kind}  {files.location}"]
    for root in files.roots:
        lines += ["", *_format_root(root)]
    if not files.roots:
        lines.append("it has no partitions")
    return "\n".join(map(printable, lines))


def _format_root(root: ShownRoot) -> Iterator[str]:
    if root.partition is not None:
        yield root.partition
    if root.error:
        yield f"  cannot be told: {root.error}"
        return
    shown = root.folders[-_FOLDERS:]
    if len(root.folders) > len(shown):
        hidden = root.folders[: -len(shown)]
        yield f"  … {len(hidden)} folders before, {format_bytes(sum(folder.bytes for folder in hidden))}"
    yield from _align([_cells(folder) for folder in shown] or [("no files",)])
    yield f"  compaction: {root.compaction}"
    if root.cleaning:
        yield f"  cleaning:   {root.cleaning}"


def _cells(folder: ShownFolder) -> tuple[str, ...]:
    fate = "the Cleaner's" if folder.role.is_cleaned else ", ".join(folder.folded_by) and f"folded by {_folded(folder)}"
    files = "1 file" if folder.files == 1 else f"{folder.files} files"
    return folder.name, folder.role.value, files, format_bytes(folder.bytes), fate


def _folded(folder: ShownFolder) -> str:
    return " and ".join(folder.folded_by)


def _align(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    rows = list(rows)
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(cells)}".rstrip()


def format_bytes(count: int) -> str:
    """For people: three digits and a unit, as `1.23 MB`."""
    number, unit = float(count), 0
    while number >= 999.5 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.3g} {_UNITS[unit]}" if unit else f"{count} byte{'' if count == 1 else 's'}"


def printable(text: str) -> str:
    """Others may have written it: nothing in it moves the cursor of a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)
