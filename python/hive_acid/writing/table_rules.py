"""The tables that can be written, and what their files are to look like: functions on the table's description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from hive_acid import config
from hive_acid.errors import Refusal, build_error, build_refusal
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import is_hidden
from hive_acid.model.table import FileFormat, TableConstraints, TableDescription, TableKind, TableName
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Statement
from hive_acid.writing.buckets import find_bucketing
from hive_acid.writing.publishing.output_rules import find_output_way

_READABLE_IN_ORC = {
    MetastoreLine.HIVE_3: frozenset({"ZLIB", "SNAPPY", "NONE"}),
    MetastoreLine.HIVE_4: frozenset({"ZLIB", "SNAPPY", "NONE", "ZSTD", "LZ4"}),
}
_DEFAULT_IN_ORC = {MetastoreLine.HIVE_3: "ZLIB", MetastoreLine.HIVE_4: "ZSTD"}
_READABLE_IN_PARQUET = {
    MetastoreLine.HIVE_3: frozenset({"SNAPPY", "GZIP", "UNCOMPRESSED"}),
    MetastoreLine.HIVE_4: frozenset({"SNAPPY", "GZIP", "UNCOMPRESSED", "ZSTD"}),
}
_TEXT_TYPE = re.compile(r"string|varchar\(\d+\)")
"""Types whose values have one text only."""
_PARTITION_TYPE = re.compile(
    rf"{_TEXT_TYPE.pattern}|char\(\d+\)|tinyint|smallint|int|bigint|float|double|decimal\(\d+, ?\d+\)"
    "|date|timestamp|boolean"
)
"""Types whose values get the text that Hive 3.1.3 and 4.1.0 give them in a partition's name.

Neither reads a BINARY back as it was written.
"""
_TYPE_WORD = re.compile(r"(?:(?<=^)|(?<=[:<,]))\s*[A-Za-z_]+\s*(?=[<>,(]|$)")
"""The name of a type, not that of a struct's field, which has a colon behind it."""
_FIELD_NAME = re.compile(r"(?<=[<,])([^<>(),:]+)(?=:)")
"""The name of a struct's field, between `<` or a comma and its colon."""
_UNWRITABLE_TYPE = re.compile(
    r"\b(uniontype|timestamp with local time zone|interval_(?:year_month|day_time)|void)\b(?!\s*:)"
)
"""The name of a type, not that of a struct's field."""

_HIDDEN_LOCATION = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.HIDDEN_LOCATION")
_ENCRYPTED = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.ENCRYPTED_FILES")
_WITHOUT_VALUES = frozenset({StatementKind.DELETE, StatementKind.TRUNCATE})
_NO_ROW_IDS = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NO_ROW_IDS")


@dataclass(frozen=True)
class FileLayout:
    """How new rows lie in files: `name` of the layout, as the engine knows it, and the pattern of their names.

    The pattern takes the number of the bucket, or of the file in a table that is not bucketed.
    """

    name: str
    file_name: str


_ACID_LAYOUT = FileLayout("acid_orc", "bucket_%05d")
_INSERT_ONLY_LAYOUTS: Mapping[FileFormat | None, FileLayout] = {
    # as Hive's tasks call them, so that a compaction or a conversion finds names it knows (AcidUtils.ORIGINAL_PATTERN)
    FileFormat.ORC: FileLayout("orc", "%06d_0"),
    FileFormat.PARQUET: FileLayout("parquet", "%06d_0"),
}


def refuse_row_changes(operation: str, table: str, kind: TableKind) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_TABLE if no row of such a table can be changed or deleted by itself."""
    if not kind.has_row_ids:
        raise _NO_ROW_IDS.build_error(operation=operation, table=table)


def refuse_unwritable(table: TableDescription, statement: Statement, settings: config.Settings) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_TABLE if the statement cannot be done right on this table."""
    refusal = _find_kind_fault(table, statement.kind)
    if refusal is None:
        find_bucketing(table, statement, settings)
        refusal = find_storage_fault(table, settings.flag(config.ALLOW_NON_ATOMIC_RENAME))
    if refusal is not None:
        raise refusal.build_error(operation=statement.kind.title, table=table.name)


