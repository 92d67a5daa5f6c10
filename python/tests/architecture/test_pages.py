"""Each page of the site has its place in the menu, and figures that are shown twice agree."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from architecture.documents import DOCS

GROUPS = ("Start", "Change", "Look", "Operate", "Prove")
CHARTS = [("flat ORC",), ("delta", "iceberg")]


@cache
def hook(name: str) -> ModuleType:
    """A module of hooks, which lies beside the pages."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # where dataclasses look
    spec.loader.exec_module(module)
    return module


def menu() -> list[Any]:
    text = (DOCS / "mkdocs.yml").read_text("utf-8")
    return list(yaml.safe_load(text[text.index("\nnav:") :])["nav"])


def pages_of(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from pages_of(part)


def test_each_page_but_the_decisions_is_in_the_menu_once() -> None:
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert sorted(pages_of(menu())) == sorted(page for page in pages if not page.startswith("decisions/0"))


def test_each_page_of_the_guide_is_in_one_of_five_groups() -> None:
    guide = next(entry["Guide"] for entry in menu() if "Guide" in entry)
    assert tuple(title for group in guide for title in group) == GROUPS
    assert sorted(pages_of(guide)) == sorted(f"guide/{page.name}" for page in (DOCS / "guide").glob("*.md"))


def benchmarks() -> str:
    return (DOCS / "benchmarks.md").read_text("utf-8")


def table_of(text: str) -> dict[str, dict[str, str]]:
    """The first table of a text by its first column; each row by the titles of the others."""
    lines = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert lines
    (_, *titles), _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines[0].splitlines())
    return {work: dict(zip(titles, cells, strict=True)) for work, *cells in rows}


def measured() -> dict[str, dict[str, str]]:
    return table_of(benchmarks().partition("<!-- statements -->")[2])


@pytest.mark.parametrize("others", CHARTS, ids=" and ".join)
def test_a_chart_has_each_number_of_its_table_at_its_place(others: tuple[str, ...]) -> None:
    sides = ("ours", *others)
    asked = f"<!-- chart statements: {', '.join(sides)} -->"
    assert asked in benchmarks()
    drawn = hook("mkdocs_charts").on_page_markdown(benchmarks()).split('<div class="chart">')[1 + CHARTS.index(others)]
    rows = ElementTree.fromstring(drawn.partition("</div>")[0]).findall("g")
    numbers = [[row[side] for side in sides] for row in measured().values() if all(row[side] for side in sides)]
    hints = [re.findall(r"(?<= )\d+\.\d\d(?= s)", row.findtext("title") or "") for row in rows]
    assert sorted(hints) == sorted(numbers)
    places = sorted(
        (float(number), place_of(row, side))
        for row, hint in zip(rows, hints, strict=True)
        for side, number in zip(sides, hint, strict=True)
    )
    for (less, left), (more, right) in pairwise(places):
        assert (left < right) if less * 1.02 < more else (left <= right)


def place_of(row: ElementTree.Element, side: str) -> float:
    """How far to the right the mark of a side is."""
    mark = row.find(f"path[@class='{side.replace(' ', '-').lower()}']")
    assert mark is not None
    return float(mark.attrib["transform"].removeprefix("translate(").split()[0])


def test_a_chart_of_a_table_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="no table speed"):
        hook("mkdocs_charts").on_page_markdown("<!-- chart speed: ours, delta -->")


def test_the_figures_of_the_home_page_are_those_of_the_benchmarks() -> None:
    shown = table_of((DOCS / "index.md").read_text("utf-8").partition("## Three figures")[2])
    assert len(shown) == 3
    for work, figures in shown.items():
        assert {title: measured()[work][title] for title in figures} == figures, work


def test_cells_of_the_table_of_statements_become_marks_in_families() -> None:
    tables = hook("mkdocs_tables")
    row = "<tr>\n<td>{}</td>\n<td>yes</td>\n<td>refused</td>\n<td>if partitioned</td>\n</tr>\n"
    head = "<table>\n<thead>\n<tr>\n<th>Statement</th>\n</tr>\n</thead>\n"
    begins = ("<code>UPDATE</code>", "<code>SELECT</code>", "<code>ALTER TABLE … COMPACT 'major'</code>", "what else")
    shown = tables.show_table(f"{head}<tbody>\n{''.join(row.format(begin) for begin in begins * 6)}</tbody>\n</table>")
    assert re.findall(r"<summary>(.*?)</summary>", shown) == [
        "Look (6)",
        "Change rows (6)",
        "Compact and clean (6)",
        "Everything else (6)",
    ]
    assert shown.count('data-mark="✓" title="yes">yes</span>') == shown.count('title="refused">refused</span>') == 24
    assert shown.count("<td>if partitioned</td>") == 24
    assert '<p class="legend">' in shown


def test_a_table_of_few_marks_and_columns_stays_as_it_is() -> None:
    table = (
        "<table>\n<thead>\n<tr>\n<th>Fact</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>yes</td>\n</tr>\n</tbody>\n</table>"
    )
    assert hook("mkdocs_tables").show_table(table) == table


def test_styles_have_a_rule_for_each_mark_of_charts_and_tables() -> None:
    style = (DOCS / "stylesheets" / "site.css").read_text("utf-8")
    names = [f".chart .{side.replace(' ', '-').lower()}" for side in hook("mkdocs_charts").SHAPES]
    names += [f".mark.{'none' if word == '-' else word.lower()}::before" for word in hook("mkdocs_tables").MARKS]
    assert [name for name in names if f"{name} " not in style] == []
