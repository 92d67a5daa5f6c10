"""The ways to read a text: as it stands, and with what formats escape written out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_ESCAPED = re.compile(
    r"""(?:%[0-9A-Fa-f]{2})+                                    # URLs, folders of partitions
      | (?:\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}) # JSON, beyond 16 bits
      | \\u[0-9A-Fa-f]{4} | \\U[0-9A-Fa-f]{8} | (?:\\x[0-9A-Fa-f]{2})+ # JSON, Python, C
      | (?:\\[0-3][0-7]{2})+                                    # Hive's and C's octals
      | \\. | '' | ""                                           # C, Java; SQL, CSV
      | &\#?\w{1,32};                                           # HTML, XML
    """,
    re.VERBOSE,
)
_OF_MOMENT = re.compile(r"(?<=[0-9]{4}-[0-9]{2}-[0-9]{2})T(?=[0-9]{2}:)")
"""Between the day and the time (ISO 8601)."""
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_DEPTH = 3
"""Texts are put into texts: a URL into JSON into a property."""


@dataclass(frozen=True)
class Reading:
    """A text as it may be read.

    Its character `i` comes from the characters `starts[i]` to `ends[i]`, exclusive, of the text that was given.
    """

    text: str
    starts: list[int]
    ends: list[int]


def build_readings(text: str) -> Iterator[Reading]:
    """All readings of a text, itself first."""
    starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
    readings = {each: Reading(each, starts, ends) for each in (text, _OF_MOMENT.sub(" ", text))}
    known = set[str]()
    for _ in range(_DEPTH + 1):
        yield from readings.values()
        known |= readings.keys()
        # in the queries of URLs a plus sign is a blank
        spaced = (Reading(r.text.replace("+", " "), r.starts, r.ends) for r in readings.values() if "+" in r.text)
        deeper = map(_write_out, (*readings.values(), *spaced))
        readings = {reading.text: reading for reading in deeper if reading.text not in known}


def _write_out(reading: Reading) -> Reading:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in _ESCAPED.finditer(reading.text):
        first, end = match.span()
        plain = _unescape(match.group())
        parts += (reading.text[done:first], plain)
        starts += reading.starts[done:first] + [reading.starts[first]] * len(plain)
        ends += reading.ends[done:first] + [reading.ends[end - 1]] * len(plain)
        done = end
    return Reading("".join((*parts, reading.text[done:])), starts + reading.starts[done:], ends + reading.ends[done:])


def _unescape(escaped: str) -> str:
    """The text that it stands for; itself if it is no escape."""
    if escaped[0] == "%":
        return _decode(bytes.fromhex(escaped.replace("%", "")), escaped)
    if escaped[0] == "&":
        return html.unescape(escaped)
    if escaped[0] != "\\":
        return escaped[0]
    kind = escaped[1]
    if kind in "uU":
        return _decode_units(escaped) if len(escaped) > 2 else kind
    if kind == "x" and len(escaped) > 2:
        return _decode(bytes.fromhex(escaped.replace("\\x", "")), escaped)
    if len(escaped) > 2:
        return _decode(bytes(int(octal, 8) for octal in escaped.split("\\")[1:]), escaped)
    return _CONTROLS.get(kind, kind)


def _decode(encoded: bytes, escaped: str) -> str:
    """As UTF-8, else as Latin-1: one of them is what a program wrote."""
    try:
        return encoded.decode()
    except UnicodeDecodeError:
        return encoded.decode("latin-1") or escaped


def _decode_units(escaped: str) -> str:
    """Units of UTF-16, or one code point."""
    units = [int(unit, 16) for unit in re.split(r"\\[uU]", escaped)[1:]]
    if len(units) == 2:
        return chr(0x10000 + ((units[0] - 0xD800) << 10) + (units[1] - 0xDC00))
    return chr(units[0]) if units[0] <= 0x10FFFF else escaped
