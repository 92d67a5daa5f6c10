"""Results of other compactions that a compaction does not see (4.x).

The queue takes a request as soon as the worker before has told it of its work, which Hive's does before it commits
(Worker and CompactionTxnHandler, 4.1.0). Files that are folded without the result may overlap it in part: Hive then
shows rows twice. After a rebalance they bring rows back under their old IDs.
"""

from __future__ import annotations

from hive_acid.model.names import FolderName
from hive_acid.model.write_ids import ValidTxnList
from hive_acid.snapshot.acid_state import AcidState
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.conflicts import Conflict


class UnseenCompaction(Conflict):
    """The commit of another compaction is under way, or came after the snapshot: a younger transaction sees it."""


def refuse_unseen(state: AcidState, seen: ValidTxnList, transaction: Transaction) -> None:
    """Raises UnseenCompaction for a folder of a compaction that the snapshot neither sees nor knows as aborted."""
    for path in state.invisible:
        name = FolderName.parse(path)
        made_by = name.visibility_txn_id if name else 0
        if made_by and not seen.is_valid(made_by) and not seen.is_aborted(made_by):
            reason = f"{path} is of transaction {made_by}, a compaction that its snapshot does not see"
            raise UnseenCompaction(transaction.txn_id, reason)
