"""Parts of Python that 3.10 lacks, the oldest for PySpark 4.0 to 4.2: the package takes them from here."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["add_note", "tomllib"]


def add_note(error: BaseException, text: str) -> None:
    """`error.add_note(text)`. Python 3.10 prints no notes; they stand in `__notes__` there, too."""
    if sys.version_info >= (3, 11):
        error.add_note(text)
    else:
        error.__notes__ = [*getattr(error, "__notes__", ()), text]  # type: ignore[attr-defined]
