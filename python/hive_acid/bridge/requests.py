"""The shim's requests, as our values."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.model.table import Column, TableKind, TableName
from hive_acid.model.table_identity import TableIdentity
from hive_acid.reading.readers import ReadTable
from hive_acid.wire.analysed_table import AnalysedTable
from hive_acid.wire.scan_requests import ReadRequest
from hive_acid.wire.statements import WriteRequest
from hive_acid.writing.statement import Statement


def parse_table_name(text: str) -> TableName:
    """From `db.table`."""
    database, _, table = text.partition(".")
    return TableName(database, table)


def build_statement(asked: WriteRequest) -> Statement:
    """A writing statement."""
    return Statement(
        kind=asked.kind,
        writes=asked.writes,
        target=asked.table,
        sources=asked.sources,
        time_zone=asked.time_zone,
        parallelism=asked.parallelism,
        analysed=tuple(_build_identity(one) for one in asked.analysed),
        settings=asked.settings,
        overwrite=asked.overwrite,
        text=asked.text,
    )


def build_read_table(asked: ReadRequest) -> ReadTable:
    """The table that a scan was analysed on, and what its query reads besides."""
    return ReadTable(_build_identity(asked.analysed), asked.together)


def _build_identity(asked: AnalysedTable) -> TableIdentity:
    return TableIdentity(
        name=asked.table,
        created_s=asked.created_s,
        location=asked.location,
        kind=TableKind.of(asked.properties),
        input_format=asked.input_format,
        columns=None if asked.columns is None else _lowered(asked.columns),
        partition_columns=_lowered(asked.partition_columns),
        bucket_columns=tuple(column.lower() for column in asked.bucket_columns),
        bucket_count=asked.bucket_count,
    )


def _lowered(columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(Column(column.name.lower(), column.type) for column in columns)
