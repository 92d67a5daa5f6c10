"""The folders of a table as a picture: for each partition the write IDs from left to right, and a box for each folder.

The picture is HTML with an SVG for each partition, in light and dark colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

from hive_acid_ops.files.folders import Role, ShownFolder, ShownRoot, TableFiles
from hive_acid_ops.files.text import format_bytes

_WIDTH: Final = 900
_LEFT: Final = 110
_BOX: Final = 26
_GAP: Final = 4
_CHARACTER: Final = 6.2
"""The width of a character of 11 pixels' height."""
_PARTITIONS: Final = 20
_LANES: Final[Sequence[tuple[str, frozenset[Role]]]] = (
    ("rows", frozenset((Role.BASE, Role.DELTA, Role.ORIGINAL))),
    ("deletes", frozenset((Role.DELETE_DELTA,))),
    ("not visible yet", frozenset((Role.OPEN,))),
    ("to be removed", frozenset((Role.REPLACED, Role.ABORTED))),
)
_CLASSES: Final[Mapping[Role, str]] = {
    Role.BASE: "base",
    Role.ORIGINAL: "base",
    Role.DELTA: "delta",
    Role.DELETE_DELTA: "deletes",
    Role.OPEN: "open",
    Role.REPLACED: "gone",
    Role.ABORTED: "gone",
}
_STYLE: Final = """\
.hive-acid-files{font:13px system-ui,sans-serif;max-width:920px;color:#1b1f24}
.hive-acid-files h3{font-size:14px;margin:14px 0 2px}.hive-acid-files p{margin:2px 0}
.hive-acid-files svg{width:100%;height:auto}
.hive-acid-files text{font:11px system-ui,sans-serif;fill:#1b1f24}
.hive-acid-files .lane,.hive-acid-files .mark{fill:#57606a}
.hive-acid-files rect{stroke:#fff;stroke-width:1}.hive-acid-files line{stroke:#8c959f}
.hive-acid-files .base{fill:#9ec9f5}.hive-acid-files .delta{fill:#a6dba0}.hive-acid-files .deletes{fill:#f4b6a6}
.hive-acid-files .open{fill:#f5e29e}.hive-acid-files .gone{fill:#d8dee4}
@media (prefers-color-scheme:dark){.hive-acid-files,.hive-acid-files text{color:#e6edf3;fill:#e6edf3}
.hive-acid-files .lane,.hive-acid-files .mark{fill:#9198a1}.hive-acid-files rect{stroke:#0d1117}
.hive-acid-files .base{fill:#1f5f99}.hive-acid-files .delta{fill:#2e7031}.hive-acid-files .deletes{fill:#96412c}
.hive-acid-files .open{fill:#7a661b}.hive-acid-files .gone{fill:#3d444d}}"""


def draw(files: TableFiles) -> str:
    """A part of a page. At most twenty partitions are drawn, those with the most folders."""
    drawn = sorted(files.roots, key=lambda root: -len(root.folders))[:_PARTITIONS]
    roots = "".join(_draw_root(root) for root in files.roots if root in drawn)
    more = len(files.roots) - len(drawn)
    rest = f"<p>{more} more partitions, with fewer folders, are not drawn.</p>" if more else ""
    none = "" if files.roots else "<p>It has no partitions.</p>"
    head = f"<p><b>{escape(str(files.table))}</b> · {files.kind} · {escape(files.location)}</p>"
    return f'<div class="hive-acid-files"><style>{_STYLE}</style>{head}{roots}{rest}{none}</div>'


def build_page(files: TableFiles) -> str:
    """The picture as a page of its own."""
    title = escape(str(files.table))
    scheme = "<style>:root{color-scheme:light dark}</style>"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>{scheme}'
    return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{draw(files)}</body></html>\n'


