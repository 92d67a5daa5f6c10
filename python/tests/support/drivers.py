"""A metastore that forgets the dead quickly, a session behind a proxy, and a reader of its own beside it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.thrift_client import ThriftMetastore
from hive_acid.metastore.types import HeldLock, TransactionInfo, TransactionState
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.model.table import TableName
from support.session_process import SessionProcess, StatementFailed
from support.thrift_proxy import ThriftProxy

TXN_TIMEOUT_SECONDS = 8
QUICK = {"metastore.txn.timeout": f"{TXN_TIMEOUT_SECONDS}s", "metastore.acid.housekeeper.interval": "500ms"}
LIMIT_SECONDS = 60.0


def wait_until(condition: Callable[[], bool], what: str, limit_seconds: float = LIMIT_SECONDS) -> None:
    """Polls; fails after the limit."""
    deadline = time.monotonic() + limit_seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {limit_seconds} s: {what}"
        time.sleep(0.02)


def open_transactions(client: ThriftMetastore) -> list[TransactionInfo]:
    """Of any client."""
    return [info for info in client.transactions() if info.state is TransactionState.OPEN]


@dataclass(frozen=True)
class Gate:
    """A folder that tasks wait at (`gate('folder', value)` in SQL) until it is opened."""

    folder: Path

    def wait(self) -> None:
        """Until a task waits."""
        wait_until(lambda: any(self.folder.glob("waiting-*")), "a task arrives at the gate")

    def open(self) -> None:
        """Lets tasks pass."""
        (self.folder / "open").touch()

    def __str__(self) -> str:
        return str(self.folder)


@dataclass
class Drivers:
    """`session` speaks to the metastore through `proxy`; `reader` and `client` speak to it directly."""

    metastore: EmbeddedMetastore
    proxy: ThriftProxy
    session: SessionProcess
    reader: SessionProcess
    client: ThriftMetastore
    scratch: Path
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def create(self, name: str, ids: str = "") -> Table:
        """A transactional table `name (id INT)`, with the rows of a query of one column."""
        self.reader.sql(f"CREATE TABLE {name} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        if ids:
            self.reader.sql(f"INSERT INTO {name} {ids}")
        return Table(self, TableName("default", name))

    def attempt(self, statement: str) -> StatementFailed | int:
        """What the session reports: its failure, or the number of affected rows."""
        try:
            ((affected,),) = self.session.sql(statement)
        except StatementFailed as failure:
            return failure
        return int(affected)

    def gate(self) -> Gate:
        """A new one, closed."""
        folder = self.scratch / f"gate-{next(self.numbers)}"
        folder.mkdir()
        return Gate(folder)

    def marker(self) -> Path:
        """A file that does not exist yet."""
        return self.scratch / f"marker-{next(self.numbers)}"

    def open_transactions(self) -> list[TransactionInfo]:
        """Of any client."""
        return open_transactions(self.client)

    @contextmanager
    def another_session(self) -> Iterator[tuple[SessionProcess, ThriftProxy]]:
        """A driver to be killed, behind a proxy of its own."""
        folder = self.scratch / f"driver-{next(self.numbers)}"
        with (
            ThriftProxy(self.metastore.uri) as proxy,
            SessionProcess(folder, proxy.uri, self.metastore.warehouse) as session,
        ):
            session.wait_started()
            yield session, proxy


@dataclass(frozen=True)
class Table:
    """A table of one INT column `id`."""

    drivers: Drivers
    name: TableName

    @property
    def root(self) -> Path:
        return Path(self.drivers.client.table(self.name).location.removeprefix("file:"))

    def ids(self) -> list[int]:
        """All rows, in order, as the reader sees them."""
        return [row[0] for row in self.drivers.reader.sql(f"SELECT id FROM {self.name} ORDER BY id")]

    def totals(self) -> tuple[int, int, int]:
        """Number of rows, of different ones, and their sum; for many rows."""
        ((rows, different, total),) = self.drivers.reader.sql(
            f"SELECT count(*), count(DISTINCT id), sum(id) FROM {self.name}"
        )
        return rows, different, total

    def folders(self) -> list[str]:
        """Folders below the table, hidden ones too."""
        return sorted(path.name for path in self.root.iterdir())

    def staging(self) -> list[str]:
        """Staging folders."""
        return [name for name in self.folders() if name.startswith(STAGING_PREFIX)]

    def files(self) -> list[str]:
        """Data files, as `folder/file`."""
        found = (path.relative_to(self.root) for path in self.root.rglob("bucket_*") if path.is_file())
        return sorted(str(path) for path in found)

    def locks(self) -> list[HeldLock]:
        """Held or waited for by any client."""
        return self.drivers.client.held_locks(self.name)

    def assert_untouched(self, ids: list[int], folders: list[str]) -> None:
        """Nothing of the failed statement is there, and nothing is open: now, not after a time-out."""
        assert self.drivers.open_transactions() == []
        assert self.locks() == []
        assert self.folders() == folders
        assert self.ids() == ids

    def wait_for_timeout(self) -> None:
        """Until transactions that nobody could end have timed out, with their locks."""
        wait_until(lambda: not self.drivers.open_transactions() and not self.locks(), "all transactions have ended")


@contextmanager
def start_drivers(scratch: Path) -> Iterator[Drivers]:
    """All of it, ended afterwards. A task of the session is tried three times."""
    settings = {
        "spark.master": "local[2,3]",
        "spark.hiveacid.commit.resolveTimeoutMs": "2000",
        "spark.hiveacid.lock.pollMaxMs": "200",
    }
    with (
        EmbeddedMetastore.start(scratch / "metastore", settings=QUICK) as metastore,
        ThriftProxy(metastore.uri) as proxy,
        SessionProcess(scratch / "session", proxy.uri, metastore.warehouse, settings) as session,
        SessionProcess(scratch / "reader", metastore.uri, metastore.warehouse) as reader,
    ):
        session.wait_started()
        reader.wait_started()
        client = ThriftMetastore(metastore.uri)
        try:
            yield Drivers(metastore, proxy, session, reader, client, scratch)
        finally:
            client.close()
