"""What the shim asks, JSON, as our values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hive_acid.model.analysed_table import AnalysedTable
from hive_acid.model.table import Column, TableKind, TableName
from hive_acid.reading.readers import ReadTable
from hive_acid.sql import RowWrites
from hive_acid.transactions.validity import StatementKind
from hive_acid.writing.statement import Overwrite, Statement, StatementText


def parse_table_name(text: str) -> TableName:
    """From `db.table`."""
    database, _, table = text.partition(".")
    return TableName(database, table)


def _build_columns(asked: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    return tuple(Column(name.lower(), type_) for name, type_ in asked)


def _build_analysed(asked: Mapping[str, Any]) -> AnalysedTable:
    columns = asked.get("columns")
    return AnalysedTable(
        name=parse_table_name(asked["table"]),
        created_s=asked["createdS"],
        location=asked["location"],
        kind=TableKind.of(asked["properties"]),
        input_format=asked["inputFormat"],
        columns=None if columns is None else _build_columns(columns),
        partition_columns=_build_columns(asked["partitionColumns"]),
        bucket_columns=tuple(column.lower() for column in asked["bucketColumns"]),
        bucket_count=asked["bucketCount"],
    )


def _build_overwrite(asked: Mapping[str, Any] | None) -> Overwrite | None:
    return None if asked is None else Overwrite(tuple(asked["parts"]), asked["dynamic"], asked["ifNotExists"])


def _build_text(asked: Mapping[str, Any] | None) -> StatementText | None:
    return None if asked is None else StatementText(asked["sql"], asked["position"], asked["whole"])


def build_statement(asked: Mapping[str, Any]) -> Statement:
    """A writing statement."""
    return Statement(
        kind=StatementKind(asked["kind"]),
        writes=RowWrites(asked["writes"]),
        target=parse_table_name(asked["table"]),
        sources=tuple(parse_table_name(source) for source in asked["sources"]),
        time_zone=asked["timeZone"],
        parallelism=asked["parallelism"],
        analysed=tuple(_build_analysed(one) for one in asked["analysed"]),
        settings=asked["settings"],
        overwrite=_build_overwrite(asked.get("overwrite")),
        text=_build_text(asked.get("text")),
    )


def build_read_table(asked: Mapping[str, Any]) -> ReadTable:
    """What a scan was analysed on, and what its query reads besides."""
    together = tuple(parse_table_name(table) for table in asked["together"])
    return ReadTable(_build_analysed(asked["analysed"]), together)
