"""Statements and errors as IPython shows them, in notebooks and in its shell.

A statement that changes rows shows its numbers. An error of this package shows its message alone: what stands above it
is the way through PySpark and py4j.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from types import TracebackType
from typing import Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from hive_acid.api.conditions import condition_of

_MOST_LINES: Final = 30
_JVM: Final = "\n\nJVM stacktrace:"
"""PySpark adds it to a message, if it is told to."""


def set_up(shell: Any) -> None:
    """Teaches an `IPython.InteractiveShell`. A handler of exceptions that its user has set stays."""
    formatters = shell.display_formatter.formatters
    for kind in (DataFrame, *DataFrame.__subclasses__()):  # IPython takes the `repr` of a subclass first
        formatters["text/html"].for_type(kind, format_html)
        formatters["text/plain"].for_type(kind, lambda frame, printer, _: printer.text(format_text(frame)))
    if not shell.custom_exceptions:
        shell.set_custom_exc((PySparkException,), _show_error)


def format_html(frame: DataFrame) -> str | None:
    """The numbers of a statement as a table; another frame as it shows itself."""
    numbers = find_numbers(frame)
    if numbers is None:
        return frame._repr_html_()
    heads = "".join(f"<th>{escape(name)}</th>" for name in numbers)
    cells = "".join(f"<td>{number:,}</td>" for number in numbers.values())
    return f"<table><tr>{heads}</tr><tr>{cells}</tr></table>"


def format_text(frame: DataFrame) -> str:
    """The same as a line."""
    numbers = find_numbers(frame)
    return repr(frame) if numbers is None else ", ".join(f"{name}: {number:,}" for name, number in numbers.items())


def find_numbers(frame: DataFrame) -> Mapping[str, int] | None:
    """The counts of a statement that has run; None for a frame that is no such result.

    Nothing is run: the rows of a command are there once the frame is. A frame of Spark Connect does not tell.
    """
    names = frame.columns
    if not names or not all(name.startswith("num_") for name in names):
        return None
    jframe = getattr(frame, "_jdf", None)
    if jframe is None or jframe.queryExecution().commandExecuted().nodeName() != "CommandResult":
        return None
    (row,) = frame.collect()
    return dict(zip(names, row, strict=True))


def find_message(error: BaseException) -> str | None:
    """The text to show of an error of this package, at most a screen long; None for the errors of others."""
    condition = condition_of(error) if isinstance(error, PySparkException) else None
    if not (condition or "").startswith("HIVE_ACID_"):
        return None
    lines = str(error).split(_JVM, 1)[0].splitlines()
    return "\n".join([*lines[:_MOST_LINES], *(["…"] if len(lines) > _MOST_LINES else [])])


def _show_error(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """As `IPython.InteractiveShell.set_custom_exc` calls it."""
    message = find_message(error)
    if message is None:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    else:
        shell._showtraceback(kind, error, [message])  # what each front end has its own form of
