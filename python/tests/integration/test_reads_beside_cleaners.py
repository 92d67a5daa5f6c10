"""A query that lasts keeps its files from the Cleaner of each release, whomever that waits for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.names import FolderName
from hive_acid.model.table import TableName
from support.drivers import Gate
from support.metastore_releases import LATER_VERSIONS, started_release
from support.polling import eventually
from support.session_process import SessionProcess

pytestmark = pytest.mark.slow
QUICK = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {"cleaner.on": "true", "cleaner.run.interval": "500ms"}.items()
}
ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@dataclass
class Site:
    """Sessions on a metastore whose Cleaner looks often: one whose tasks wait, and one that fills and compacts."""

    session: SessionProcess
    other: SessionProcess
    client: ThriftMetastore

    def fill(self, name: str) -> None:
        self.other.sql(f"CREATE TABLE {name} (id INT) {ACID}")
        for number in (1, 2):
            self.other.sql(f"INSERT INTO {name} VALUES ({number})")

    def folders(self, name: str) -> set[str]:
        root = Path(self.client.table(TableName("default", name)).location.removeprefix("file:"))
        return {path.name for path in root.iterdir() if FolderName.parse(path.name)}

    def has_been_cleaned(self, name: str) -> bool:
        """Or at least tried: that of 4.2.0 fails as long as a transaction is open (contract/test_cleaning.py)."""
        entries = [entry for entry in self.client.compactions() if entry.table == TableName("default", name)]
        return len(self.folders(name)) == 1 or any(entry.error for entry in entries)


@pytest.fixture(scope="module", params=LATER_VERSIONS)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("beside")
    with ExitStack() as running:
        starting = started_release(request.param, folder / "metastore", QUICK, "postgresql")
        metastore: EmbeddedMetastore = running.enter_context(starting)
        session, other = (
            running.enter_context(SessionProcess(folder / name, metastore.uri, metastore.warehouse))
            for name in ("session", "other")
        )
        client = ThriftMetastore(metastore.uri)
        running.callback(client.close)
        yield Site(session, other, client)


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("selected", "SELECT gate('{gate}', id) FROM selected"),
        ("joined", "SELECT gate('{gate}', a.id) FROM (SELECT 1 AS one) x, other a WHERE id IN (SELECT id FROM joined)"),
        ("updated", "UPDATE updated SET id = gate('{gate}', id) + 10"),
        ("copied", "INSERT INTO other SELECT gate('{gate}', id) FROM copied"),
    ],
)
def test_files_stay_until_the_statement_has_read_them(site: Site, tmp_path: Path, name: str, statement: str) -> None:
    site.other.sql(f"CREATE TABLE IF NOT EXISTS other (id INT) {ACID}")
    site.other.sql("INSERT INTO other VALUES (1), (2)")
    site.fill(name)
    before = site.folders(name)
    gate = Gate(tmp_path / "gate")
    gate.folder.mkdir()
    running = site.session.submit(statement.format(gate=gate))
    gate.wait()
    site.other.sql(f"ALTER TABLE {name} COMPACT 'major' AND WAIT")
    assert before < site.folders(name), "the base is beside what it replaces"
    assert not eventually(lambda: site.has_been_cleaned(name), 3.0)
    gate.open()
    running.result(120)
    assert eventually(lambda: before.isdisjoint(site.folders(name))), "the Cleaner comes when nobody reads any more"
