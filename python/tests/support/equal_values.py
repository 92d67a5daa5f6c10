"""Cells of a matrix of equality: a type of keys, the type of older files, the text of a person, and values near it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ARRAY: Final = re.compile(r"ARRAY<(.*)>")
_CHAR: Final = re.compile(r"CHAR\(([0-9]+)\)")


@dataclass(frozen=True)
class Cell:
    """A column of the type `written` that becomes one of the type `now`, and the text that names a person in it.

    `values` are SQL expressions, some of the person. They are written to the older type and to the new one.
    """

    now: str
    written: str
    subject: str
    values: tuple[str, ...]

    def condition(self, column: str) -> str:
        """What SQL calls equal. Spark fills up a CHAR where it compares columns, and not within arrays."""
        found = _ARRAY.fullmatch(self.now)
        if found is None:
            return f"{column} = CAST('{self.subject}' AS {self.now})"
        char = _CHAR.fullmatch(found[1])
        text = f"rpad('{self.subject}', {char[1]}, ' ')" if char else f"CAST('{self.subject}' AS {found[1]})"
        return f"array_contains({column}, {text})"


def _steady(kind: str, subject: str, *values: str) -> Cell:
    return Cell(kind, kind, subject, values)


CELLS = (
    _steady("TINYINT", "7", "7", "-7"),
    _steady("INT", "007", "7", "70"),
    _steady("BIGINT", "-9223372036854775808", "-9223372036854775808L", "9223372036854775807L"),
    Cell("SMALLINT", "TINYINT", "7", ("7", "8")),
    Cell("BIGINT", "INT", "+7", ("7", "8")),
    Cell("DECIMAL(12,0)", "INT", "7.0", ("7", "8")),
    Cell("DOUBLE", "INT", "7", ("7", "8")),
    Cell("STRING", "INT", "7", ("7", "8")),
    _steady("DECIMAL(10,2)", "1.5", "1.50", "1.51"),
    _steady("DECIMAL(38,18)", "0.000000000000000001", "0.000000000000000001", "0"),
    _steady("DECIMAL(10,2)", "-0", "0", "-0.01"),
    Cell("DECIMAL(10,2)", "DECIMAL(6,2)", "1.50", ("1.5", "1.49")),
    Cell("DECIMAL(10,4)", "DECIMAL(6,2)", "1.5", ("1.5", "1.51")),
    Cell("STRING", "DECIMAL(6,2)", "1.5", ("1.5", "1.51")),
    _steady("FLOAT", "0.1", "0.1", "0.2"),
    _steady("DOUBLE", "1e3", "1000", "1001"),
    _steady("DOUBLE", "-0.0", "0", "-0.0D", "1"),
    _steady("DOUBLE", "NaN", "'NaN'", "'Infinity'"),
    Cell("DOUBLE", "FLOAT", "0.5", ("0.5", "0.25")),
    Cell("DOUBLE", "FLOAT", "0.1", ("0.1", "0.25")),
    Cell("STRING", "DOUBLE", "1.0", ("1", "2")),
    _steady("STRING", "ab", "'ab'", "'ab '", "'AB'", "'a'"),
    _steady("VARCHAR(5)", "ab", "'ab'", "'ab '"),
    _steady("CHAR(5)", "ab", "'ab'", "'ab '", "'abc'"),
    Cell("CHAR(8)", "CHAR(5)", "ab", ("'ab'", "'abc'")),
    Cell("VARCHAR(8)", "VARCHAR(5)", "ab", ("'ab'", "'abc'")),
    Cell("VARCHAR(8)", "CHAR(5)", "ab", ("'ab'", "'abc'")),
    Cell("STRING", "CHAR(5)", "ab", ("'ab'", "'abc'")),
    Cell("STRING", "VARCHAR(5)", "ab", ("'ab'", "'abc'")),
    Cell("CHAR(5)", "STRING", "ab", ("'ab'", "'abc'")),
    _steady("BINARY", "ab", "x'6162'", "x'6163'"),
    _steady("DATE", "1984-01-31", "DATE'1984-01-31'", "DATE'1984-01-30'"),
    _steady("DATE", "1500-01-01", "DATE'1500-01-01'", "DATE'1500-01-10'"),
    _steady("DATE", "0001-01-01", "DATE'0001-01-01'", "DATE'0001-01-03'"),
    Cell("STRING", "DATE", "1984-01-31", ("DATE'1984-01-31'", "DATE'1984-01-30'")),
    _steady("TIMESTAMP", "1984-01-31", "TIMESTAMP'1984-01-31 00:00:00'", "TIMESTAMP'1984-01-31 00:00:00.000001'"),
    _steady("TIMESTAMP", "1500-01-01 12:00", "TIMESTAMP'1500-01-01 12:00'", "TIMESTAMP'1500-01-10 12:00'"),
    Cell("STRING", "TIMESTAMP", "1984-01-31 00:00:00", ("TIMESTAMP'1984-01-31'", "TIMESTAMP'1984-01-31 12:01:00'")),
    _steady("ARRAY<INT>", "07", "array(1, 7)", "array(70)", "array()"),
    _steady("ARRAY<DECIMAL(6,2)>", "1.5", "array(1.50, 3)", "array(1.51)"),
    _steady("ARRAY<DOUBLE>", "0", "array(-0.0D)", "array(1D)"),
    _steady("ARRAY<CHAR(4)>", "ab", "array('ab', 'c')", "array('abc')"),
    _steady("ARRAY<DATE>", "1984-01-31", "array(DATE'1984-01-31')", "array(DATE'1984-01-30')"),
    Cell("ARRAY<BIGINT>", "ARRAY<INT>", "7", ("array(7)", "array(8)")),
)  # fmt: skip

PARTITION_CELLS = (
    _steady("INT", "007", "7", "8"),
    _steady("BIGINT", "-9223372036854775808", "-9223372036854775808L", "1L"),
    _steady("DECIMAL(6,2)", "1.5", "1.5", "1.51"),
    _steady("DOUBLE", "0", "-0.0D", "1D"),
    _steady("STRING", "a b/c=d%e", "'a b/c=d%e'", "'a b/c=d%25e'"),
    _steady("VARCHAR(5)", "ab", "'ab'", "'abc'"),
    _steady("CHAR(5)", "ab", "'ab'", "'abc'"),
    _steady("DATE", "1984-01-31", "DATE'1984-01-31'", "DATE'1984-01-30'"),
    _steady("TIMESTAMP", "1984-01-31", "TIMESTAMP'1984-01-31 00:00:00'", "TIMESTAMP'1984-01-31 00:00:00.5'"),
)
"""The first value of each is the person's."""
