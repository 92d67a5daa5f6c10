"""Requests of scans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import TableName
from hive_acid.model.table_identity import AnalysedTable


@dataclass(frozen=True)
class ReadTable:
    """A table as a scan was analysed on it, and the other transactional tables that its query reads."""

    analysed: AnalysedTable
    together: tuple[TableName, ...] = ()

    @property
    def name(self) -> TableName:
        """The name of the table."""
        return self.analysed.table


@dataclass(frozen=True)
class ReadRequest:
    """A table in the snapshot of a statement (`token`), or else of the read execution `execution_id`."""

    table: ReadTable
    token: str | None
    execution_id: int
    settings: Mapping[str, str]


@dataclass(frozen=True)
class ScanRequest:
    """The files of such a table, in these partitions, or all for None.

    `row_ids`: row IDs are asked for. `json`: its files are JSON.
    """

    read: ReadRequest
    partitions: tuple[str, ...] | None
    row_ids: bool
    json: bool