def _draw_root(root: ShownRoot) -> str:
    title = f"<h3>{escape(root.partition)}</h3>" if root.partition is not None else ""
    if root.error:
        return f"{title}<p>It cannot be told: {escape(root.error)}</p>"
    told = [f"Compaction: {root.compaction}.", *([f"Cleaning: {root.cleaning}."] if root.cleaning else [])]
    picture = _draw_folders(root.folders) if root.folders else "<p>No files.</p>"
    return title + picture + "".join(f"<p>{escape(text)}</p>" for text in told)


def _draw_folders(folders: Sequence[ShownFolder]) -> str:
    places = _find_places(folders)
    parts: list[str] = []
    top = _GAP
    for title, roles in _LANES:
        rows = _stack([folder for folder in folders if folder.role in roles])
        if rows:
            parts.append(f'<text class="lane" x="0" y="{top + 17}">{title}</text>')
        for row in rows:
            parts += [_draw_box(folder, *places[folder.name], top) for folder in row]
            top += _BOX + _GAP
    for kind in ("minor", "major"):
        folded = [places[folder.name] for folder in folders if kind in folder.folded_by]
        if folded:
            parts.append(_draw_reach(kind, min(x for x, _ in folded), max(end for _, end in folded), top))
            top += 20
    return f'<svg viewBox="0 0 {_WIDTH} {top}" role="img">{"".join(parts)}</svg>'


def _find_places(folders: Sequence[ShownFolder]) -> dict[str, tuple[float, float]]:
    """From where to where each folder is drawn: each write ID at which one begins or ends has the same width."""
    ids = sorted({number for folder in folders for number in (folder.first_write_id, folder.last_write_id)})
    width = (_WIDTH - _LEFT) / len(ids)
    at = {number: _LEFT + place * width for place, number in enumerate(ids)}
    return {folder.name: (at[folder.first_write_id], at[folder.last_write_id] + width) for folder in folders}


def _stack(folders: Sequence[ShownFolder]) -> list[list[ShownFolder]]:
    """Rows in which no two folders share a write ID."""
    rows: list[list[ShownFolder]] = []
    for folder in sorted(folders, key=lambda each: (each.first_write_id, each.last_write_id)):
        free = (row for row in rows if row[-1].last_write_id < folder.first_write_id)
        row = next(free, None)
        if row is None:
            rows.append([folder])
        else:
            row.append(folder)
    return rows


def _draw_box(folder: ShownFolder, start: float, end: float, top: int) -> str:
    width = end - start
    size = format_bytes(folder.bytes)
    what = f"{folder.name}: {folder.role.value}, {folder.files} files, {size}"
    label = next((text for text in _labels(folder, size) if len(text) * _CHARACTER < width - 8), "")
    text = f'<text x="{start + 5:.1f}" y="{top + 17}">{escape(label)}</text>' if label else ""
    box = (
        f'<rect class="{_CLASSES[folder.role]}" x="{start:.1f}" y="{top}" width="{width:.1f}" height="{_BOX}" rx="3"/>'
    )
    return f"<g><title>{escape(what)}</title>{box}{text}</g>"


def _labels(folder: ShownFolder, size: str) -> Iterator[str]:
    """From the longest to the shortest; the first that fits is drawn."""
    ids = f"{folder.first_write_id} to {folder.last_write_id}"
    short = str(folder.last_write_id) if folder.first_write_id in (0, folder.last_write_id) else ids
    yield f"{folder.name} · {size}"
    yield folder.name
    yield f"{short} · {size}"
    yield short


def _draw_reach(kind: str, start: float, end: float, top: int) -> str:
    """A line below what a compaction of the kind would fold."""
    line = f'<line x1="{start + 1:.1f}" y1="{top + 4}" x2="{end - 1:.1f}" y2="{top + 4}" stroke-width="2"/>'
    at, anchor = (start + 1, "start") if start < _WIDTH * 0.7 else (end - 1, "end")
    words = f"{kind} compaction folds this"
    text = f'<text class="mark" x="{at:.1f}" y="{top + 17}" text-anchor="{anchor}">{words}</text>'
    return line + text
