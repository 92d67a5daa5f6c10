"""Keys that are so simple that their values can be computed here, without Spark, exactly as Spark computes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

_NAME = r"(?:`[^`]+`|[A-Za-z_]\w*)"
_PATH = re.compile(rf"\s*({_NAME}(?:\.{_NAME})*)\s*")
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_AS_STRING = re.compile(r"(.*)\bas\s+string\s*", re.DOTALL | re.IGNORECASE)
_FUNCTIONS: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "trim": lambda text: text.strip(" "),
    "ltrim": lambda text: text.lstrip(" "),
    "rtrim": lambda text: text.rstrip(" "),
}
_OTHER_NAMES = {"lcase": "lower", "ucase": "upper"}
_CASES = ("lower", "upper")
_BY_PLACE = "İΣ"
"""Their other case depends on the language or on the letters beside them, and releases of Java differ."""
_AN_EXPRESSION = "a key is an expression that only Spark computes"


class NotPlain(Exception):
    """Something is not so simple; the text says what, and names nobody."""


class Doubt(Exception):
    """Spark may have another text than `text` for a value; the error shows neither."""

    def __init__(self, text: bytes) -> None:
        super().__init__()
        self.text = text


@dataclass(frozen=True)
class PlainPart:
    """A part of a key: the path of a column or field, functions over its text, the innermost first.

    `of_map` is true for the keys of a map.
    """

    path: tuple[str, ...]
    functions: tuple[str, ...] = ()
    of_map: bool = False

    def apply(self, spelled: bytes) -> bytes:
        """The functions of a value's text. Raises Doubt where Spark's may have another result than Python's."""
        if not self.functions:
            return spelled
        try:
            text = spelled.decode()
        except UnicodeDecodeError:
            raise Doubt(spelled) from None
        is_sure = not set(_CASES) & set(self.functions) or text.isascii() or has_steady_cases(text)
        for function in self.functions:
            text = _FUNCTIONS[function](text)
        if not is_sure:
            raise Doubt(text.encode())
        return text.encode()


def has_steady_cases(text: str) -> bool:
    """True if the upper and lower case of its letters are the same by each release of Unicode since 3.2."""
    return not any(c in _BY_PLACE or unicodedata.ucd_3_2_0.category(c) == "Cn" for c in text)


def parse_part(expression: str) -> PlainPart:
    """The part of a key. Raises NotPlain for another expression than a path, map_keys and simple functions of texts."""
    if found := _PATH.fullmatch(expression):
        names = [name.strip("`").lower() for name in re.findall(_NAME, found[1])]
        if any("." in name for name in names):
            raise NotPlain("the name of a column has a dot")
        return PlainPart(tuple(names))
    call = _CALL.fullmatch(expression)
    name = call[1].lower() if call else ""
    name = _OTHER_NAMES.get(name, name)
    if call is not None and name == "cast" and (cast := _AS_STRING.fullmatch(call[2])):
        return _of_text(cast[1])
    if call is None or name not in (*_FUNCTIONS, "map_keys"):
        raise NotPlain(_AN_EXPRESSION)
    if name == "map_keys":
        inner = parse_part(call[2])
        if inner.functions or inner.of_map:
            raise NotPlain(_AN_EXPRESSION)
        return PlainPart(inner.path, of_map=True)
    inner = _of_text(call[2])
    return PlainPart(inner.path, (*inner.functions, name))


def _of_text(expression: str) -> PlainPart:
    inner = parse_part(expression)
    if inner.of_map:
        raise NotPlain(_AN_EXPRESSION)
    return inner


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
            raise NotPlain("a key is of no column or field of the table")
        found = fields[name].strip()
        is_struct = found.lower().startswith("struct<")
        inner = split_fields(found[len("struct<") : -1]) if is_struct else []
        fields = {field.partition(":")[0].strip().strip("`").lower(): field.partition(":")[2] for field in inner}
    return found
