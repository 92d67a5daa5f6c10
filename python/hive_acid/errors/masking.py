"""Names that must not be told: errors lose them before anybody outside of their keeper sees these.

While somebody keeps names (`asking`), the mask is asked wherever a text of ours leaves this process's Python: the JVM,
which puts the errors of statements into its event log, and what the keeper itself asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.errors import PySparkException

from hive_acid.errors import HiveAcidError, build_error, condition_of

Mask = Callable[[str], str]
"""A function that removes names from a text that must not be shown. It never raises."""
_masks: list[Mask] = []


def masked(text: str) -> str:
    """The text without the names that any mask keeps secret."""
    for mask in tuple(_masks):
        text = mask(text)
    return text


def is_kept() -> bool:
    """True while somebody keeps names."""
    return bool(_masks)


@contextmanager
def asking(mask: Mask) -> Iterator[None]:
    """In the block, errors that go to the JVM are masked, in all threads."""
    _masks.append(mask)
    try:
        yield
    finally:
        _masks.remove(mask)


def mask_own(error: PySparkException, mask: Mask) -> HiveAcidError:
    """An error with one of our conditions, from Python or the JVM, with masked parameters and without causes."""
    parameters: dict[str, Any] = {name: mask(text) for name, text in (error.getMessageParameters() or {}).items()}
    return build_error(condition_of(error) or "", **parameters)