def refuse_hidden_location(operation: str, table: TableName, location: str) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_TABLE for the location of a new table whose files Hive 4 and Trino would not see."""
    if _is_hidden_location(location):
        raise _HIDDEN_LOCATION.build_error(operation=operation, table=table)


def refuse_unseen(operation: str, table: TableName, checks_capabilities: bool) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_TABLE for a new insert-only table that the client of Spark's catalog would not see.

    HMSHandler.get_table_core of 3.1.3 answers with an error, to DROP too, if the client lacks the capability and
    `checks_capabilities`.
    """
    if checks_capabilities:
        raise Refusal("HIVE_ACID_UNSUPPORTED_TABLE.INSERT_ONLY_UNSEEN").build_error(operation=operation, table=table)


def _is_hidden_location(location: str) -> bool:
    return any(is_hidden(part) for part in urlsplit(location).path.split("/"))


def find_storage_fault(table: TableDescription, allow_non_atomic_rename: bool) -> Refusal | None:
    """Why files of the table cannot be written right, whatever is written; None if they can."""
    if refusal := find_rename_fault(table.location, allow_non_atomic_rename):
        return refusal
    if _is_hidden_location(table.location):
        return _HIDDEN_LOCATION
    if table.has_skew_folders:  # by whose names Hive leaves out rows (ListBucketingPruner)
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.SKEW_FOLDERS")
    if refusal := find_partition_column_fault(table.partition_columns):
        return refusal
    for column in table.columns:
        if match := _UNWRITABLE_TYPE.search(column.type.lower()):
            return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE", column=column.name, type=match[1])
    return None


def find_rename_fault(location: str, allow_non_atomic_rename: bool) -> Refusal | None:
    """Why folders cannot be put in place at this location; None if they can."""
    if find_output_way(location, allow_non_atomic_rename) is not None:
        return None
    return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.NON_ATOMIC_RENAME", scheme=urlsplit(location).scheme)


def find_place_fault(table: TableDescription, location: str, allow_non_atomic_rename: bool) -> Refusal | None:
    """Why a partition at this location cannot be written with its table, which has one way for all its folders."""
    way = find_output_way(table.location, allow_non_atomic_rename)
    if find_output_way(location, allow_non_atomic_rename) is way:
        return None
    return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.NON_ATOMIC_RENAME", scheme=urlsplit(location).scheme)


