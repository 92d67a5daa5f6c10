"""Compactions: the queue of a metastore, what a table needs, and the services that see to it."""

from hive_acid.compaction.initiator.initiator import (
    INITIATOR_ON,
    Action,
    Initiator,
    find_candidates,
    find_unknown_databases,
    has_initiator,
)
from hive_acid.compaction.initiator.initiator import format_json as format_decision_json
from hive_acid.compaction.initiator.initiator import format_text as format_decision_text
from hive_acid.compaction.initiator.policy import ABORTS_BY_CLEANER, Thresholds, Verdict, find_exemption, judge
from hive_acid.compaction.initiator.survey import CompactorView, Root, SurveyedRoot, find_roots, load_thresholds, survey
from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.compaction.queue.liveness import WORKER_PREFIX
from hive_acid.compaction.services import WAITING_MS, Services, find_cleaning_cure, load_services
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionJob, CompactionState

__all__ = [
    "ABORTS_BY_CLEANER",
    "INITIATOR_ON",
    "WAITING_MS",
    "WORKER_PREFIX",
    "Action",
    "CompactionInfo",
    "CompactionJob",
    "CompactionOutcome",
    "CompactionState",
    "CompactorView",
    "Initiator",
    "Root",
    "Services",
    "SurveyedRoot",
    "Thresholds",
    "Verdict",
    "find_candidates",
    "find_cleaning_cure",
    "find_exemption",
    "find_roots",
    "find_unknown_databases",
    "format_decision_json",
    "format_decision_text",
    "has_initiator",
    "judge",
    "load_services",
    "load_thresholds",
    "survey",
]
