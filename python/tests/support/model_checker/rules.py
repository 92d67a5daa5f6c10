"""The rules that are left out in turn: each step of a statement, each hook, those of reading, compaction and DDL."""

from __future__ import annotations

from hive_acid.compaction.renumbering import Renumbering
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.execution.statement_transaction import StatementTransaction
from hive_acid.metastore.types import LockKind
from hive_acid.model.write_ids import LONG_MAX, ValidWriteIdList
from hive_acid.quirks.lower_write_ids import LowerWriteIds
from hive_acid.quirks.unlocked_writers import BesideUnlockedWriters
from hive_acid.quirks.upper_write_ids import KeptInSight
from hive_acid.reading import partition_locks
from hive_acid.reading.opening import Opening
from hive_acid.snapshot import directory_choice
from hive_acid.snapshot.directory_choice import Standing
from hive_acid.transactions import ddl_locks
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.writing.publishing.staged_publication import StagedPublication
from hive_acid.writing.snapshot_checks import SnapshotChecks
from support.model_checker.mutants import Mutant, build_rule_mutants, nothing, returning, step

_BUILDS = "Later steps work with what it finds: without it no statement comes to its end."
_REFUSES = "It refuses what must not be done in any order."
_OWN = "It compares statements of one transaction, which come one after the other."
_EARLIER = "It tells earlier what the commit would tell: the transaction is lost."
_LATER = "It saves work: without it `before_commit` waits for them, and the folders are compared after that."
_Choice = directory_choice._Choice


def _fold_all(self: ValidWriteIdList, limit: int = LONG_MAX) -> ValidWriteIdList:
    """In place of the write IDs that a compaction may fold: also those above open ones."""
    return ValidWriteIdList(self.table, min(self.high_water_mark, limit), self.open, self.aborted)


_NO_LOCK = ((StatementTransaction, "lock", nothing), (SessionTransaction, "lock", nothing))
OF_STEPS = (
    Mutant("find_table", why=_BUILDS),
    Mutant("check_table", why=_REFUSES),
    Mutant("check_rights", why=_REFUSES),
    Mutant("begin", why=_BUILDS),
    Mutant("allocate_write_id", why=_BUILDS),
    Mutant("check_own_overwrites", why=_OWN),
    Mutant("plan_locks", why=_BUILDS),
    Mutant("check_partition_rights", why=_REFUSES),
    Mutant("lock", _NO_LOCK, "4 flat update+update"),
    Mutant("check_snapshot", step("check_snapshot"), "4 flat insert+truncate"),
    Mutant("run_job", why=_BUILDS),
    Mutant("abort_unchanged", step("abort_unchanged"), "4 flat update+delete"),
    Mutant("end_unchanged", step("end_unchanged"), "4 flat update+delete"),
    Mutant("check_own_folders", why=_OWN),
    Mutant("ensure_active", why=_EARLIER),
    Mutant("prepare", why=f"{_BUILDS} Its checks are rules of their own, below."),
    Mutant("register_partitions", step("register_partitions"), "3.1 partitioned insert+update with a fault"),
    Mutant("withdraw_stale_statistics", why="Statistics are not in the model."),
    Mutant("publish", ((StagedPublication, "publish", nothing),), "4 flat insert+update"),
    Mutant("note_written", step("note_written"), "4 flat together+insert"),
    Mutant("show_written", step("show_written"), "4 flat transaction-own+insert"),
    Mutant("notify_listeners", why="Listeners are told of what is about to be committed; no reader asks them."),
    Mutant("commit", step("commit"), "4 flat insert+update"),
)

_NO_READ_LOCK = ((Opening, "lock", nothing), (Opening, "hold", nothing))
OF_OTHERS = (
    Mutant(
        "`prepare`: no base came since the snapshot, and no change of the same rows",
        ((SnapshotChecks, "check_bases", nothing),),
        "4 flat insert+overwrite",
    ),
    Mutant(
        "`prepare`: bases of aborted overwrites are removed",
        why="Our readers pass over them; those of Hive, which do not, are not in the model.",
    ),
    Mutant("A query locks what it reads, on 4", _NO_READ_LOCK, "4 partitioned reader+drop-partition"),
    Mutant("A query locks what it reads, on 3.1", _NO_READ_LOCK, "3.1 partitioned reader+drop-partition"),
    Mutant(
        "A query locks the partitions that it reads, on 3.1",
        ((partition_locks, "find_held_partitions", returning([])),),
        "3.1 partitioned major+late-cleaner+reader",
    ),
    Mutant(
        "The result of a compaction counts once its transaction is committed",
        ((_Choice, "_standing_of_compaction", returning(Standing.VISIBLE)),),
        "4 flat minor+update with a fault",
    ),
    Mutant(
        "A base of an overwrite counts once its write ID is committed",
        ((_Choice, "_standing_of_base", returning(Standing.VISIBLE)),),
        "4 flat overwrite+insert with a fault",
    ),
    Mutant(
        "A compaction folds nothing above an open write ID",
        ((ValidWriteIdList, "for_compaction", _fold_all),),
        "4 flat insert+insert+major",
    ),
    Mutant(
        "A rebalance meets changes under its lock",
        ((Renumbering, "meet_changes", nothing),),
        "4 flat rebalance+update",
    ),
    Mutant(
        "A rebalance keeps out those who lock for nobody",
        ((Renumbering, "keep_changes_out", nothing),),
        "4 flat rebalance+trino-update",
    ),
    Mutant(
        "A compaction waits for one that it does not see",
        why="Ours tells the queue after its commit, before which no other begins. Hive's Worker is not in the model.",
    ),
    Mutant(
        "DROP PARTITION locks the partition as EXCLUSIVE",
        ((ddl_locks, "DDL_LOCKS", {**ddl_locks.DDL_LOCKS, DdlKind.DROP_PARTITION: LockKind.SHARED_READ}),),
        "4 partitioned drop-partition+update",
    ),
)
OF_QUIRKS = (
    Mutant(
        "LowerWriteIds.before_write_id",
        ((LowerWriteIds, "before_write_id", nothing),),
        "4 flat cleaner+overwrite with a fault",
    ),
    Mutant(
        "LowerWriteIds.before_job",
        ((LowerWriteIds, "before_job", nothing),),
        "4 flat cleaner+transaction-overwrites with a fault",
    ),
    Mutant(
        "LowerWriteIds.before_publish",
        why="A fault of the model ends all transactions of a client; this is about one that is lost alone.",
    ),
    Mutant("LowerWriteIds.after_end", ((LowerWriteIds, "after_end", nothing),), "4 flat cleaner+overwrite"),
    Mutant(
        "KeptInSight.before_commit",
        ((KeptInSight, "before_commit", nothing),),
        "4 flat insert+insert+housekeeper",
    ),
    Mutant("BesideUnlockedWriters.after_lock", why=_LATER),
    Mutant(
        "BesideUnlockedWriters.before_commit",
        ((BesideUnlockedWriters, "before_commit", nothing),),
        "4 flat trino-update+update",
    ),
)
MUTANTS = (*OF_STEPS, *OF_QUIRKS, *build_rule_mutants(), *OF_OTHERS)
