"""Results of other compactions that a compaction does not see.

The queue takes a request as soon as the worker before has told it of its work, which Hive's does before it commits
(Worker and CompactionTxnHandler, 4.1.0). Files that are folded without the result may overlap it in part: Hive then
shows rows twice. After a rebalance they bring rows back under their old IDs.
"""

from __future__ import annotations

from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import FolderName
from hive_acid.model.write_ids import ValidTxnList
from hive_acid.quirks.fault import Fault
from hive_acid.snapshot.acid_state import AcidState
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.conflicts import Conflict

FAULT = Fault(
    title="The queue starts the next request of a table or partition before the compaction ahead of it is committed",
    releases="Hive 4 before HIVE-29571, as read in 4.1.0",
    lines=(MetastoreLine.HIVE_4,),
    ticket="HIVE-29571",
    harm="Hive shows rows twice, or rows return with their IDs from before a rebalance",
    until="no release without HIVE-29571 is supported",
    called_by="Compactions (`Compactor.find_foldable`), between their snapshot and their plan: they have no steps",
)


class UnseenCompaction(Conflict):
    """The commit of another compaction is under way, or came after the snapshot: a younger transaction sees it."""


def refuse_unseen(line: MetastoreLine, state: AcidState, seen: ValidTxnList, transaction: Transaction) -> None:
    """Raises UnseenCompaction for a folder of a compaction that the snapshot neither sees nor knows as aborted."""
    for path in state.invisible if line in FAULT.lines else ():
        name = FolderName.parse(path)
        made_by = name.visibility_txn_id if name else 0
        if made_by and not seen.is_valid(made_by) and not seen.is_aborted(made_by):
            told = {"folder": path, "otherTxnId": made_by}
            raise UnseenCompaction(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.COMPACTION_NOT_SEEN", **told)
