"""Compactions: the queue of a metastore, what a table needs, and the services that see to it."""

from hive_acid.compaction.plan.planning import is_enough
from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.compaction.queue.liveness import WORKER_PREFIX, is_of_statement
from hive_acid.compaction.services import (
    ABORTS_BY_CLEANER,
    INITIATOR_ON,
    WAITING_MS,
    Services,
    cleans_aborted_at_once,
    find_cleaning_cure,
    has_initiator,
    load_services,
)
from hive_acid.metastore.compaction_types import (
    CompactionInfo,
    CompactionJob,
    CompactionKind,
    CompactionRequest,
    CompactionState,
)

__all__ = [
    "ABORTS_BY_CLEANER",
    "INITIATOR_ON",
    "WAITING_MS",
    "WORKER_PREFIX",
    "CompactionInfo",
    "CompactionJob",
    "CompactionKind",
    "CompactionOutcome",
    "CompactionRequest",
    "CompactionState",
    "Services",
    "cleans_aborted_at_once",
    "find_cleaning_cure",
    "has_initiator",
    "is_enough",
    "is_of_statement",
    "load_services",
]
