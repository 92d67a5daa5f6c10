"""Values as people look at them. The wing `hive_acid_ops` draws them; without it they are a line of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql import DataFrame

from hive_acid.wings import load_wing

_WING: Final = "hive_acid_ops.looks"


def load_looks(what: str) -> Any:
    """The functions that draw. Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING."""
    return load_wing(_WING, what)


def draw(function: str, drawn: object, plain: str) -> str:
    """The text that a function of the wing makes of it; `plain` with the reason if it fails: a look never raises."""
    try:
        return str(getattr(load_looks("a look"), function)(drawn))
    except Exception as error:  # noqa: BLE001 (a debugger or notebook that shows a value must be able to go on)
        return f"{plain} ({str(error).splitlines()[0] if str(error) else type(error).__name__})"


def show_history(frame: DataFrame, entries: Sequence[object]) -> DataFrame:
    """The same rows, of which `repr` and a notebook show the newest: of a class of its own, where Python looks."""
    kind: Any = type(frame)
    names = {"__repr__": "history_text", "_repr_html_": "history_html"}
    plain = f"history of {len(entries)} entries"
    looks = {name: lambda _, function=function: draw(function, entries, plain) for name, function in names.items()}
    any_frame: Any = frame
    any_frame.__class__ = type(kind.__name__, (kind,), {**looks, "__module__": kind.__module__})
    return frame
