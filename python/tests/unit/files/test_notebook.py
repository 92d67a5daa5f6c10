"""What IPython shows of statements and errors."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkValueError
from pyspark.sql import DataFrame

from hive_acid.errors import build_error
from hive_acid.session.notebook import show_in_notebook
from hive_acid_ops.looks import notebook

OURS = build_error("HIVE_ACID_INTERNAL", reason="a reason", outcome="Nothing was changed.")
OTHERS = PySparkValueError("something else")


class Formatter(dict[type, Any]):
    """As IPython's, which asks a function for each class."""

    for_type = dict.__setitem__


@dataclass
class Shell:
    """The part of IPython's shell that is used."""

    custom_exceptions: tuple[type, ...] = ()
    formatters: dict[str, Formatter] = field(
        default_factory=lambda: {"text/html": Formatter(), "text/plain": Formatter()}
    )
    shown: list[object] = field(default_factory=list)
    handler: Any = None

    @property
    def display_formatter(self) -> Shell:
        return self

    def set_custom_exc(self, kinds: tuple[type, ...], handler: Any) -> None:
        self.custom_exceptions, self.handler = kinds, handler

    def showtraceback(self, error: object, tb_offset: int | None) -> None:
        self.shown.append((error, tb_offset))

    def _showtraceback(self, kind: type, error: object, lines: list[str]) -> None:
        self.shown.append(lines)


class Frame:
    """A result with its rows, of a command unless `node` says otherwise."""

    def __init__(self, columns: list[str], row: tuple[int, ...], node: str = "CommandResult") -> None:
        self.columns, self._row = columns, row
        command = SimpleNamespace(nodeName=lambda: node)
        self._jdf = SimpleNamespace(queryExecution=lambda: SimpleNamespace(commandExecuted=lambda: command))

    def collect(self) -> list[tuple[int, ...]]:
        return [self._row]

    def _repr_html_(self) -> None:
        return None


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The one that this process runs in."""
    running, ipython = Shell(), ModuleType("IPython")
    ipython.get_ipython = lambda: running  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    show_in_notebook()
    return running


def test_a_statement_shows_its_numbers(shell: Shell) -> None:
    frame: Any = Frame(["num_affected_rows", "num_updated_rows"], (1234, 5))
    shown = shell.formatters["text/html"][DataFrame](frame)
    assert shown == (
        "<table><tr><th>num_affected_rows</th><th>num_updated_rows</th></tr><tr><td>1,234</td><td>5</td></tr></table>"
    )
    assert notebook.format_text(frame) == "num_affected_rows: 1,234, num_updated_rows: 5"


@pytest.mark.parametrize(
    "frame",
    [Frame(["id"], (1,)), Frame(["num_rows"], (1,), node="Project"), Frame([], ())],
    ids=["other columns", "a query", "no columns"],
)
def test_another_frame_shows_itself(frame: Any) -> None:
    assert notebook.format_html(frame) is None and notebook.format_text(frame) == repr(frame)


def test_an_error_of_ours_is_its_message_and_that_of_another_keeps_its_way(shell: Shell) -> None:
    for error in (OURS, OTHERS):
        shell.handler(shell, type(error), error, None, 1)
    assert shell.shown == [[str(OURS)], ((type(OTHERS), OTHERS, None), 1)]


def test_a_long_message_is_cut_to_a_screen() -> None:
    error = build_error("HIVE_ACID_INTERNAL", reason="\n".join("abc" * 20), outcome="Nothing was changed.")
    shown = (notebook.find_message(error) or "").splitlines()
    assert len(shown) == 31 and shown[-1] == "…"


def test_a_handler_of_the_users_own_stays() -> None:
    shell = Shell(custom_exceptions=(KeyError,))
    notebook.set_up(shell)
    assert shell.custom_exceptions == (KeyError,)


def test_without_ipython_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    show_in_notebook()
