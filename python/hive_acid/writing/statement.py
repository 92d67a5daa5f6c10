"""A writing statement as a value, and what must hold of its table when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.table_identity import TableIdentity
from hive_acid.reading.changed_tables import refuse_changed
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite, StatementText


@dataclass(frozen=True)
class Statement:
    """A writing statement, whose row-change query holds `writes`.

    `sources` are all transactional tables it reads, `parallelism` the cores of the session, `analysed` what it was
    analysed on: the target, and each table it reads as often as it was looked up. `settings` are those of its session,
    by key; what is not in there is as the application was started with. `overwrite` is for OVERWRITE and TRUNCATE.
    `text` is None for what a method of a DataFrame does.
    """

    kind: StatementKind
    writes: RowWrites
    target: TableName
    sources: tuple[TableName, ...]
    time_zone: str
    parallelism: int
    analysed: tuple[TableIdentity, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    overwrite: Overwrite | None = None
    text: StatementText | None = None

    def refuse_changed(self, table: TableDescription) -> None:
        """Raises HIVE_ACID_TABLE_CHANGED if the table is not what the statement was analysed on."""
        for analysed in self.analysed:
            if analysed.name == table.name:
                refuse_changed(analysed, table)
