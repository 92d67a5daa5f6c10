"""The compaction that a table or partition needs, as Hive's Initiator decides (3.1.3; CompactorUtil of 4.1).

Pure: from what lies in a folder, and thresholds, to a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from hive_acid.api.compaction import CompactionKind, cleans_aborted_at_once, is_enough
from hive_acid.api.files import is_base
from hive_acid.api.settings import find_server_value
from hive_acid.api.snapshots import AcidFolder, AcidState, ValidWriteIdList
from hive_acid.api.tables import MetastoreLine, TableDescription

NO_AUTO_COMPACTION = ("no_auto_compaction", "NO_AUTO_COMPACTION")
"""The property by which a table, or on 4.x a database, is left alone; Hive looks for both spellings, in this order."""
DELTA_COUNT = "hive.compactor.delta.num.threshold"
DELTA_SHARE = "hive.compactor.delta.pct.threshold"
ABORTED_COUNT = "hive.compactor.abortedtxn.threshold"
_OF_TABLE = "compactorthreshold."
_FIRST_REPLICATION = "hive.repl.first.inc.pending"
_POOL = "hive.compactor.worker.pool"


@dataclass(frozen=True)
class Thresholds:
    """Limits that a table must exceed before a compaction is asked for.

    They are the number of deltas and delete deltas, their share of the base's bytes (0.1 is a tenth), and the number of
    aborted transactions.

    `cleans_aborted`: the metastore's Cleaner removes what aborted transactions left by itself, so that they call for
    no compaction (4.x by default).
    """

    delta_count: int = 10
    delta_share: float = 0.1
    aborted_count: int = 1000
    cleans_aborted: bool = False

    @classmethod
    def of_server(cls, line: MetastoreLine, config_value: Callable[[str, str], str]) -> Thresholds:
        """The thresholds that the metastore is set to. Raises ValueError for what is no number."""
        return cls(
            int(config_value(DELTA_COUNT, str(cls.delta_count))),
            float(config_value(DELTA_SHARE, str(cls.delta_share))),
            int(find_server_value(config_value, ABORTED_COUNT, str(cls.aborted_count))),
            cleans_aborted_at_once(line, config_value),
        )

    def of_table(self, parameters: Mapping[str, str]) -> Thresholds:
        """These, but for those of the table. Raises ValueError for what is no number.

        Hive knows thresholds of tables for the number and the share of deltas only, and none of databases.
        """
        count, share = parameters.get(_OF_TABLE + DELTA_COUNT), parameters.get(_OF_TABLE + DELTA_SHARE)
        return replace(
            self,
            delta_count=self.delta_count if count is None else int(count),
            delta_share=self.delta_share if share is None else float(share),
        )


@dataclass(frozen=True)
class Verdict:
    """`kind` is None if nothing is needed; `reason` says why, in a clause."""

    kind: CompactionKind | None
    reason: str


def find_exemption(line: MetastoreLine, table: TableDescription, database_parameters: Mapping[str, str]) -> str | None:
    """Why no compaction of the table may be asked for automatically, if so.

    On 4.x a database that has the property decides before its tables do (MetaStoreUtils.isNoAutoCompactSet).
    """
    database = database_parameters if line.tells_databases else {}
    for where, parameters in (("its database", database), ("it", table.parameters)):
        value = next((parameters[name] for name in NO_AUTO_COMPACTION if name in parameters), None)
        if value is not None:
            if value.lower() == "true":
                return f"{where} has the property NO_AUTO_COMPACTION"
            break
    if "true" in (parameters.get(_FIRST_REPLICATION) for parameters in (table.parameters, database_parameters)):
        return "its first replication is not complete"
    return None


def find_pool(line: MetastoreLine, table: TableDescription, database_parameters: Mapping[str, str]) -> str | None:
    """The pool that automatic requests go to: the table's, else its database's (Initiator.getPoolName of 4.x).

    None: no pool. Metastores of the 3.1 line know none.
    """
    if not line.serves_workers:
        return None
    named = (parameters.get(_POOL, "") for parameters in (table.parameters, database_parameters))
    return next((pool for pool in named if pool.strip()), None)


def judge(
    line: MetastoreLine,
    table: TableDescription,
    state: AcidState,
    write_ids: ValidWriteIdList,
    thresholds: Thresholds,
    is_partition: bool,
) -> Verdict:
    """The verdict on the table or partition whose folders are in `state`, chosen by `write_ids`, a compactor's list.

    On the 3.1 line what would be a minor compaction is a major one: Hive 3.1's own minor breaks unbucketed tables with
    deletes and files of several buckets (its next major fails with "Two readers"), and ours there is major only.
    """
    aborted = _count_aborted(state, write_ids, is_partition)
    if aborted > thresholds.aborted_count and not thresholds.cleans_aborted:
        return Verdict(CompactionKind.MAJOR, f"{aborted} aborted transactions, more than {thresholds.aborted_count}")
    # what streaming ingest may still write to is no compactor's
    settled = [f for f in (*state.deltas, *state.delete_deltas) if f.name.max_write_id <= write_ids.high_water_mark]
    base_bytes = _sum_bytes([state.base]) if state.base else sum(file.length_bytes for file in state.originals)
    delta_bytes = _sum_bytes(settled)
    has_base = bool(base_bytes) or not delta_bytes
    if base_bytes and delta_bytes / base_bytes > thresholds.delta_share:
        share = f"{delta_bytes / base_bytes:.2f} of its base"
        return Verdict(CompactionKind.MAJOR, f"its deltas are {share}, more than {thresholds.delta_share}")
    if line is MetastoreLine.HIVE_4 and not delta_bytes and any(map(is_base, state.obsolete)):
        return Verdict(CompactionKind.MAJOR, "it has an older base beside its own and no deltas")
    if len(settled) <= thresholds.delta_count:
        return Verdict(None, f"{len(settled)} deltas, not more than {thresholds.delta_count}")
    reason = f"{len(settled)} deltas, more than {thresholds.delta_count}"
    if not has_base:
        return Verdict(CompactionKind.MAJOR, f"{reason}, and no base")
    if line.breaks_rows_by_minor:
        return Verdict(CompactionKind.MAJOR, f"{reason}; on a metastore of the 3.1 line only major ones are asked for")
    if not is_enough(CompactionKind.MINOR, state):
        return Verdict(CompactionKind.MAJOR, f"{reason}, which no minor compaction folds")
    return Verdict(CompactionKind.MINOR, reason)


def _sum_bytes(folders: Iterable[AcidFolder]) -> int:
    return sum(file.length_bytes for folder in folders for file in folder.files)


def _count_aborted(state: AcidState, write_ids: ValidWriteIdList, is_partition: bool) -> int:
    """Aborted transactions that wrote here: all of a flat table's, of a partition those that have left a folder.

    The metastore knows which partitions the others were to write to, and does not tell.
    """
    return len(state.aborted) if is_partition else len(write_ids.aborted)
