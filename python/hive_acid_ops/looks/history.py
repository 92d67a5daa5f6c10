"""The history of a table at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from hive_acid_ops.history.entries import HistoryEntry
from hive_acid_ops.history.report import describe_amounts, describe_ids, describe_time, format_text

_ON_A_SCREEN: Final = 8
_ON_A_PAGE: Final = 50
_STATEMENT: Final = 200
"""The number of characters of a statement that a page shows."""
_HEADS: Final = ("time (UTC)", "write ID", "what", "rows, files, partitions", "by")
_COLOURS: Final = {"INSERT": "#2e7031", "DELETE": "#96412c", "COMPACTION": "#57606a", "UPDATE": "#7a661b"}
"""The colour of the mark before an entry, by the first word of what was done."""


def format_newest(entries: Sequence[HistoryEntry]) -> str:
    """For a terminal: the newest entries, and how many there are besides."""
    more = len(entries) - _ON_A_SCREEN
    return format_text(entries[:_ON_A_SCREEN]) + (f"\n… and {more} older" if more > 0 else "")


def format_html(entries: Sequence[HistoryEntry]) -> str:
    """For a notebook: a line of time from the newest entry to older ones."""
    if not entries:
        return "<p>Nothing was written.</p>"
    heads = "".join(f"<th>{head}</th>" for head in ("", *_HEADS))
    rows = "".join(map(_format_row, entries[:_ON_A_PAGE]))
    more = len(entries) - _ON_A_PAGE
    rest = f"<p>… and {more} older</p>" if more > 0 else ""
    style = "<style>.hive-acid-history td,.hive-acid-history th{text-align:left;vertical-align:top}</style>"
    return f'{style}<table class="hive-acid-history"><tr>{heads}</tr>{rows}</table>{rest}'


def _format_row(entry: HistoryEntry) -> str:
    what = entry.operation or "not known"
    colour = _COLOURS.get(what.partition(" ")[0], "#1f5f99")
    mark = f'<td style="border-left:6px solid {colour}"></td>'
    notes = [text[:_STATEMENT] for text in (entry.statement, entry.remark) if text]
    told = "<br>".join([f"<b>{escape(what)}</b>", *(f"<code>{escape(note)}</code>" for note in notes)])
    by = " ".join(filter(None, (entry.user, f"({entry.application})")))
    cells = (describe_time(entry), describe_ids(entry), None, describe_amounts(entry), by)
    return f"<tr>{mark}" + "".join(f"<td>{told if cell is None else escape(cell)}</td>" for cell in cells) + "</tr>"
