"""Derby under the metastore: for machines without PostgreSQL binaries. It lives inside the metastore's Java process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hive_acid_downloads.java import Java
from hive_acid_local.artifacts import Release
from hive_acid_local.schema import load_schema


@dataclass(frozen=True)
class Derby:
    """Derby with the settings without which concurrent writers hang it, or wait for long.

    The metastore takes an in-process lock on Derby, and a waiting lock check and an `open_txns` then wait for each
    other in a way Derby cannot see. Reading uncommitted rows and a pool larger than the number of clients break the
    cycle (run with 16 writers). The price is that a rolled-back write may be seen for a moment. Since Hive 4.1 each
    transaction of the metastore sets a level of its own, and the cycle is there again: use PostgreSQL for them.
    """

    name: Literal["derby"] = "derby"

    def build_template(self, template: Path, jars: Sequence[Path], java: Java, release: Release) -> None:
        """Make a database with the metastore's schema in `template`/data."""
        url = f"jdbc:derby:;databaseName={template / 'data'};create=true;user=APP;password=mine"
        load_schema("derby", url, template, jars, java, release)

    @property
    def java_options(self) -> tuple[str, ...]:
        """Arguments that the metastore's Java process needs besides.

        Derby looks for a deadlock only after 20 seconds of waiting. The metastore tries again what Derby has ended, but
        an ALTER beside three writers took a minute that way (4.0.0, `contract/test_alters_beside_writes.py`).
        """
        return ("-Dderby.locks.deadlockTimeout=1",)

    def server(self, folder: Path, port: int, durable: bool) -> Mapping[str, Any] | None:
        """Nothing to start."""

    def connection(self, folder: Path, port: int) -> Mapping[str, str]:
        """The metastore's settings to open the copy of the template in `folder`/database."""
        return {
            "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder / 'database' / 'data'}",
            "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
            "javax.jdo.option.ConnectionUserName": "APP",
            "javax.jdo.option.ConnectionPassword": "mine",
            "hikaricp.transactionIsolation": "TRANSACTION_READ_UNCOMMITTED",
            "datanucleus.connectionPool.maxPoolSize": "40",
        }
