"""Another catalog of a metastore than the one called `hive`, with its tables and their writers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.binary_connection import BinaryConnection
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.wire.catalogs import DescribedColumn
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from hive_acid_catalogs.messages import DescribedTable

ORC = "org.apache.hadoop.hive.ql.io.orc"
USER = ("tester", "testhost", "contract")


@contextmanager
def client_of_new_catalog(uri: str, folder: Path) -> Iterator[tuple[str, CatalogMetastore]]:
    """A catalog whose databases lie below the folder: its name, and a client that works in it."""
    name = f"other_{uuid4().hex[:8]}"
    connection = BinaryConnection(parse_uris(uri)[0], 60_000)
    try:
        made = ttypes.Catalog(name=name, locationUri=folder.as_uri())
        connection.client.create_catalog(ttypes.CreateCatalogRequest(made))
    finally:
        connection.shutdown()
    with closing(CatalogMetastore(uri, timeout_ms=60_000, catalog=name)) as client:
        yield name, client


def described(
    name: TableName, *, is_partitioned: bool = False, properties: dict[str, str] | None = None
) -> DescribedTable:
    """A full-ACID table of `id` and `v`, which may be partitioned by `day`; a plain one by empty `properties`."""
    return DescribedTable(
        table=name,
        kind="MANAGED_TABLE",
        owner="ada",
        created_s=0,
        columns=(DescribedColumn("id", "bigint", None), DescribedColumn("v", "string", None)),
        partition_columns=(DescribedColumn("day", "string", None),) if is_partitioned else (),
        bucket_columns=(),
        bucket_count=0,
        sort_columns=(),
        location=None,
        input_format=f"{ORC}.OrcInputFormat",
        output_format=f"{ORC}.OrcOutputFormat",
        serde=f"{ORC}.OrcSerde",
        serde_properties={},
        properties={"transactional": "true"} if properties is None else properties,
    )


def write(metastore: ThriftMetastore, table: TableName, *, aborts: bool = False) -> tuple[int, ValidWriteIdList]:
    """The write ID of a transaction that is committed or aborted, and the list in which it was visible."""
    txn_id = metastore.open_transaction(*USER)
    write_id = metastore.allocate_write_id(txn_id, table)
    component = LockComponent(table, LockKind.SHARED_READ, OperationKind.INSERT)
    assert metastore.lock(txn_id, [component], *USER)[1] is LockState.ACQUIRED
    write_ids = metastore.valid_write_ids([table], metastore.valid_transactions(txn_id))[table].with_own(write_id)
    (metastore.abort if aborts else metastore.commit)(txn_id)
    return write_id, write_ids


def is_visible(metastore: ThriftMetastore, table: TableName) -> bool:
    """True if a reader sees write ID 1."""
    return metastore.valid_write_ids([table], metastore.valid_transactions(0))[table].is_valid(1)
