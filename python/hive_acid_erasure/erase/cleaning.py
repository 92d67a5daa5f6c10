"""Waiting for the metastore's Cleaner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hive_acid.api.compaction import CompactionInfo, CompactionState, Services, find_cleaning_cure, load_services
from hive_acid.api.statements import TransactionInfo, TransactionState, describe_owner
from hive_acid.api.tables import Metastore, TableName

_POLL_MS = 1_000


@dataclass(frozen=True)
class Waiting:
    """A compaction that has not been cleaned, and why."""

    table: TableName
    compaction_id: int
    reason: str


class CleanerWatch:
    """Waits for compactions of one metastore to be cleaned."""

    def __init__(
        self, metastore: Metastore, clock_ms: Callable[[], int], pause_ms: Callable[[int], None], limit_ms: int
    ) -> None:
        self._metastore = metastore
        self._clock_ms = clock_ms
        self._pause_ms = pause_ms
        self._limit_ms = limit_ms

    def wait(self, ids: Sequence[int], tell: Callable[[str], None]) -> tuple[Waiting, ...]:
        """The compactions that are not cleaned by the limit, or will never be.

        Where no Cleaner runs, nothing is waited for. An entry that the metastore has forgotten counts as cleaned: the
        files tell in the end.
        """
        until_ms = self._clock_ms() + self._limit_ms
        service = load_services(self._metastore)
        while True:
            infos = {info.id: info for info in self._metastore.compactions() if info.id in ids}
            missing = [info for info in infos.values() if not _is_over(info)]
            is_hopeless = not service.has_cleaner or all(_has_failed(info) for info in missing)
            if not missing or is_hopeless or self._clock_ms() >= until_ms:
                return tuple(self._explain(info, service) for info in sorted(missing, key=lambda info: info.id))
            tell(f"{len(missing)} of {len(ids)} compactions wait for the Cleaner")
            self._pause_ms(_POLL_MS)
            service = load_services(self._metastore)

    def _explain(self, info: CompactionInfo, service: Services) -> Waiting:
        if _has_failed(info):
            reason = f"compaction {info.id} ended as {info.state.value}: {info.error or 'no reason is kept'}"
            return Waiting(info.table, info.id, reason)
        if info.state is not CompactionState.READY:
            return Waiting(info.table, info.id, f"compaction {info.id} is {info.state.value}")
        names = ", ".join((*self._readers(info), *self._open_transactions(info)))
        waits = f"; open meanwhile: {names}" if names else ""
        cure = find_cleaning_cure(info, service)
        return Waiting(info.table, info.id, f"compaction {info.id} is done and not cleaned: {cure}{waits}")

    def _readers(self, info: CompactionInfo) -> list[str]:
        locks = self._metastore.held_locks(info.table)
        return list(dict.fromkeys(describe_owner(lock) for lock in locks))

    def _open_transactions(self, info: CompactionInfo) -> list[str]:
        """The oldest of those that began before the compaction ended: behind them the Cleaner of 4.x waits."""
        found = [t for t in self._metastore.transactions() if t.state is TransactionState.OPEN]
        older = [t for t in found if info.next_txn_id is None or t.id < info.next_txn_id]
        return [_describe(transaction) for transaction in sorted(older, key=lambda t: t.id)[:5]]


def _describe(transaction: TransactionInfo) -> str:
    return f"transaction {transaction.id} of {transaction.user} on {transaction.host} ({transaction.agent})"


def _is_over(info: CompactionInfo) -> bool:
    return info.state in (CompactionState.SUCCEEDED, CompactionState.REFUSED)


def _has_failed(info: CompactionInfo) -> bool:
    return info.state in (CompactionState.FAILED, CompactionState.ABORTED, CompactionState.DID_NOT_INITIATE)
