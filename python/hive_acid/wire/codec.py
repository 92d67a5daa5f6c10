"""Messages as JSON: frozen dataclasses here, case classes of the same names and fields in the shim (`hiveacid.wire`).

A field `write_id` is the key `writeId`. Every key is always there, null stands for None, and a key that the reader does
not know is an error, as is one that is missing or has a value of another type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from hive_acid.model.table import TableName

T = TypeVar("T")
_Step = Callable[[Any], Any]
_PLAIN = (str, int, bool, NoneType)
"""The types that JSON has too."""
POSITIONAL = "WIRE_POSITIONAL"
"""A class that has this set to True is written as an array of its fields: for what a message has thousands of."""


class MalformedMessage(ValueError):
    """A text that is not the message it should be: the two halves are not of one version."""


def write(message: object) -> str:
    """The JSON of a message, or of a tuple, mapping or scalar of messages."""
    return _ENCODER.encode(message)


def read(form: type[T], text: str) -> T:
    """The message of a JSON text. Raises MalformedMessage, which names the place that is not as it should be."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise MalformedMessage(f"{_name(form)} is no JSON: {error}") from error
    wanted: Any = form
    value: T = _reader(wanted)(found)
    return value


def read_if_any(form: type[T], text: str) -> T | None:
    """The same where null stands for nothing."""
    return None if text.strip() == "null" else read(form, text)


def to_key(field: str) -> str:
    """The key of a field: `write_id` is `writeId`."""
    first, *rest = field.split("_")
    return first + "".join(part.title() for part in rest)


@cache
def _writer(form: Any) -> _Step:
    """A function that makes of a value of this type what JSON has for it; the encoder asks for what is in that."""
    if form is TableName:
        return str
    if issubclass(form, Enum):
        return attrgetter("value")
    if issubclass(form, Mapping):
        return dict
    names = [field.name for field in fields(form)]
    # which gives a tuple for several names only
    get: _Step = attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, name) for name in names]
    keys = [to_key(name) for name in names]
    return get if getattr(form, POSITIONAL, False) else lambda value: dict(zip(keys, get(value), strict=True))


def _encode(value: Any) -> Any:
    form: Any = type(value)
    return _writer(form)(value)


_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False, default=_encode)


@cache
def _reader(form: Any) -> _Step:
    """A function that makes a value of this type of JSON's values. It raises MalformedMessage."""
    origin, arguments = get_origin(form), get_args(form)
    if form in _PLAIN or origin in (Union, UnionType):
        return _union_reader(arguments or (form,))
    if form is TableName:
        return partial(_read_text, TableName.parse)
    if is_dataclass(form):
        return _record_reader(form)
    if isinstance(form, type) and issubclass(form, Enum):
        return partial(_read_text, form)
    if origin is tuple:
        return _array_reader(arguments[0]) if arguments[-1] is Ellipsis else _fields_reader(tuple, arguments)
    if origin in (Mapping, dict):
        return partial(_read_mapping, _reader(arguments[1]))
    raise TypeError(f"no message has a {form}")


def _union_reader(arguments: tuple[Any, ...]) -> _Step:
    """A union has types of JSON's own, which it tells apart, and one other at the most."""
    plain = frozenset(argument for argument in arguments if argument in _PLAIN)
    others = [_reader(argument) for argument in arguments if argument not in plain]

    def read_union(value: Any) -> Any:
        if type(value) in plain:  # True is an int
            return value
        if not others:
            raise MalformedMessage(f"{value!r} is no {' or '.join(map(_name, arguments))}")
        return others[0](value)

    return read_union


def _read_text(build: Callable[[str], Any], value: Any) -> Any:
    """A name of a table, or of a value of an enum."""
    if not isinstance(value, str):
        raise MalformedMessage(f"{value!r} is no text")
    try:
        return build(value)
    except ValueError as error:
        raise MalformedMessage(str(error)) from error


def _read_mapping(read_item: _Step, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedMessage(f"{value!r} is no object")
    return {key: read_item(item) for key, item in value.items()}


def _array_reader(form: Any) -> _Step:
    """Looks at the types of all scalars at once: listings have a name, a length and a time for each file."""
    read_item, plain = _reader(form), {form}.intersection(_PLAIN)

    def read_array(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise MalformedMessage(f"{value!r} is no array")
        return tuple(value) if {*map(type, value)} <= plain else tuple(map(read_item, value))

    return read_array


def _fields_reader(build: Callable[..., Any], forms: tuple[Any, ...]) -> _Step:
    readers = tuple(map(_reader, forms))

    def read_fields(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise MalformedMessage(f"{value!r} is no array of {len(readers)}")
        return build([read_one(one) for read_one, one in zip(readers, value, strict=True)])

    return read_fields


def _record_reader(form: Any) -> _Step:
    hints = get_type_hints(form)
    forms = {to_key(field.name): hints[field.name] for field in fields(form)}
    if getattr(form, POSITIONAL, False):
        return _fields_reader(lambda values: form(*values), tuple(forms.values()))
    readers = {key: _reader(hint) for key, hint in forms.items()}

    def read_record(value: Any) -> Any:
        if not isinstance(value, dict) or value.keys() != readers.keys():
            found = sorted(readers.keys() ^ value.keys()) if isinstance(value, dict) else value
            raise MalformedMessage(f"{form.__name__} lacks or does not know {found}")
        values = []
        for key, read_field in readers.items():
            try:
                values.append(read_field(value[key]))
            except MalformedMessage as error:
                raise MalformedMessage(f"{form.__name__}.{key}: {error}") from error
        return form(*values)

    return read_record


def _name(form: Any) -> str:
    return getattr(form, "__name__", str(form))
