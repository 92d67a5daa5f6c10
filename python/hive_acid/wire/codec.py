"""Messages as JSON: frozen dataclasses here, case classes of the same names and fields in the shim (`hiveacid.wire`).

A field `write_id` is the key `writeId`. Every key is always there, null stands for None, and a key that the reader does
not know is an error, as is one that is missing or has a value of another type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from hive_acid.model.table import TableName

T = TypeVar("T")
_Step = Callable[[Any], Any]
_SCALARS = (str, int, bool)
POSITIONAL = "WIRE_POSITIONAL"
"""A class that has this set to True is written as an array of its fields: for what a message has thousands of."""


class MalformedMessage(ValueError):
    """A text that is not the message it should be: the two halves are not of one version."""


def write(message: object) -> str:
    """The JSON of a message, or of a tuple, mapping or scalar of messages."""
    return json.dumps(_write(message), separators=(",", ":"))


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


def _write(value: Any) -> Any:
    if value is None or isinstance(value, _SCALARS):
        return value
    if isinstance(value, tuple | list):
        return [_write(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _write(item) for key, item in value.items()}
    form: Any = type(value)
    step = _writer(form)
    return step(value) if step else value


@cache
def _writer(form: Any) -> _Step | None:
    """A function that makes JSON's values of a value of this type; None for a value that is one already."""
    origin, arguments = get_origin(form), get_args(form)
    if form in _SCALARS or form is NoneType:
        return None
    if form is TableName:
        return str
    if is_dataclass(form):
        return _record_writer(form)
    if isinstance(form, type) and issubclass(form, Enum):
        return attrgetter("value")
    if origin in (Union, UnionType):
        steps = [step for step in map(_writer, arguments) if step]
        return (lambda value: None if value is None else steps[0](value)) if steps else None
    if origin is tuple:
        return _tuple_writer(arguments)
    if origin is Mapping:
        item = _writer(arguments[1])
        return (lambda values: {key: item(value) for key, value in values.items()}) if item else dict
    raise TypeError(f"no message has a {form}")


def _tuple_writer(arguments: tuple[Any, ...]) -> _Step | None:
    steps = [_writer(argument) for argument in arguments if argument is not Ellipsis]
    item = steps[0]
    if item is None or arguments[-1] is not Ellipsis:
        if any(steps):
            raise TypeError("a tuple of a fixed length holds scalars")
        return None
    return lambda values: [item(value) for value in values]


def _record_writer(form: Any) -> _Step:
    hints = get_type_hints(form)
    names = [field.name for field in fields(form)]
    steps = [(index, step) for index, name in enumerate(names) if (step := _writer(hints[name]))]
    # which gives no tuple for one name
    get: _Step = attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)

    def as_values(value: Any) -> list[Any]:
        values = list(get(value))
        for index, step in steps:
            values[index] = step(values[index])
        return values

    if getattr(form, POSITIONAL, False):
        return as_values if steps else get
    keys = [to_key(name) for name in names]
    return lambda value: dict(zip(keys, as_values(value), strict=True))


@cache
def _reader(form: Any) -> _Step:
    """A function that makes a value of this type of JSON's values. It raises MalformedMessage."""
    origin, arguments = get_origin(form), get_args(form)
    if form in _SCALARS:
        return _scalar_reader(form)
    if form is NoneType:
        return _read_none
    if form is TableName:
        return _read_table_name
    if is_dataclass(form):
        return _record_reader(form)
    if isinstance(form, type) and issubclass(form, Enum):
        return _enum_reader(form)
    if origin in (Union, UnionType):
        return _union_reader(arguments)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return _scalars_reader(arguments[0]) if arguments[0] in _SCALARS else _tuple_reader(_reader(arguments[0]))
        return _fixed_tuple_reader([_reader(argument) for argument in arguments])
    if origin is Mapping:
        return _mapping_reader(_reader(arguments[1]))
    raise TypeError(f"no message has a {form}")


def _scalar_reader(form: type) -> _Step:
    def read_scalar(value: Any) -> Any:
        if type(value) is not form:  # True is an int
            raise MalformedMessage(f"{value!r} is no {form.__name__}")
        return value

    return read_scalar


def _read_none(value: Any) -> None:
    if value is not None:
        raise MalformedMessage(f"{value!r} is not null")


def _read_table_name(value: Any) -> TableName:
    database, dot, table = value.partition(".") if isinstance(value, str) else ("", "", "")
    if not dot:
        raise MalformedMessage(f"{value!r} is no database.table")
    return TableName(database, table)


def _enum_reader(form: type[Enum]) -> _Step:
    def read_enum(value: Any) -> Enum:
        try:
            return form(value)
        except ValueError as error:
            raise MalformedMessage(str(error)) from error

    return read_enum


def _union_reader(arguments: tuple[Any, ...]) -> _Step:
    others = [argument for argument in arguments if argument is not NoneType]
    if len(others) > 1:  # of scalars, which JSON tells apart
        return _any_of_reader(tuple(others))
    read_other = _reader(others[0])
    return lambda value: None if value is None else read_other(value)


def _any_of_reader(forms: tuple[Any, ...]) -> _Step:
    def read_any(value: Any) -> Any:
        if value is not None and type(value) not in forms:
            raise MalformedMessage(f"{value!r} is none of {', '.join(map(_name, forms))}")
        return value

    return read_any


def _tuple_reader(item: _Step) -> _Step:
    def read_tuple(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise MalformedMessage(f"{value!r} is no array")
        return tuple(map(item, value))

    return read_tuple


def _scalars_reader(form: type) -> _Step:
    """Looks at the types of all items at once: listings have a name, a length and a time for each file."""
    read_each = _tuple_reader(_scalar_reader(form))
    return lambda value: tuple(value) if type(value) is list and {*map(type, value)} <= {form} else read_each(value)


def _fixed_tuple_reader(items: list[_Step]) -> _Step:
    def read_tuple(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(items):
            raise MalformedMessage(f"{value!r} is no array of {len(items)}")
        return tuple(item(one) for item, one in zip(items, value, strict=True))

    return read_tuple


def _mapping_reader(item: _Step) -> _Step:
    def read_mapping(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise MalformedMessage(f"{value!r} is no object")
        return {key: item(one) for key, one in value.items()}

    return read_mapping


def _record_reader(form: Any) -> _Step:
    hints = get_type_hints(form)
    readers = [(to_key(field.name), _reader(hints[field.name])) for field in fields(form)]
    keys = {key for key, _ in readers}
    is_positional = getattr(form, POSITIONAL, False)

    def read_record(value: Any) -> Any:
        if is_positional:
            if not isinstance(value, list) or len(value) != len(readers):
                raise MalformedMessage(f"{form.__name__} has {len(readers)} values, not {value!r}")
            value = dict(zip((key for key, _ in readers), value, strict=True))
        if not isinstance(value, dict) or value.keys() != keys:
            found = sorted(keys ^ value.keys()) if isinstance(value, dict) else value
            raise MalformedMessage(f"{form.__name__} lacks or does not know {found}")
        return form(*(_read_field(form, key, reader, value[key]) for key, reader in readers))

    return read_record


def _read_field(form: Any, key: str, reader: _Step, value: Any) -> Any:
    try:
        return reader(value)
    except MalformedMessage as error:
        raise MalformedMessage(f"{form.__name__}.{key}: {error}") from error


def _name(form: Any) -> str:
    return getattr(form, "__name__", str(form))
