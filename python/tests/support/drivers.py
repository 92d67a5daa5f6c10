"""A metastore that forgets the dead quickly, a session behind a proxy, and a reader of its own beside it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import HeldLock, TransactionInfo, TransactionState
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.model.table import TableName
from hive_acid.wire.statement_kinds import StatementKind
from support.mutations import Mutation, Rows
from support.session_process import SessionProcess, StatementFailed
from support.thrift_proxy import ThriftProxy

TXN_TIMEOUT_SECONDS = 8
LOCK_TIMEOUT_MS = 3000
QUICK = {"metastore.txn.timeout": f"{TXN_TIMEOUT_SECONDS}s", "metastore.acid.housekeeper.interval": "500ms"}
QUICK_OF_3 = {
    # its reaper of transactions runs beside an Initiator only, which shall find nothing to do
    "metastore.compactor.initiator.on": "true",
    "metastore.compactor.check.interval": "1d",
    "metastore.timedout.txn.reaper.interval": "500ms",
}
"""The same on metastores of the 3.1 line, beside QUICK."""
LIMIT_SECONDS = 60.0
SHARED_TRIALS = 40
"""How many statements a shared table has rows for; then comes another, as each leaves folders that must be read."""


def quick_settings(version: str) -> dict[str, str]:
    """Of a metastore of that version that ends transactions without heartbeats soon."""
    return QUICK | (QUICK_OF_3 if version.startswith("3.") else {})


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
        """Until a task waits. A new session and its first statement lie before, beside whatever else runs."""
        wait_until(lambda: any(self.folder.glob("waiting-*")), "a task arrives at the gate", 3 * LIMIT_SECONDS)

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
    _shared: dict[str, SharedTable] = field(default_factory=dict)

    def create(self, name: str, ids: str = "") -> Table:
        """A transactional table `name (id INT)`, with the rows of a query of one column."""
        self.reader.sql(f"CREATE TABLE {name} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        if ids:
            self.reader.sql(f"INSERT INTO {name} {ids}")
        return Table(self, TableName("default", name))

    def attempt(self, statement: str) -> StatementFailed | int:
        """What the session reports: its failure, or the number of affected rows."""
        try:
            ((affected, *_),) = self.session.sql(statement)
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

    def trial(self, mutation: Mutation, name: str = "") -> Trial:
        """A statement about to run on the table of this name, or on the one that all trials of a module share."""
        shared = self._find_shared(mutation, name)
        first = 2 * shared.next_number()
        trial = Trial(shared.table, mutation, range(first, first + 2), shared.table.rows(), shared.table.files())
        wait_until(lambda: not self.open_transactions(), "reads have ended")
        return trial

    def _find_shared(self, mutation: Mutation, name: str) -> SharedTable:
        # what replaces all rows leaves none for others to change
        kind = "replaced" if mutation.kind is StatementKind.OVERWRITE else "shared"
        layout = "partitioned" if mutation.is_partitioned else "bucketed" if mutation.is_bucketed else "flat"
        key = name or f"{kind}_{layout}"
        shared = self._shared.get(key)
        if shared is None or (shared.has_ended and not name):
            table = name or f"{key}_{next(self.numbers)}"
            shared = self._shared[key] = self._create_shared(table, mutation)
        return shared

    def forget_shared(self) -> None:
        """Later trials get new tables."""
        for shared in self._shared.values():
            self.reader.sql(f"DROP TABLE {shared.table.name}")
        self._shared.clear()

    def _create_shared(self, name: str, mutation: Mutation) -> SharedTable:
        partition = "PARTITIONED BY (d INT)" if mutation.is_partitioned else ""
        partition += "CLUSTERED BY (v) INTO 3 BUCKETS" if mutation.is_bucketed else ""
        columns = "int(id), 0, int(id % 2)" if mutation.is_partitioned else "int(id), 0"
        transactional = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
        self.reader.sql(f"CREATE TABLE {name} (id INT, v INT) {partition} {transactional}")
        self.reader.sql(f"INSERT INTO {name} SELECT {columns} FROM range(0, {2 * SHARED_TRIALS}, 1, 1)")
        return SharedTable(Table(self, TableName("default", name)))

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

    def rows(self) -> Rows:
        """The same of a shared table: `(id, v, d)`; `d` is `id % 2` where the table is flat."""
        found = self.drivers.reader.sql(f"SELECT * FROM {self.name} ORDER BY id, v")
        return [(id_, v, *(partition or (id_ % 2,))) for id_, v, *partition in found]

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
        root = self.root  # asks the metastore
        found = (path.relative_to(root) for path in root.rglob("bucket_*") if path.is_file())
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

    def wait_for_locks(self) -> None:
        """Until nobody holds any, dead or alive."""
        wait_until(lambda: not self.locks(), f"all locks on {self.name} have ended")

    def wait_for_timeout(self) -> None:
        """Until transactions that nobody could end have timed out, with their locks."""
        wait_until(lambda: not self.drivers.open_transactions() and not self.locks(), "all transactions have ended")


@dataclass
class SharedTable:
    """A table of `(id, v)`, perhaps partitioned by `d`, first `id % 2`, and the number of trials it has had."""

    table: Table
    trials: int = 0

    @property
    def has_ended(self) -> bool:
        """True if it has rows for no other trial."""
        return self.trials == SHARED_TRIALS

    def next_number(self) -> int:
        """The number of a new trial."""
        assert not self.has_ended
        self.trials += 1
        return self.trials - 1


@dataclass(frozen=True)
class Trial:
    """A statement about to run over two rows, one of each partition; what the table held before."""

    table: Table
    mutation: Mutation
    numbers: range
    before: Rows
    files: list[str]

    def text(self, expression: str = "id") -> str:
        """The statement; see `Mutation`."""
        return self.mutation.text(self.table.name, self.numbers, expression)

    def assert_done(self, affected: object = 2) -> None:
        """Wholly done, and nothing is open: now, not after a time-out."""
        assert affected == 2, affected
        self._assert_ended()
        self.assert_rows(self.mutation.effect(self.before, self.numbers))

    def assert_undone(self, failure: object, condition: str | None) -> None:
        """Wholly undone, nothing is left, nothing is open: now, not after a time-out."""
        assert isinstance(failure, StatementFailed), failure
        assert condition in (failure.condition, failure.type), failure
        self._assert_ended()
        assert self.table.files() == self.files
        self.assert_rows(self.before)

    def assert_rows(self, expected: Rows) -> None:
        """What a fresh reader sees."""
        assert self.table.rows() == expected

    def _assert_ended(self) -> None:
        assert self.table.drivers.open_transactions() == []
        assert self.table.locks() == []
        assert self.table.staging() == []


@contextmanager
def start_drivers(scratch: Path, of_metastore: Mapping[str, str] = QUICK) -> Iterator[Drivers]:
    """All of it, ended afterwards. A task of the session is tried three times."""
    settings = {
        "spark.master": "local[2,3]",
        "spark.hiveacid.commit.resolveTimeoutMs": "2000",
        "spark.hiveacid.lock.pollMaxMs": "200",
        "spark.hiveacid.lock.timeoutMs": str(LOCK_TIMEOUT_MS),
    }
    with (
        EmbeddedMetastore.start(settings=of_metastore) as metastore,
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
