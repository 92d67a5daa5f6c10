"""Another metastore as a catalog beside the session's own.

What a statement leaves in it is read by another application, whose own catalog that is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind, TransactionState
from hive_acid.model.table import TableName
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from support.session_process import SessionProcess

CATALOG = "lake"
ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY = "STORED AS PARQUET TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"


@dataclass(frozen=True)
class Other:
    """The other metastore, its observer, and an application that is at home there."""

    client: CatalogMetastore
    uri: str
    process: SessionProcess

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        """Rows of a statement of the other application."""
        return [tuple(row) for row in self.process.sql(text)]

    def open(self) -> list[object]:
        """Open transactions and locks in the other metastore."""
        found = [info for info in self.client.transactions() if info.state is TransactionState.OPEN]
        return [*found, *self.client.held_locks()]

    @contextmanager
    def locked(self, table: TableName, kind: LockKind, operation: OperationKind) -> Iterator[int]:
        """Somebody holds a lock of the table; the ID of the transaction."""
        who = ("somebody", "elsewhere", "their tool")
        txn_id = self.client.open_transaction(*who)
        try:
            if operation is not OperationKind.SELECT:
                self.client.allocate_write_id(txn_id, table)
            self.client.lock(txn_id, [LockComponent(table, kind, operation)], *who)
            yield txn_id
        finally:
            self.client.abort(txn_id)

    @property
    def catalog_settings(self) -> dict[str, str]:
        """Spark's, of a session that has it as the catalog `lake`."""
        key = f"spark.sql.catalog.{CATALOG}"
        return {key: "hiveacid.Catalog", f"{key}.hive.metastore.uris": self.uri}


@contextmanager
def started_other(folder: Path) -> Iterator[Other]:
    """One with an application of its own."""
    with (
        EmbeddedMetastore.start() as metastore,
        closing(CatalogMetastore(metastore.uri)) as client,
        SessionProcess(folder, metastore.uri, metastore.warehouse) as process,
    ):
        yield Other(client, metastore.uri, process)