class _TypedColumn(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...


def find_partition_column_fault(columns: Iterable[_TypedColumn]) -> Refusal | None:
    """Why Hive would not find rows by the values of these columns in a partition's name; None if it would."""
    for column in columns:
        if not _PARTITION_TYPE.fullmatch(column.type.lower()):
            condition = "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_COLUMN_TYPE"
            return build_refusal(condition, column=column.name, type=column.type)
        if is_hidden(column.name):
            return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.HIDDEN_PARTITION_COLUMN", column=column.name)
    return None


def has_typed_partitions(table: TableDescription) -> bool:
    """True if the values of a partition column can be spelled in more ways than one (`1` and `01`)."""
    return not all(_TEXT_TYPE.fullmatch(column.type.lower()) for column in table.partition_columns)


def _find_kind_fault(table: TableDescription, kind: StatementKind) -> Refusal | None:
    """Why tables of this kind and format do not take the statement, if they do not."""
    if table.kind is TableKind.PLAIN:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL")
    if kind.changes_rows and not table.kind.has_row_ids:
        return _NO_ROW_IDS
    return find_format_fault(table) or (None if kind in _WITHOUT_VALUES else find_encryption_fault(table))


def find_format_fault(table: TableDescription) -> Refusal | None:
    """Why files of the table's format are not written; None if they are."""
    if table.kind is not TableKind.INSERT_ONLY or table.file_format in _INSERT_ONLY_LAYOUTS:
        return None
    title = table.file_format.value if table.file_format else table.input_format.rpartition(".")[2]
    written = " and ".join(found.value for found in _INSERT_ONLY_LAYOUTS if found)
    return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.FORMAT_NOT_WRITTEN", format=title, written=written)


def find_encryption_fault(table: TableDescription) -> Refusal | None:
    """Why values are not written into the table's files, which are to be encrypted; None if they are not to be.

    ORC takes the property `orc.encrypt` from a table (OrcFile.WriterOptions), and Hive 4 writes by it.
    """
    if table.file_format is FileFormat.PARQUET:
        return None
    return _ENCRYPTED if any(k.lower() == "orc.encrypt" and v.strip() for k, v in table.parameters.items()) else None


def find_layout(table: TableDescription) -> FileLayout:
    """The form of the files of a table that can be written."""
    return _ACID_LAYOUT if table.kind.has_row_ids else _INSERT_ONLY_LAYOUTS[table.file_format]


def find_required(
    table: TableDescription, kind: StatementKind, constraints: TableConstraints
) -> tuple[tuple[str, int], ...]:
    """The columns in which a new row must not be NULL, by name and position.

    Raises HIVE_ACID_UNSUPPORTED_TABLE for constraints that only Hive can judge.
    """
    names = [column.name for column in table.columns]
    beyond = sorted(constraints.not_null - set(names))
    where = {"operation": kind.title, "table": table.name}
    if beyond:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_NOT_NULL", column=beyond[0], **where)
    if constraints.checks:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.CHECK_CONSTRAINTS", **where)
    return tuple((name, position) for position, name in enumerate(names) if name in constraints.not_null)


def build_row_type(table: TableDescription) -> str:
    """`struct<`name`:type,…>` with every column in the metastore's order.

    Nested names are in the metastore's case: Hive 3.1.3 and 4.1.0 find nested fields by it and show others as NULL.
    """
    return "struct<" + ",".join(f"`{c.name.replace('`', '``')}`:{_orc_type(c.type)}" for c in table.columns) + ">"


def _orc_type(text: str) -> str:
    """A type of the metastore, whose words may be in any case, in ORC's spelling; names of fields stay as they are.

    ORC wants them in quotation marks.
    """
    return quote_fields(_TYPE_WORD.sub(lambda match: match[0].lower(), text))


def quote_fields(text: str) -> str:
    """A type of the metastore with names of fields in quotation marks, as the parsers of ORC and Spark read them.

    Hive lets blanks and dots stand in names (TypeInfoParser.isTypeChar).
    """
    return _FIELD_NAME.sub(r"`\1`", text)


def find_compression(table: TableDescription, line: MetastoreLine) -> str:
    """The table's `orc.compress` or `parquet.compression` if every engine of the line reads it, else the default.

    That is SNAPPY in Parquet. In ORC it is what costs readers and writers least of what the line reads as well packed.
    """
    key = find_compression_key(table)
    default = "SNAPPY" if table.file_format is FileFormat.PARQUET else _DEFAULT_IN_ORC[line]
    wanted = next((v.upper() for k, v in table.parameters.items() if k.lower() == key), default)
    return wanted if wanted in find_readable_compressions(table, line) else default


def find_compression_key(table: TableDescription) -> str:
    """The table property that says how its files are compressed."""
    return "parquet.compression" if table.file_format is FileFormat.PARQUET else "orc.compress"


def find_readable_compressions(table: TableDescription, line: MetastoreLine) -> frozenset[str]:
    """Values of that property: the compressions that every engine reads beside metastores of the line.

    ORC 1.5 and Parquet 1.10 of Hive 3.1 know no ZSTD and write LZ4 of their own; ORC 1.8 and Parquet 1.13 of Hive 4.0
    read them.
    """
    return (_READABLE_IN_PARQUET if table.file_format is FileFormat.PARQUET else _READABLE_IN_ORC)[line]
