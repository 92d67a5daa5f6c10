"""Clauses that several of the statements of `operator_statements` have."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from hive_acid.sql.operator_statements import NamedTable, SortKey
from hive_acid.sql.reader import Reader

T = TypeVar("T")
_OTHER_NAMES = {"start": "starttime", "highestwriteid": "hightestwriteid"}
"""Other names of Hive for columns: the name in the example of its manual, and the one that its ORDER BY knows."""


def read_scope(reader: Reader, *keywords: str) -> tuple[NamedTable | None, str | None]:
    """A table or a database, if there is one; a table that is called like one of the keywords is in backquotes."""
    if reader.take("DATABASE") or reader.take("SCHEMA"):
        return None, reader.name("the name of a database")
    is_table = reader.is_name_next() and not reader.is_next(*keywords)
    return read_table(reader) if is_table else None, None


def read_table(reader: Reader) -> NamedTable:
    """A table's name, and a PARTITION clause if there is one."""
    parts = read_name(reader)
    return NamedTable(parts, clause=_read_partition(reader) if reader.is_next("PARTITION") else None)


def read_name(reader: Reader) -> tuple[str, ...]:
    """The parts of a table's name."""
    parts = [reader.name("the name of a table")]
    while reader.take("."):
        parts.append(reader.name("a name"))
    return tuple(parts)


def read_pool(reader: Reader) -> str | None:
    """The name behind POOL, if it comes next."""
    return reader.string("the pool's name in quotation marks") if reader.take("POOL") else None


def _read_partition(reader: Reader) -> str:
    """The clause as it is written: what its constants mean is up to Spark's parser, which differs by line."""
    start = reader.next.start
    reader.require("PARTITION")
    _read_pairs(
        reader, "partition column", lambda: reader.name("a partition column").lower(), lambda: _pass_constant(reader)
    )
    return reader.text_from(start)


def read_properties(reader: Reader) -> tuple[tuple[str, str], ...]:
    """Keys and values in brackets, each key once."""
    return _read_pairs(
        reader,
        "key",
        lambda: reader.string("a key in quotation marks"),
        lambda: reader.string("a value in quotation marks"),
    )


def _read_pairs(
    reader: Reader, key_noun: str, read_key: Callable[[], str], read_value: Callable[[], T]
) -> tuple[tuple[str, T], ...]:
    pairs: dict[str, T] = {}
    reader.require("(")
    while not pairs or reader.take(","):
        at = reader.next
        key = read_key()
        if key in pairs:
            raise reader.error(f"another {key_noun}", at)
        reader.require("=")
        pairs[key] = read_value()
    reader.require(")", ", or )")
    return tuple(pairs.items())


def _pass_constant(reader: Reader) -> None:
    """Several texts in a row are one in Spark, and a text may have a letter before its quotation marks."""
    expected = "a value: a text in quotation marks, a number, TRUE, FALSE, DATE '…', TIMESTAMP '…' or NULL"
    if any(reader.take(word) for word in ("NULL", "TRUE", "FALSE")):
        return
    if reader.take("DATE") or reader.take("TIMESTAMP"):
        reader.string("a text in quotation marks")
    elif reader.take("-"):
        reader.number("a number")
    elif reader.is_number_next():
        reader.number(expected)
    else:
        reader.texts(expected)


def read_choice(reader: Reader, choices: Sequence[str]) -> str:
    """One of the texts, in any case; underscores and hyphens may stand for the blanks between words."""
    quoted = [f"'{choice}'" for choice in choices]
    expected = f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    at = reader.next
    found = re.sub(r"[\s_-]+", " ", reader.string(expected)).strip().lower()
    if found not in choices:
        raise reader.error(expected, at)
    return found


def read_sort_keys(reader: Reader, columns: Sequence[str] = ()) -> tuple[SortKey, ...]:
    """The columns behind ORDER BY; any name will do if none are given to choose from."""
    keys = [_read_sort_key(reader, columns)]
    while reader.take(","):
        keys.append(_read_sort_key(reader, columns))
    return tuple(keys)


def _read_sort_key(reader: Reader, columns: Sequence[str]) -> SortKey:
    """Any name will do if no columns are given."""
    expected = f"a column: {', '.join(columns)}" if columns else "the name of a column"
    at = reader.next
    column = reader.name(expected).lower()
    column = _OTHER_NAMES.get(column, column) if columns else column
    if columns and column not in columns:
        raise reader.error(expected, at)
    is_descending = reader.take("DESC")
    if not is_descending:
        reader.take("ASC")
    nulls_first = not is_descending
    if reader.take("NULLS"):
        nulls_first = reader.take("FIRST")
        if not nulls_first:
            reader.require("LAST", "FIRST or LAST")
    return SortKey(column, is_descending, nulls_first)
