"""How the tour looks: chapters, statements, trees and tables. Colours are for terminals only."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from hive_acid_examples.disk import VERSION_MARK, Folder

_WIDTH = 100
_INDENT = 3


@dataclass(frozen=True)
class Line:
    """A row of the table at the end."""

    statement: str
    rows: int | None
    seconds: float


class Screen:
    """Prints to `stream`, by default standard output. NO_COLOR turns colours off, as for other programs."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        stream = stream or sys.stdout
        is_plain = bool(os.environ.get("NO_COLOR")) or not stream.isatty()
        self._console = Console(
            file=stream,
            highlight=False,
            color_system=None if is_plain else "auto",
            force_terminal=False if is_plain else None,
            width=None if stream.isatty() else _WIDTH,
        )
        self._is_plain = is_plain

    def title(self, text: str) -> None:
        self._print(Text(text, "bold"))

    def fact(self, name: str, text: str, seconds: float) -> None:
        """A line about something that has been started or read."""
        self._print(Text.assemble(f"   {name:<11}", f"{text:<62}", (f"{seconds:6.1f} s", "dim")))

    def chapter(self, number: int, title: str, explanation: str) -> None:
        """A heading with one sentence below it."""
        self._print(Text.assemble("\n", (f"{number}  {title}", "bold cyan")))
        self._print(Padding(Text(explanation, "italic"), (0, 0, 0, _INDENT), expand=False))

    def statement(self, text: str, language: str = "sql") -> None:
        """A statement that is about to run."""
        if self._is_plain:
            shown: Text | Syntax = Text(text)
        else:
            shown = Syntax(text, language, theme="ansi_dark", background_color="default")
        self._print(Padding(shown, (0, 0, 0, 2 * _INDENT), expand=False))

    def result(self, text: str, wrong: str | None, seconds: float | None = None) -> None:
        """The result of a statement: right, or what is wrong with it."""
        verdict = (f"WRONG: {wrong}", "bold red") if wrong else ("ok", "green")
        time = "" if seconds is None else f"  {seconds:.1f} s"
        self._print(Text.assemble(" " * _INDENT, "→ ", text, "  ", verdict, (time, "dim")))

    def note(self, text: str) -> None:
        self._print(Padding(Text(text, "dim"), (0, 0, 0, _INDENT), expand=False))

    def tree(self, table: str, folders: Sequence[Folder]) -> None:
        """Folders and files of a table with their sizes. Marks of the format's version, of one byte, are left out."""
        size = sum(folder.size_bytes for folder in folders)
        number = "1 folder" if len(folders) == 1 else f"{len(folders)} folders"
        tree = Tree(Text.assemble((f"{table}/", "bold"), f"  {_format_size(size)} in {number}"))
        for folder in folders:
            style, verb = ("red", "deleted") if folder.deletes else ("blue", "written")
            branch = tree.add(Text.assemble((f"{folder.name}/", style), f"  {folder.rows:,} rows {verb}"))
            for file in (file for file in folder.files if file.name != VERSION_MARK):
                branch.add(Text.assemble((f"{file.name:<22}", "dim"), f"{_format_size(file.size_bytes):>10}"))
        self._print(Padding(tree, (0, 0, 0, _INDENT), expand=False))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]], has_head: bool = True) -> None:
        """A table; numbers stand on the right, and empty cells for None."""
        shown = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), show_header=has_head)
        for index, name in enumerate(columns):
            is_number = any(isinstance(row[index], int | float) for row in rows)
            shown.add_column(name, justify="right" if is_number else "left", no_wrap=is_number)
        for row in rows:
            shown.add_row(*map(_format_cell, row))
        self._print(Padding(shown, (0, 0, 0, _INDENT), expand=False))

    def summary(self, lines: Sequence[Line]) -> None:
        """The table at the end: statements, rows and seconds."""
        self.table(("statement", "rows", "seconds"), [(line.statement, line.rows, line.seconds) for line in lines])

    def end(self, text: str, is_right: bool) -> None:
        self._print(Text(f"\n{text}", "bold green" if is_right else "bold red"))

    def _print(self, shown: Text | Padding) -> None:
        if self._is_plain:
            with self._console.capture() as capture:
                self._console.print(shown, soft_wrap=isinstance(shown, Text))
            self._console.file.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))
        else:
            self._console.print(shown, soft_wrap=isinstance(shown, Text))
        self._console.file.flush()


def _format_size(size_bytes: int) -> str:
    if size_bytes < 1024:
        return f"{size_bytes} B"
    kib = size_bytes / 1024
    return f"{kib:,.1f} KiB" if kib < 1024 else f"{kib / 1024:,.1f} MiB"


def _format_cell(value: object) -> Text:
    if value is None:
        return Text("")
    return Text(f"{value:.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value))
