"""Keys that are so simple that their values can be computed here, without Spark, exactly as Spark computes them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_NAME = r"(?:`[^`]+`|[A-Za-z_]\w*)"
_PATH = re.compile(rf"\s*({_NAME}(?:\.{_NAME})*)\s*")
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_CASES: Mapping[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper}
_FIRST_GREGORIAN_DAY = datetime.date(1582, 10, 15)
_CASE_NAMES = {"lcase": "lower", "ucase": "upper"}


class NotPlain(Exception):
    """Something is not so simple; the text says what, and names nobody."""


@dataclass(frozen=True)
class PlainPart:
    """A part of a key: the path of a column or field, functions over its value, the innermost first.

    `of_map` is true for the keys of a map.
    """

    path: tuple[str, ...]
    cases: tuple[str, ...] = ()
    of_map: bool = False

    def texts(self, value: Any) -> list[str | None]:
        """The value as text, or those of the elements of a list or of the keys of a map.

        Raises NotPlain if Spark's function may have another result than Python's.
        """
        if self.of_map:
            return [] if value is None else [self._text(key) for key, _ in value]
        if isinstance(value, list):
            return [self._text(element) for element in value]
        return [self._text(value)]

    def _text(self, value: Any) -> str | None:
        text = spell_value(value)
        if text is None or not self.cases:
            return text
        if not text.isascii():
            raise NotPlain(f"{self.cases[0]}() of other characters than ASCII")
        for case in self.cases:
            text = _CASES[case](text)
        return text


def parse_part(expression: str) -> PlainPart:
    """The part of a key. Raises NotPlain for any other expression than a path, map_keys, lower and upper."""
    if found := _PATH.fullmatch(expression):
        names = [name.strip("`").lower() for name in re.findall(_NAME, found[1])]
        if any("." in name for name in names):
            raise NotPlain("the name of a column has a dot")
        return PlainPart(tuple(names))
    call = _CALL.fullmatch(expression)
    name = call[1].lower() if call else ""
    name = _CASE_NAMES.get(name, name)
    if call is None or name not in (*_CASES, "map_keys"):
        raise NotPlain("a key is an expression that only Spark computes")
    inner = parse_part(call[2])
    if name == "map_keys":
        if inner.cases or inner.of_map:
            raise NotPlain("a key is an expression that only Spark computes")
        return PlainPart(inner.path, of_map=True)
    if inner.of_map:
        raise NotPlain("a key is an expression that only Spark computes")
    return PlainPart(inner.path, (*inner.cases, name))


def spell_value(value: Any) -> str | None:
    """`CAST(value AS STRING)` of a text, a whole number, a day or a truth. Raises NotPlain for a day before 1582."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date) and value < _FIRST_GREGORIAN_DAY:
        raise NotPlain("days of the Julian calendar")
    return str(value)


def split_fields(text: str) -> list[str]:
    """The texts between the commas of a type, but for commas within brackets."""
    depth, start, found = 0, 0, list[str]()
    for at, character in enumerate(text):
        depth += (character in "<(") - (character in ">)")
        if character == "," and not depth:
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def find_type(columns: Mapping[str, str], path: Iterable[str]) -> str:
    """The type, in Hive's spelling, of a field. `columns` are the types by name. Raises NotPlain if there is none."""
    fields, found = dict(columns), ""
    for name in path:
        if name not in fields:
            raise NotPlain("a key is of no column or field of the files")
        found = fields[name].strip()
        is_struct = found.lower().startswith("struct<")
        inner = split_fields(found[len("struct<") : -1]) if is_struct else []
        fields = {field.partition(":")[0].strip().strip("`").lower(): field.partition(":")[2] for field in inner}
    return found
