"""Refuses what cannot be right of tables in other catalogs of a metastore than `hive`.

Transactions, locks and write IDs know a table by database and name, without its catalog.
"""

from __future__ import annotations

from typing import Any

from hive_acid.errors import build_error
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG
from hive_acid.metastore.client.transaction_calls import TransactionCalls
from hive_acid.metastore.generated import ttypes
from hive_acid.model.table import TableName


class CatalogChecks(TransactionCalls):
    """The calls of transactions, and these checks, which ask nothing of a client of `hive`."""

    def refuse_twins(self, name: TableName) -> None:
        """A database in two catalogs of a metastore, in one other than `hive`: transactions take the two for one.

        A drop in `hive` has the metastore forget the write IDs of a table here, and a compaction there what was aborted
        here (contract/test_catalogs_of_a_metastore.py, 4.0.0 to 4.2.0). Raises HIVE_ACID_UNSUPPORTED_TABLE.
        """
        if self._catalog == DEFAULT_CATALOG:
            return
        twins = [other for other in self._load_catalogs() if other != self._catalog and self._has_database(other, name)]
        if twins:
            where = {"table": name, "catalog": self._catalog, "others": ", ".join(twins)}
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.DATABASE_IN_CATALOGS", operation="A transaction", **where)

    def refuse_forgotten(self, name: TableName, stored: int) -> None:
        """A table here whose write IDs the metastore has forgotten.

        It does that when the database of the name is dropped in `hive`, also an empty one, and when a table of the name
        is dropped or renamed there (AcidEventListener, 4.0.0 to 4.2.0). Then no engine sees the rows, and write IDs are
        given out again. `stored` is the write ID that the metastore keeps with the table, read before: it was given
        out. Raises HIVE_ACID_UNSUPPORTED_TABLE.
        """
        given_out = self.valid_write_ids([name], None)[name].high_water_mark
        if stored > given_out:
            told = {"table": name, "stored": stored, "givenOut": given_out}
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.FORGOTTEN_WRITE_IDS", operation="A transaction", **told)

    def refuse_servers_catalog(self) -> None:
        """A server that takes calls which name no catalog for calls of another one than `hive`: ours name none there.

        Raises HIVE_ACID_CONFIGURATION.
        """
        if self._catalog != DEFAULT_CATALOG:
            return
        meant = self.config_value("metastore.catalog.default", DEFAULT_CATALOG).strip().lower()
        if meant != DEFAULT_CATALOG:
            raise build_error("HIVE_ACID_CONFIGURATION.METASTORE_DEFAULT_CATALOG", catalog=meant)

    def _has_database(self, catalog: str, name: TableName) -> bool:
        def probe(client: Any) -> bool:
            try:
                client.get_database_req(ttypes.GetDatabaseRequest(name=name.database, catalogName=catalog))
            except ttypes.NoSuchObjectException:
                return False
            return True

        return bool(self._call("get_database_req", probe, is_idempotent=True))
