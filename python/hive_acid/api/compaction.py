"""Compactions: the queue of a metastore, what a table needs, and the services that do it."""

from hive_acid.compaction.plan.planning import is_enough as is_enough
from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome as CompactionOutcome
from hive_acid.compaction.queue.liveness import WORKER_PREFIX as WORKER_PREFIX
from hive_acid.compaction.queue.liveness import is_of_statement as is_of_statement
from hive_acid.compaction.queue.requests import CompactionRequests as CompactionRequests
from hive_acid.compaction.services import ABORTS_BY_CLEANER as ABORTS_BY_CLEANER
from hive_acid.compaction.services import AFTER_COMPACTION as AFTER_COMPACTION
from hive_acid.compaction.services import INITIATOR_ON as INITIATOR_ON
from hive_acid.compaction.services import WAITING_MS as WAITING_MS
from hive_acid.compaction.services import Services as Services
from hive_acid.compaction.services import cleans_aborted_at_once as cleans_aborted_at_once
from hive_acid.compaction.services import find_cleaning_cure as find_cleaning_cure
from hive_acid.compaction.services import has_initiator as has_initiator
from hive_acid.compaction.services import load_services as load_services
from hive_acid.metastore.compaction_types import CompactionInfo as CompactionInfo
from hive_acid.metastore.compaction_types import CompactionJob as CompactionJob
from hive_acid.metastore.compaction_types import CompactionKind as CompactionKind
from hive_acid.metastore.compaction_types import CompactionRequest as CompactionRequest
from hive_acid.metastore.compaction_types import CompactionState as CompactionState
from hive_acid.operators.compact import build_requests as build_requests
from hive_acid.sql.operator_statements import Compact as Compact
from hive_acid.sql.operator_statements import NamedTable as NamedTable
from hive_acid.transactions.kept_files import asks_cleaner as asks_cleaner
