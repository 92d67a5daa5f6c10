"""Reads files of sqllogictest (`.slt`), and writes them as inputs: their statements, and what these must do.

The form is that of SQLite's sqllogictest, as DuckDB and DataFusion have it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hive_acid_sqltest.errors import SuiteError

_HASHED = re.compile(r"([0-9]+) values hashing to [0-9a-f]+")
_LEFT_OUT = ("hash-threshold", "halt", "mode", "control", "require", "load", "sleep", "subtest")
_CONDITIONS = ("onlyif", "skipif")


def convert_slt(text: str, source: str) -> str:
    """The text of an input. Records for one engine alone are left out, with a comment that says so.

    Raises SuiteError for a record of another form, such as a loop.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    parts = [f"-- From {source}."]
    for record in _split_records(lines):
        parts += _convert(record, source)
    return "\n\n".join(parts) + "\n"


def _split_records(lines: list[str]) -> Iterator[list[str]]:
    record: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            if record or not line.startswith("#"):
                record.append(line.rstrip())
        elif record:
            yield record
            record = []


def _convert(record: list[str], source: str) -> list[str]:
    words = record[0].split()
    if words[0] in _CONDITIONS:
        return [f"-- left out, for it has `{record[0]}`: {' '.join(record[2:])}"]
    if words[0] in _LEFT_OUT:
        return []
    if words[0] not in ("statement", "query"):
        raise SuiteError(f"{source}: no record that can be taken over: {record[0]}")
    end = record.index("----") if "----" in record else len(record)
    statement, results = record[1:end], record[end + 1 :]
    if not statement:
        raise SuiteError(f"{source}: no statement after {record[0]}")
    expected = _expect_query(words[1:], results) if words[0] == "query" else _expect_statement(words[1:])
    return ["\n".join([*expected, "\n".join(statement).rstrip(";") + ";"])]


def _expect_statement(words: list[str]) -> list[str]:
    return ["--EXPECT error"] if words[:1] == ["error"] else []


def _expect_query(words: list[str], results: list[str]) -> list[str]:
    """Rows are counted; a single value is compared. The forms of numbers in longer results differ between engines."""
    if words[:1] == ["error"]:
        return ["--EXPECT error"]
    columns = len(words[0]) if words else 1
    hashed = _HASHED.fullmatch(results[0]) if results else None
    if hashed is not None:
        return [f"--EXPECT {int(hashed[1]) // columns} rows"]
    if not results:
        return ["--EXPECT no rows"]
    if len(results) == 1 and columns == 1:
        return ["--EXPECT 1 row" if words[0] == "R" else f"--EXPECT value {results[0]}"]
    by_row = columns == 1 or any(len(line.split()) > 1 for line in results)  # else each value has a line
    return [f"--EXPECT {len(results) if by_row else len(results) // columns} rows"]
