"""The bucket of a row as Hive computes it, after its sources of 3.1.3 and 4.1.0 and apart from the shim's own code.

ObjectInspectorUtils.getBucketHashCodeOld is version 1, getBucketHashCode with Murmur3.hash32 version 2.
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

SEED = 104729
_BITS = 0xFFFFFFFF


def bucket_of(values: Sequence[Any], types: Sequence[str], version: int, buckets: int) -> int:
    """The bucket of a row with these values in the bucketing columns; types in Hive's spelling."""
    return (row_hash(values, types, version) & 0x7FFFFFFF) % buckets


def row_hash(values: Sequence[Any], types: Sequence[str], version: int) -> int:
    """The signed hash of the values together."""
    return _chain(hash_of(value, type_, version) for value, type_ in zip(values, types, strict=True))


def hash_of(value: Any, type_: str, version: int) -> int:
    """The signed hash of one value. Lists, tuples and dicts stand for arrays, structs and maps."""
    if value is None:
        return 0
    name, _, inner = type_.partition("<")
    inner = inner.removesuffix(">")
    if name == "array":
        return _chain(hash_of(item, inner, version) for item in value)
    if name == "struct":
        fields = [field.split(":", 1)[1] for field in _split(inner)]
        return row_hash(value, fields, version)
    if name == "map":
        key, item = _split(inner)
        return _signed(sum(hash_of(k, key, version) ^ hash_of(v, item, 1) for k, v in value.items()))
    scalars = _V1 if version == 1 else _V2
    return _signed(scalars[name.partition("(")[0]](value))


def murmur(data: bytes) -> int:
    """Hive's Murmur3.hash32: bytes behind the last block of four are signed."""
    h = SEED
    blocks = len(data) // 4
    for (k,) in struct.iter_unpack("<I", data[: blocks * 4]):
        h ^= _mixed(k)
        h = _rotated(h, 13) * 5 + 0xE6546B64 & _BITS
    k = 0
    for i, byte in enumerate(struct.unpack(f"{len(data) % 4}b", data[blocks * 4 :])):
        k ^= byte << 8 * i
    h ^= _mixed(k & _BITS) if len(data) % 4 else 0
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & _BITS
    h = (h ^ h >> 13) * 0xC2B2AE35 & _BITS
    return _signed(h ^ h >> 16)


_V1: Mapping[str, Callable[[Any], int]] = {
    **dict.fromkeys(("boolean", "tinyint", "smallint", "int"), int),
    "bigint": lambda value: _folded(value),
    "float": lambda value: _float_bits(value),
    "double": lambda value: _folded(_double_bits(value)),
    "string": lambda value: _bytes_hash(value.encode(), 0),
    "varchar": lambda value: _bytes_hash(value.encode(), 1),
    "char": lambda value: _bytes_hash(value.rstrip(" ").encode(), 1),
    "binary": lambda value: _bytes_hash(value, 1),
    "date": lambda value: _days(value),
    "decimal": lambda value: _decimal_hash(*_trimmed(value)),
}

_V2: Mapping[str, Callable[[Any], int]] = {
    **dict.fromkeys(("boolean", "tinyint"), int),
    "smallint": lambda value: murmur(struct.pack(">h", value)),
    "int": lambda value: murmur(struct.pack(">i", value)),
    "bigint": lambda value: murmur(struct.pack(">q", value)),
    "float": lambda value: murmur(struct.pack(">f", float(_float_bits(value)))),
    "double": lambda value: murmur(struct.pack(">d", float(_double_bits(value)))),
    **dict.fromkeys(("string", "varchar"), lambda value: murmur(value.encode())),
    "char": lambda value: murmur(value.rstrip(" ").encode()),
    "date": lambda value: murmur(struct.pack(">i", _days(value))),
    "timestamp": lambda value: murmur(_timestamp_bytes(value)),
    "decimal": lambda value: murmur(_minimal_bytes(_trimmed(value)[0])),
}


def _decimal_hash(unscaled: int, scale: int) -> int:
    """That of java.math.BigDecimal."""
    magnitude = abs(unscaled)
    words = [magnitude >> 32 * i & _BITS for i in reversed(range((magnitude.bit_length() + 31) // 32))]
    return 31 * _chain(words) * (-1 if unscaled < 0 else 1) + scale


def _minimal_bytes(number: int) -> bytes:
    length = ((number if number >= 0 else ~number).bit_length() + 8) // 8
    return number.to_bytes(length, "big", signed=True)


def _chain(hashes: Iterable[int]) -> int:
    result = 0
    for h in hashes:
        result = _signed(31 * result + h)
    return result


def _signed(number: int) -> int:
    number &= _BITS
    return number - (1 << 32) if number >> 31 else number


def _rotated(number: int, bits: int) -> int:
    return number << bits & _BITS | number >> 32 - bits


def _mixed(k: int) -> int:
    return _rotated(k * 0xCC9E2D51 & _BITS, 15) * 0x1B873593 & _BITS


def _folded(number: int) -> int:
    number &= (1 << 64) - 1
    return number ^ number >> 32


def _bytes_hash(data: bytes, start: int) -> int:
    h = start
    for byte in data:
        h = 31 * h + (byte - 256 if byte > 127 else byte)
    return h


def _float_bits(value: float) -> int:
    bits: int = struct.unpack(">i", struct.pack(">f", value))[0]
    return 0x7FC00000 if value != value else bits


def _double_bits(value: float) -> int:
    bits: int = struct.unpack(">q", struct.pack(">d", value))[0]
    return 0x7FF8000000000000 if value != value else bits


def _days(value: date) -> int:
    return (value - date(1970, 1, 1)).days


def _trimmed(value: Decimal) -> tuple[int, int]:
    """Unscaled value and scale without zeros at the end of the fraction."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    unscaled, scale = int("".join(map(str, digits))), -exponent
    while scale > 0 and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale - 1
    return -unscaled if sign else unscaled, scale


def _timestamp_bytes(value: datetime) -> bytes:
    """TimestampWritableV2: seconds of the wall clock, and what they and the fraction need beside them."""
    since = value - datetime(1970, 1, 1)
    seconds, nanos = since.days * 86400 + since.seconds, since.microseconds * 1000
    needs_more = not 0 <= seconds < 1 << 31
    fraction = int(f"{nanos:09d}"[::-1])
    first = seconds & 0x7FFFFFFF
    if not (needs_more or fraction):
        return struct.pack(">I", first)
    data = struct.pack(">I", first | 0x80000000) + _v_int(-fraction - 1 if needs_more else fraction)
    return data + _v_int(seconds >> 31) if needs_more else data


def _v_int(number: int) -> bytes:
    """Hadoop's WritableUtils.writeVLong."""
    if -112 <= number <= 127:
        return struct.pack("b", number)
    magnitude = ~number if number < 0 else number
    length = (magnitude.bit_length() + 7) // 8
    return struct.pack("b", (-120 if number < 0 else -112) - length) + magnitude.to_bytes(length, "big")


def _split(text: str) -> list[str]:
    """At the commas that are not within brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]
