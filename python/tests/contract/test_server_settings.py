"""What the server is set to counts, under whichever of Hive's two names and in whichever unit it was written."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from hive_acid.config import Settings
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.transactions.locks import Identity, Timing
from hive_acid.transactions.manager import TransactionManager
from support.metastore_releases import started_release

Start = Callable[[Path, str, str], AbstractContextManager[EmbeddedMetastore]]
STARTS: dict[str, Start] = {
    "embedded": lambda folder, name, value: EmbeddedMetastore.start(folder, settings={name: value}),
    "3.1.3": lambda folder, name, value: started_release("3.1.3", folder, {name: value}),
    "4.2.0": lambda folder, name, value: started_release("4.2.0", folder, {name: value}),
}


@pytest.mark.beyond_the_gate("the embedded metastore", cells=["3.1.3-metastore.txn.timeout"])
@pytest.mark.parametrize(
    ("release", "name"),
    [
        ("embedded", "hive.txn.timeout"),
        ("3.1.3", "metastore.txn.timeout"),
        pytest.param("3.1.3", "hive.txn.timeout", marks=pytest.mark.slow),
        pytest.param("4.2.0", "hive.txn.timeout", marks=pytest.mark.slow),
    ],
)
def test_the_heart_beats_by_the_timeout_of_the_server_whatever_the_client_is_set_to(
    tmp_path: Path, release: str, name: str
) -> None:
    client_side = Settings({}).completed_by({"hive.txn.timeout": "1s", "metastore.txn.timeout": "1s"}.get)
    with STARTS[release](tmp_path, name, "2 minutes") as server, closing(ThriftMetastore(server.uri)) as metastore:
        identity = Identity("tester", "testhost", "contract")
        still = Timing(lambda: 0, lambda _: None, lambda _: None)
        manager = TransactionManager(metastore, identity, client_side, still)
        assert manager.heartbeat.timeout_ms == 120_000
