"""An object store with a metastore and sessions on it, and what lies there."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Final

from hive_acid.local import EmbeddedMetastore
from support.metastore_releases import EMBEDDED_VERSION
from support.objectstore.relay import Relay
from support.objectstore.server import BUCKET, object_store
from support.objectstore.session import WAREHOUSE, s3a_metastore, spark_settings
from support.session_process import SessionProcess

_KEY: Final = re.compile(r"<Key>(.*?)</Key>")
TRANSACTIONAL: Final = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@dataclass(frozen=True)
class Lake:
    """What runs: `store` is the server's own address, before which the relay stands. `folder` is for scratch files."""

    folder: Path
    store: str
    relay: Relay
    metastore: EmbeddedMetastore

    @contextmanager
    def session(self, name: str, conf: Mapping[str, str] | None = None) -> Iterator[SessionProcess]:
        """A session in a process of its own, in which names without a database mean those of the database `name`."""
        settings = {**spark_settings(self.relay.endpoint), **(conf or {})}
        arguments = (self.folder / name, self.metastore.uri, self.metastore.warehouse, settings)
        with SessionProcess(*arguments) as session:
            session.sql(f"CREATE DATABASE IF NOT EXISTS {name} LOCATION '{WAREHOUSE}/{name}.db'")
            session.sql(f"USE {name}")
            yield session

    def files(self, database: str, table: str) -> list[str]:
        """Data files below the table, relative to it; hidden ones and markers of folders are left out."""
        return [key for key in self.keys(database, table) if not re.search(r"(^|/)[_.]|/$|^$", key)]

    def keys(self, database: str, table: str) -> list[str]:
        """Everything below the table, relative to it."""
        prefix = f"warehouse/{database}.db/{table}/"
        return [key.removeprefix(prefix) for key in self._find("list-type=2") if key.startswith(prefix)]

    def uploads(self) -> list[str]:
        """The files of all uploads that have begun and neither ended nor been given up."""
        return self._find("uploads")

    def count_copies(self) -> int:
        """How many objects have been copied so far, which is how S3A renames."""
        return sum(request.copies for request in self.relay.requests)

    def _find(self, query: str) -> list[str]:
        with urllib.request.urlopen(f"{self.store}/{BUCKET}?{query}") as answer:
            return sorted(unescape(key) for key in _KEY.findall(answer.read().decode()))


@contextmanager
def start_lake(
    folder: Path, settings: Mapping[str, str] | None = None, version: str = EMBEDDED_VERSION
) -> Iterator[Lake]:
    """Starts everything but sessions; `settings` are the metastore's, `version` its release."""
    with (
        object_store(folder / "store") as store,
        Relay(store) as relay,
        s3a_metastore(relay.endpoint, folder / "metastore", settings, version) as metastore,
    ):
        yield Lake(folder, store, relay, metastore)
