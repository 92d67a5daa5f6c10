"""Another catalog of a metastore than the one called `hive`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

from hive_acid.metastore.binary_connection import BinaryConnection
from hive_acid.metastore.endpoints import parse_uris
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.thrift_client import ThriftMetastore


@contextmanager
def client_of_new_catalog(uri: str, folder: Path) -> Iterator[tuple[str, ThriftMetastore]]:
    """A catalog whose databases lie below the folder: its name, and a client that works in it."""
    name = f"other_{uuid4().hex[:8]}"
    connection = BinaryConnection(parse_uris(uri)[0], 60_000)
    try:
        made = ttypes.Catalog(name=name, locationUri=folder.as_uri())
        connection.client.create_catalog(ttypes.CreateCatalogRequest(made))
    finally:
        connection.shutdown()
    with closing(ThriftMetastore(uri, timeout_ms=60_000, catalog=name)) as client:
        yield name, client
