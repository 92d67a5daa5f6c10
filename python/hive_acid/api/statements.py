"""Transactions and locks as a metastore shows them, and statements about them."""

from hive_acid.errors.outcome import StatementOutcome as StatementOutcome
from hive_acid.errors.outcome import tell as tell
from hive_acid.errors.outcome import telling as telling
from hive_acid.metastore.types import HeldLock as HeldLock
from hive_acid.metastore.types import LockComponent as LockComponent
from hive_acid.metastore.types import LockKind as LockKind
from hive_acid.metastore.types import LockState as LockState
from hive_acid.metastore.types import OperationKind as OperationKind
from hive_acid.metastore.types import TransactionInfo as TransactionInfo
from hive_acid.metastore.types import TransactionState as TransactionState
from hive_acid.quirks.unlocked_writers import find_unlocked_writers as find_unlocked_writers
from hive_acid.reading.warehouse import Warehouse as Warehouse
from hive_acid.sql.operator_statements import AbortCompactions as AbortCompactions
from hive_acid.sql.operator_statements import AbortTransactions as AbortTransactions
from hive_acid.sql.operator_statements import DescribeHistory as DescribeHistory
from hive_acid.sql.operator_statements import ShowCompactions as ShowCompactions
from hive_acid.sql.operator_statements import ShowLocks as ShowLocks
from hive_acid.sql.operator_statements import ShowTransactions as ShowTransactions
from hive_acid.sql.operator_statements import SortKey as SortKey
from hive_acid.sql.operator_statements import VacuumDryRun as VacuumDryRun
from hive_acid.transactions.blockers import describe_owner as describe_owner
from hive_acid.transactions.locks import OUR_AGENT as OUR_AGENT
from hive_acid.transactions.manager import Transaction as Transaction
from hive_acid.wire.operators import Row as Row
from hive_acid.writing.notes import NoteWriter as NoteWriter
from hive_acid.writing.partitions import withdraw_statistics as withdraw_statistics
