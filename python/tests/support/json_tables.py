"""Tables of JSON made in a metastore by hand: Spark's Hive client lacks the SerDe's class and creates none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.statistics.withdrawal import keep_statistics
from hive_acid.model.table import TableName

SERDE = "org.apache.hadoop.hive.serde2.JsonSerDe"


def make_json(client: ThriftMetastore, table: TableName, properties: Mapping[str, str] | None = None) -> None:
    """Makes a table of text one of JSON, as Hive would have created it: without Spark's own copy of the columns.

    `properties` are for the table, in place of those given before.
    """
    stored = client._raw_table(table)
    stored.sd.serdeInfo.serializationLib = SERDE
    kept = {k: v for k, v in stored.parameters.items() if not k.startswith(("spark.sql.", "json.", "text.", "timest"))}
    stored.parameters = {**kept, **(properties or {})}
    client._change("alter_table_with_environment_context", table.database, table.table, stored, keep_statistics())


def add_lines(client: ThriftMetastore, table: TableName, folder: Path, lines: bytes) -> None:
    """A committed delta with one file of these bytes in the folder of the table or of a partition."""
    txn_id = client.open_transaction("me", "here", "test")
    write_id = client.allocate_write_id(txn_id, table)
    delta = folder / f"delta_{write_id:07}_{write_id:07}_0000"
    delta.mkdir(parents=True)
    (delta / "000000_0").write_bytes(lines)
    client.commit(txn_id)
