"""Shows at once what works: marks in place of words, rows by families, wide tables at full width."""

from __future__ import annotations

import re
from typing import Any

MARKS = {"yes": "✓", "refused": "✕", "Spark": "◆", "-": "·"}
"""The words of cells that become marks. The word stays in the page, for copies and for screen readers."""

FAMILIES = (
    ("Look", r"SELECT|the hidden|EXPLAIN|DESCRIBE|SHOW|AcidTable</code>: <code>toDF"),
    ("Insert and overwrite", r"INSERT|FROM|TRUNCATE|LOAD|AcidTable</code>: <code>truncate"),
    ("Change rows", r"DELETE|UPDATE|MERGE|AcidTable</code>: <code>delete"),
    ("DataFrames", r"df\."),
    ("Transactions", r"START|BEGIN|COMMIT|ROLLBACK"),
    ("Make tables", r"CREATE|the same|DROP TABLE"),
    ("Compact and clean", r"ALTER TABLE … COMPACT|OPTIMIZE|VACUUM|ABORT"),
    ("Alter tables", r"ALTER|MSCK"),
    ("Everything else", ""),
)
"""The families of statements, each with how the first cell of its rows begins. The first that fits counts."""

_MANY = 8
"""A table with as many marks has a legend, and one with as many columns is wide."""

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>\n?", re.DOTALL)
_WORD = re.compile(r"<td([^>]*)>(yes|refused|Spark|-)</td>")
_PROCESSORS = re.compile(r"<p>(Processor seconds):</p>\s*(<table>.*?</table>)", re.DOTALL)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Changes the tables of a page. MkDocs calls this for every page."""
    shown = _TABLE.sub(lambda found: show_table(found[0]), html)
    if re.search('<div class="[a-z ]*wide">', shown) and shown.count("<h2") < 2:
        page.meta["hide"] = [*page.meta.get("hide", ()), "toc"]  # its room is the table's
    return _PROCESSORS.sub(r"<details><summary>\1</summary>\2</details>", shown)


def show_table(table: str) -> str:
    """A table with its marks, legend and families, in a block of its own if it is wide."""
    head, body = table.split("<tbody>")
    words = [word for _, word in _WORD.findall(body)]
    kinds = {"marks": len(words) >= _MANY, "wide": len(re.findall("<th[ >]", head)) >= _MANY}
    if kinds["marks"]:
        table = f"{_legend(words)}{_fold(head, _mark(body))}"
    names = " ".join(name for name, holds in kinds.items() if holds)
    return f'<div class="{names}">{table}</div>' if names else table


def _mark(body: str) -> str:
    def marked(found: re.Match[str]) -> str:
        attributes, word = found.groups()
        name = "none" if word == "-" else word.lower()
        return f'<td{attributes}><span class="mark {name}" data-mark="{MARKS[word]}" title="{word}">{word}</span></td>'

    return _WORD.sub(marked, body)


def _legend(words: list[str]) -> str:
    used = (word for word in MARKS if word in words and word != "-")
    marks = (f'<span class="mark {word.lower()}" data-mark="{MARKS[word]}"></span> {word}' for word in used)
    return f'<p class="legend">{" &nbsp; ".join(marks)}</p>'


def _fold(head: str, body: str) -> str:
    """One table, or one for each family if it is the table of all statements."""
    rows = _ROW.findall(body)
    if not re.search(r"<th[^>]*>Statement</th>", head) or len(rows) < 2 * len(FAMILIES):
        return f"{head}<tbody>{body}"
    families: dict[str, list[str]] = {name: [] for name, _ in FAMILIES}
    for row in rows:
        families[find_family(row)].append(row)
    return "".join(
        f"<details open><summary>{name} ({len(found)})</summary>{head}<tbody>{''.join(found)}</tbody></table></details>"
        for name, found in families.items()
        if found
    )


def find_family(row: str) -> str:
    """The family of a row, by its first cell."""
    return next(name for name, begin in FAMILIES if re.match(rf"<tr>\s*<td[^>]*>(?:<code>)?(?:{begin})", row))
