"""Leftovers of transactions that died: bases, deltas, staging folders, uploads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hive_acid.api.files import MAGIC_FOLDER_PREFIX, OUTPUT_JOB_PREFIX, STAGING_PREFIX, FolderName
from hive_acid.api.snapshots import AcidState, ValidTxnList, ValidWriteIdList, find_aborted_overwrites
from hive_acid.api.statements import TransactionState
from hive_acid.api.storage import Listing, PendingUpload, find_own_uploads
from hive_acid.api.tables import MetastoreLine
from hive_acid_ops.doctor.ages import find_old
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject

_OURS = re.compile(rf"(?:{re.escape(STAGING_PREFIX)}|{MAGIC_FOLDER_PREFIX}{OUTPUT_JOB_PREFIX})([0-9]+)-[0-9a-f]{{8}}")
_OTHERS = (".spark-staging", "_temporary", ".hive-staging", "_impala_insert_staging")
"""How the staging folders of Spark, Hadoop's committers, Hive and Impala begin."""
_LEFT_FOR_MS = 3_600_000


_HARM_OF_4 = "Hive 4 may read its rows, which were never committed, as long as a later write is open"


def find_dead_overwrites(
    line: MetastoreLine, subject: Subject, listing: Listing, states: Mapping[str, TransactionState | None]
) -> Iterator[Finding]:
    """Bases of aborted overwrites of this package: those of `states`, with the state of the transaction each names.

    Hive 3.1 reads nothing of a table or partition with one ("Not enough history", AcidUtils.getAcidState of 3.1.3), and
    Hive 4 reads it while a write ID after it is open (AcidUtils.isValidBase).
    One whose own transaction is not known as aborted is not removed: the table may have been made anew since its write
    IDs were asked for.
    """
    is_harmful = line is MetastoreLine.HIVE_3
    harm = "Hive 3.1 cannot read the table (Not enough history)" if is_harmful else _HARM_OF_4
    for base, state in sorted(states.items()):
        if state not in (TransactionState.OPEN, TransactionState.COMMITTED):
            is_certain = state is TransactionState.ABORTED
            cure = "remove it" if is_certain else "remove it, once it is known that its transaction was aborted"
            path = listing.absolute_path(base)
            yield subject.finding(
                FindingKind.ABORTED_OVERWRITE, "base of an aborted overwrite", harm, cure, path, is_certain
            )


def find_aborted_folders(
    cleans_aborted: bool, subject: Subject, state: AcidState, write_ids: ValidWriteIdList, now_ms: int
) -> Iterator[Finding]:
    """Folders that other aborted transactions left an hour or more ago, and that the Cleaner has yet to remove."""
    ours = find_aborted_overwrites(state.listing, write_ids)
    left = [path for path in state.aborted if path not in ours]
    old = find_old(state.listing, left, now_ms, _LEFT_FOR_MS)
    if old:
        detail = f"{len(old)} folders of aborted transactions, the first of them {old[0]}"
        cleaner = "the metastore's Cleaner removes them"
        cure = f"{cleaner} if it runs" if cleans_aborted else f"{cleaner} after a major compaction"
        harm = "only space: no reader sees their rows"
        yield subject.finding(FindingKind.ABORTED_FOLDERS, detail, harm, cure, state.listing.absolute_path(old[0]))


def find_staging_transactions(folders: Iterable[str]) -> dict[str, int]:
    """The transactions by path, for each of these folders that is a staging folder of this package."""
    matches = ((path, _OURS.fullmatch(path.rpartition("/")[2])) for path in folders)
    return {path: int(match[1]) for path, match in matches if match}


def find_staging(
    subject: Subject, folders: Iterable[str], states: Mapping[int, TransactionState | None], high_water_mark: int
) -> Iterator[Finding]:
    """The staging folders among the hidden ones that nobody works in any more.

    `states` are those of the transactions that `find_staging_transactions` tells, asked for after the folders were
    found: what has ended then, or been forgotten, never comes back to its staging. A transaction above
    `high_water_mark` is none of this metastore's, so its folder is left alone.
    """
    folders = tuple(folders)
    for path, txn_id in find_staging_transactions(folders).items():
        state = states[txn_id]
        if state is TransactionState.OPEN or txn_id > high_water_mark:
            continue
        ended = state.value if state else "forgotten"
        detail = f"staging folder of transaction {txn_id}, which is {ended}"
        harm = "only space: no engine sees it"
        yield subject.finding(FindingKind.ORPHAN_STAGING, detail, harm, "remove it", path, is_fixable=True)
    for path in folders:
        if path.rpartition("/")[2].startswith(_OTHERS):
            detail = "staging folder of another engine, or of Spark without this extension"
            harm = "only space, if its job has ended; a job of Spark's own damages the table when it ends"
            yield subject.finding(FindingKind.FOREIGN_STAGING, detail, harm, "remove it once its job has ended", path)


@dataclass(frozen=True)
class Writers:
    """The writers of a table, as they were before its uploads were listed.

    `is_compacting`: a worker is at a compaction of the table or a partition.
    """

    line: MetastoreLine
    write_ids: ValidWriteIdList
    transactions: ValidTxnList
    is_compacting: bool

    def have_ended(self, name: FolderName) -> bool:
        """True if those of the folder have, as far as is known of one that a compaction of Hive 3.1 may be copying."""
        if self.is_compacting and self.may_be_compacted(name):
            return False
        if name.visibility_txn_id:
            return name.visibility_txn_id <= self.transactions.high_water_mark and (
                name.visibility_txn_id not in self.transactions.open
            )
        written_by = range(name.min_write_id, name.max_write_id + 1)
        is_given = name.max_write_id <= self.write_ids.high_water_mark
        return is_given and not any(write_id in self.write_ids.open for write_id in written_by)

    def may_be_compacted(self, name: FolderName) -> bool:
        """True for names that a compaction of Hive 3.1 gives to its result: they tell no transaction of its own.

        It renames the result there, which storage on s3a copies, large files by uploads
        (CompactorMR.CompactorOutputCommitter.commitJob of 3.1.3). The write IDs have ended long before.
        """
        return not self.line.commits_compactions and not name.visibility_txn_id and name.statement_id is None


def find_ended_uploads(
    subject: Subject, uploads: Sequence[PendingUpload], locations: Sequence[str], writers: Writers
) -> Iterator[Finding]:
    """Uploads to folders of writers that have ended: nobody completes them, and storage keeps their parts.

    Uploads to a folder that a compaction of Hive 3.1 may be copying are not given up. The copy would break off, and a
    base counts there as soon as it has one file.
    """
    found = Counter(
        upload.path.rpartition("/")[0] for upload in find_own_uploads(uploads, locations, writers.have_ended)
    )
    harm = "only space: no engine sees them, and listings of files do not show them"
    for folder, count in sorted(found.items()):
        name = FolderName.parse(folder.rpartition("/")[2])
        if name is not None and writers.may_be_compacted(name):
            detail = f"{count} uploads of a writer that has ended, or of a compaction of Hive that copies its result"
            cure = "have the bucket give them up after some days, more than a compaction takes"
            yield subject.finding(FindingKind.PENDING_UPLOADS, detail, f"{harm}; none if Hive copies", cure, folder)
        else:
            detail = f"{count} uploads of a writer that has ended, which nobody completes"
            cure = "give them up, or have the bucket do so after some days"
            yield subject.finding(FindingKind.PENDING_UPLOADS, detail, harm, cure, folder, is_fixable=True)
