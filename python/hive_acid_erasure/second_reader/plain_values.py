"""The texts of values as Spark casts them to STRING, for types whose texts can be told without Spark."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from hive_acid.api.tables import NULL_PARTITION
from hive_acid_erasure.second_reader.plain_keys import Doubt, NotPlain

Speller = Callable[[Any], bytes]
"""The text of a value that is not NULL, in the bytes that are hashed. Raises Doubt where Spark's may be another."""

_INTEGERS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_LENGTH = re.compile(r"(char|varchar)\((\d+)\)")
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_FIRST_GREGORIAN_DAY = datetime.date(1582, 10, 15)
_ONLY_SPARK = "a key is of a type that only Spark spells"


def check_declared(declared: str) -> None:
    """Raises NotPlain for a type, in Hive's spelling, whose values only Spark spells."""
    wanted = _normalise(declared)
    is_known = wanted in ("string", "binary", "boolean", "date", *_INTEGERS)
    if not (is_known or _LENGTH.fullmatch(wanted) or _DECIMAL.fullmatch(wanted)):
        raise NotPlain(_ONLY_SPARK)


def check_partition_type(declared: str) -> None:
    """Raises NotPlain for a type of partition columns, in Hive's spelling, whose values only Spark spells."""
    wanted = _normalise(declared)
    if not (wanted in ("string", "date", *_INTEGERS) or wanted.startswith("varchar(")):
        raise NotPlain(_ONLY_SPARK)


def find_speller(declared: str, stored: Any) -> Speller:
    """How values of a column are spelled that a file stores as the Arrow type `stored`.

    Texts are handed over as bytes. Raises NotPlain where Spark may read other values of such a file.
    """
    from pyarrow import types

    wanted = _normalise(declared)
    check_declared(wanted)
    is_text = types.is_string(stored) or types.is_large_string(stored) or types.is_string_view(stored)
    is_bytes = types.is_binary(stored) or types.is_large_binary(stored) or types.is_binary_view(stored)
    if length := _LENGTH.fullmatch(wanted):
        return _of_length(length[1] == "char", int(length[2])) if is_text else _refuse()
    if wanted in ("string", "binary") and (is_text or is_bytes):
        return _keep
    if wanted == "string" and types.is_signed_integer(stored):  # as ORC converts a column that was one of numbers
        return _spell_number
    if wanted == "boolean":
        return _spell_truth if types.is_boolean(stored) else _refuse()
    if wanted == "date":
        return _spell_day if types.is_date32(stored) else _refuse()
    if digits := _DECIMAL.fullmatch(wanted):
        is_same = types.is_decimal(stored) and stored.scale == int(digits[2]) and stored.precision <= int(digits[1])
        return _spell_decimal if is_same else _refuse()
    is_narrower = wanted in _INTEGERS and types.is_signed_integer(stored) and stored.bit_width <= _INTEGERS[wanted]
    return _spell_number if is_narrower else _refuse()


def read_partition_value(partition: str, column: str, declared: str) -> bytes | None:
    """The text of a partition column's value by the name of the partition, as folders spell it; None for NULL.

    Raises NotPlain for a partition without such a column, and for a value whose text only Spark tells.
    """
    for piece in partition.split("/"):
        name, is_there, escaped = piece.partition("=")
        if is_there and unquote(name).lower() == column:
            value = unquote(escaped)
            break
    else:
        raise NotPlain("it belongs to no partition, whose values a key needs")
    if value == NULL_PARTITION:
        return None
    wanted = _normalise(declared)
    if wanted == "string" or wanted.startswith("varchar("):
        return value.encode()
    if wanted in _INTEGERS and re.fullmatch(r"[+-]?[0-9]+", value):
        return str(int(value)).encode()
    if wanted == "date" and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        return value.encode()
    raise NotPlain(_ONLY_SPARK)


def _normalise(declared: str) -> str:
    return re.sub(r"\s", "", declared).lower()


def _refuse() -> Any:
    raise NotPlain(_ONLY_SPARK)


def _keep(value: bytes) -> bytes:
    return value


def _spell_number(value: int) -> bytes:
    return str(value).encode()


def _spell_truth(value: bool) -> bytes:
    return b"true" if value else b"false"


def _spell_decimal(value: Decimal) -> bytes:
    return format(value, "f").encode()


def _spell_day(value: datetime.date) -> bytes:
    """Engines differ in the calendar of days before 1582."""
    text = value.isoformat().encode()
    if value < _FIRST_GREGORIAN_DAY:
        raise Doubt(text)
    return text


def _of_length(is_char: bool, length: int) -> Speller:
    """A text of CHAR is filled up; one that is too long is cut by some engines, and shown whole by others."""

    def spell(value: bytes) -> bytes:
        try:
            text = value.decode()
        except UnicodeDecodeError:
            raise Doubt(value) from None
        if len(text) > length:
            raise Doubt(value)
        return text.ljust(length).encode() if is_char else value

    return spell
