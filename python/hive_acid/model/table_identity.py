"""The table that a plan was made for. Another one may have its name by the time it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from hive_acid.errors import Refusal, build_refusal
from hive_acid.model.table import Column, TableDescription, TableKind, TableName

_COLLATION = re.compile(r" collate \w+")
_BLANK_OR_QUOTE = re.compile(r"[\s`]+")
_ORC = "orcinputformat"
_LOCAL_ZONE = re.compile(r"(?<!\w)timestampwithlocaltimezone(?![\w:])")
"""A TIMESTAMP in Spark's catalog, where Spark's parser takes the words. Files of ORC name their types, so that a
statement that reads such a column is refused by that. No other file does: its values would be read as something else.
"""
_SYNONYM = re.compile(r"(?<![\w:])(integer|numeric|dec|decimal(?!\())(?![\w:])")
_SYNONYMS = {"integer": "int", "numeric": "decimal", "dec": "decimal", "decimal": "decimal(10,0)"}


@dataclass(frozen=True)
class AnalysedTable:
    """A table as the engine's catalog showed it when a plan was analysed, and as the shim tells of it.

    `created_s` is the time of its creation in seconds since 1970 by the metastore's clock, 0 if it is not known.
    `properties` are those that make it transactional, their keys in lower case. `columns` is None for tables whose
    columns come from a SerDe and not from the metastore. `partition_columns` are in order. `location` may be spelled in
    any way that means the same folder, names of columns in any case.
    """

    table: TableName
    created_s: int
    location: str
    input_format: str
    properties: Mapping[str, str]
    columns: tuple[Column, ...] | None
    partition_columns: tuple[Column, ...]
    bucket_columns: tuple[str, ...]
    bucket_count: int

    @property
    def kind(self) -> TableKind:
        """How it takes part in transactions."""
        return TableKind.of(self.properties)


def describe_analysed(table: TableDescription) -> AnalysedTable:
    """The same of a table of the metastore."""
    return AnalysedTable(
        table=table.name,
        created_s=table.created_s,
        location=table.location,
        input_format=table.input_format,
        properties=table.parameters,
        columns=table.columns,
        partition_columns=table.partition_columns,
        bucket_columns=table.bucket_columns,
        bucket_count=table.bucket_count,
    )


def find_change(analysed: AnalysedTable, table: TableDescription) -> Refusal | None:
    """How the table differs from what was analysed, by HIVE_ACID_TABLE_CHANGED; None if it is the same.

    Values are matched with columns by position and by type, rows with files by location and format: a plan that was
    made for another table would return or write values of other columns.
    """
    if analysed.created_s and table.created_s and analysed.created_s != table.created_s:
        return build_refusal("HIVE_ACID_TABLE_CHANGED.MADE_ANEW")
    columns = analysed.columns if analysed.columns is not None else table.columns
    is_orc = _ORC in table.input_format.lower()
    then = _spell(columns, analysed.partition_columns, is_orc)
    now = _spell(table.columns, table.partition_columns, is_orc)
    if then != now:
        return build_refusal("HIVE_ACID_TABLE_CHANGED.COLUMNS", columns=now, analysed=then)
    if len(analysed.partition_columns) != len(table.partition_columns):
        names = ", ".join(column.name for column in table.partition_columns) or "no columns"
        return build_refusal("HIVE_ACID_TABLE_CHANGED.PARTITIONING", columns=names)
    then, now = _spell_buckets(analysed), _spell_buckets(describe_analysed(table))
    if then != now:
        return build_refusal("HIVE_ACID_TABLE_CHANGED.BUCKETS", buckets=now, analysed=then)
    if analysed.kind is not table.kind:
        kinds = {"kind": table.kind.value.replace("_", " "), "analysed": analysed.kind.value.replace("_", " ")}
        return build_refusal("HIVE_ACID_TABLE_CHANGED.KIND", **kinds)
    if analysed.input_format and analysed.input_format != table.input_format:
        return build_refusal("HIVE_ACID_TABLE_CHANGED.FORMAT", inputFormat=table.input_format)
    if analysed.location and normal_location(analysed.location) != normal_location(table.location):
        return build_refusal("HIVE_ACID_TABLE_CHANGED.LOCATION", location=table.location)
    return None


def find_zoned_column(analysed: AnalysedTable, table: TableDescription) -> Column | None:
    """The first column of TIMESTAMP WITH LOCAL TIME ZONE, if such types are all in which the columns differ."""
    columns = analysed.columns if analysed.columns is not None else table.columns
    then = _spell((*columns, *analysed.partition_columns), (), is_orc=True)
    now = (*table.columns, *table.partition_columns)
    if then != _spell(now, (), is_orc=True):
        return None
    return next((column for column in now if _LOCAL_ZONE.search(normal_type(column.type))), None)


def normal_location(location: str) -> str:
    """One spelling of a location: `file:/a`, `file:///a` and `file:/a/` are the same, as are `%20` and a blank."""
    scheme, colon, path = unquote(location).rstrip("/").partition(":")
    if not colon:
        return scheme
    return f"{scheme}:{path[2:] if path.startswith('///') else path}"


def normal_type(text: str) -> str:
    """One spelling of a type: words in lower case, without blanks and quotes, synonyms as Hive stores them."""
    bare = _BLANK_OR_QUOTE.sub("", _COLLATION.sub("", text.lower()))
    return _SYNONYM.sub(lambda match: _SYNONYMS[match[1]], _SYNONYM.sub(lambda match: _SYNONYMS[match[1]], bare))


def _spell(columns: tuple[Column, ...], partition_columns: tuple[Column, ...], is_orc: bool) -> str:
    of_data = ((column.name.lower(), normal_type(column.type)) for column in columns)
    in_files = [(name, _LOCAL_ZONE.sub("timestamp", kind) if is_orc else kind) for name, kind in of_data]
    in_names = [(column.name.lower(), normal_type(column.type)) for column in partition_columns]
    return ", ".join(f"{name} {kind}" for name, kind in (*in_files, *in_names))


def _spell_buckets(table: AnalysedTable) -> str:
    if not table.bucket_columns:
        return "no columns"
    return f"{', '.join(table.bucket_columns).lower()} into {table.bucket_count} buckets"
