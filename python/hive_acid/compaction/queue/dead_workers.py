"""Tells the queue what became of the compactions of workers of ours that have died."""

from __future__ import annotations

import logging

from hive_acid.compaction.queue.liveness import find_dead, find_transaction
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionJob
from hive_acid.metastore.protocol import Metastore

LOG = logging.getLogger(__name__)


def end_dead(metastore: Metastore) -> list[int]:
    """Tells of each; the IDs of those that have failed. One whose transaction was committed is done."""
    return [entry.id for entry in find_dead(metastore) if not _is_done(metastore, entry) and _fail(metastore, entry)]


def tell_done(metastore: Metastore, job: CompactionJob) -> None:
    """The Cleaner may remove what the result replaces, which is visible. If that fails, `end_dead` tells it later."""
    try:
        metastore.mark_compacted(job)
    except HiveAcidError as error:
        LOG.warning("compaction %d is done, and the next worker is to tell the queue: %s", job.id, error)


def _is_done(metastore: Metastore, entry: CompactionInfo) -> bool:
    """True if its result is visible; then the queue is told.

    The entry keeps the time of the commit. The transaction is forgotten soon, as those that were aborted are.
    """
    if entry.committed_ms is None:
        return False
    tell_done(metastore, CompactionJob.of(entry))
    return True


def _fail(metastore: Metastore, entry: CompactionInfo) -> bool:
    reason = f"worker {entry.worker} died: its transaction {find_transaction(entry)} has ended"
    try:
        metastore.mark_failed(CompactionJob.of(entry, reason))
    except HiveAcidError:
        if any(found.id == entry.id and found.state.is_pending for found in metastore.compactions()):
            raise
        return False  # somebody else has told it
    return True
