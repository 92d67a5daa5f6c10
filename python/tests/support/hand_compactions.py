"""Writes and compactions of a table by hand: the folders, and what the metastore is told of them. No engine runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.names import METADATA_FILE, FolderKind, FolderName
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import LONG_MIN
from support.listings import COMPACTED

USER, HOST, AGENT = "tester", "testhost", "contract"
WORKER = f"{HOST}-1"


@dataclass(frozen=True)
class Place:
    """A flat table or a partition, and the pool of its compactions (None on 3.1, whose workers are Hive's own)."""

    metastore: Metastore
    table: TableName
    partition: str | None
    pool: str | None

    @property
    def root(self) -> Path:
        """Its folder."""
        (found,) = (
            self.metastore.partitions(self.table, [self.partition])
            if self.partition
            else (self.metastore.table(self.table),)
        )
        return Path(urlsplit(found.location).path)

    def folders(self) -> set[str]:
        """Names of the ACID folders on disk."""
        return {path.name for path in self.root.iterdir() if FolderName.parse(path.name)}

    def write(self, *, aborts: bool = False, rows: str = "rows") -> str:
        """A delta of a transaction that is committed or aborted, with this in its file; its folder's name."""
        txn_id = self.metastore.open_transaction(USER, HOST, AGENT)
        write_id = self.metastore.allocate_write_id(txn_id, self.table)
        self._lock(txn_id, OperationKind.INSERT)
        made = self._make(FolderName(FolderKind.DELTA, write_id, write_id, 0, 0), rows)
        (self.metastore.abort if aborts else self.metastore.commit)(txn_id)
        return made.name

    def compact(self) -> str:
        """A base of all there is, by a request for a major compaction; its folder's name."""
        return self._publish_base() if self.metastore.line is MetastoreLine.HIVE_3 else self._run_compaction()

    def entries(self) -> Iterator[CompactionInfo]:
        """Its entries of the queue, the latest first."""
        return (
            info
            for info in self.metastore.compactions()
            if (info.table, info.partition) == (self.table, self.partition)
        )

    def is_clean(self) -> bool:
        """True if nothing waits for a worker or for the Cleaner."""
        return not any(info.state.is_pending or info.state is CompactionState.READY for info in self.entries())

    def compact_originals(self) -> str:
        """A base of a file from before the table was transactional, which has no write ID (4.x); its folder's name."""
        self.original.write_text("rows")
        return self._run_compaction(of_originals=True)

    @property
    def original(self) -> Path:
        """The file that `compact_originals` makes, and folds."""
        return self.root / "000000_0"

    def _run_compaction(self, *, of_originals: bool = False) -> str:
        self.request()
        job = self.metastore.next_compaction(WORKER, AGENT, self.pool)
        assert job is not None
        txn_id = self.metastore.open_compaction(USER, HOST, AGENT, job.kind)
        self._lock(txn_id, OperationKind.SELECT)
        write_id = 0 if of_originals else self._high_write_id(txn_id)
        self.metastore.start_compaction(job := replace(job, user=USER, highest_write_id=write_id), txn_id)
        last = LONG_MIN if of_originals else write_id
        made = self._make(FolderName(FolderKind.BASE, last, last, None, txn_id))
        self.metastore.commit(txn_id)
        self.metastore.mark_compacted(job)
        return made.name

    def _publish_base(self) -> str:
        """On 3.1 the base is there before Hive's worker looks, and finds nothing left to do but to have it cleaned."""
        txn_id = self.metastore.open_transaction(USER, HOST, AGENT)
        write_id = self._high_write_id(txn_id)
        made = self._make(FolderName(FolderKind.BASE, write_id, write_id, None, 0))
        (made / METADATA_FILE).write_text(COMPACTED)
        self.metastore.commit(txn_id)
        self.request()
        return made.name

    def request(self) -> None:
        """Asks for a major compaction."""
        request = CompactionRequest(self.table, CompactionKind.MAJOR, self.partition, pool=self.pool, user=USER)
        assert self.metastore.request_compaction(request).accepted

    def _high_write_id(self, txn_id: int) -> int:
        transactions = self.metastore.valid_transactions(txn_id)
        return self.metastore.valid_write_ids([self.table], transactions)[self.table].high_water_mark

    def _lock(self, txn_id: int, operation: OperationKind) -> None:
        component = LockComponent(self.table, LockKind.SHARED_READ, operation, self.partition)
        assert self.metastore.lock(txn_id, [component], USER, HOST, AGENT)[1] is LockState.ACQUIRED

    def _make(self, name: FolderName, rows: str = "rows") -> Path:
        folder = self.root / name.format()
        folder.mkdir(parents=True)
        (folder / "bucket_00000").write_text(rows)
        return folder
