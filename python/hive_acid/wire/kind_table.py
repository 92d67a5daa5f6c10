"""The tables of kinds of statements, which both halves read."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import TypeVar

from hive_acid.wire import codec

Traits = TypeVar("Traits")


def load_kind_table(name: str, traits: type[Traits]) -> Mapping[str, Traits]:
    """The rows of a table of this folder, by the kinds' keys. `traits` is the class of a row.

    Raises what `codec.read` raises for a row that lacks a property or has another.
    """
    text = files("hive_acid.wire").joinpath(name).read_text("utf-8")
    return codec.read(Mapping[str, traits], text)  # type: ignore[valid-type, type-abstract]
