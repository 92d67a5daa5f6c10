"""Asks the metastore to have compacted what has outgrown its thresholds, where no Initiator of Hive does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from hive_acid.api.compaction import CompactionInfo, CompactionKind, CompactionRequest
from hive_acid.api.conditions import HiveAcidError, MetastoreUnavailable
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore, TableDescription, TableKind, TableName
from hive_acid_ops.foreign_files import find_foreign_files
from hive_acid_ops.initiator.policy import Thresholds, find_exemption, find_pool, judge
from hive_acid_ops.initiator.queue_history import FailureLimit, find_pending
from hive_acid_ops.initiator.survey import CompactorView, SurveyedRoot, find_roots, load_thresholds, survey


class Action(Enum):
    """The action taken for a table or partition."""

    REQUESTED = "requested"
    WOULD_REQUEST = "would request"
    NOT_NEEDED = "not needed"
    PASSED_OVER = "passed over"
    FAILED = "failed"


@dataclass(frozen=True)
class Decision:
    """The action taken for a flat table, a partition, or a partitioned table as a whole, and its reason.

    `request_id` is that of a request that was made.
    """

    table: TableName
    partition: str | None
    action: Action
    kind: CompactionKind | None
    reason: str
    request_id: int | None = None


def find_candidates(
    metastore: Metastore, databases: Sequence[str] = (), tables: Sequence[TableName] = ()
) -> list[TableName]:
    """The tables named and those of the databases named; without either, all. Not each is transactional."""
    if tables and not databases:
        return sorted(set(tables))
    wanted = {database.lower() for database in databases}
    found = {name for name in metastore.table_names() if not wanted or name.database in wanted}
    return sorted(found | set(tables))


def find_unknown_databases(metastore: Metastore, databases: Sequence[str]) -> list[str]:
    """The databases among these that the metastore does not show, in lower case: misspelt, dropped, or denied."""
    if not databases:
        return []
    return sorted({database.lower() for database in databases} - set(metastore.database_names()))


class Initiator:
    """Looks at tables and asks for what they need.

    `name` is who asks, `host-something`; `clock_ms` gives milliseconds since 1970.
    """

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        name: str,
        clock_ms: Callable[[], int],
        is_dry_run: bool = False,
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._name = name
        self._clock_ms = clock_ms
        self._is_dry_run = is_dry_run

    def look(self, names: Iterable[TableName]) -> Iterator[Decision]:
        """The actions for each transactional table among them; other tables are left out.

        An error about one table is its decision, and the next one is looked at; without an answer of the metastore
        MetastoreUnavailable is raised.
        """
        for name in names:
            try:
                table = self._metastore.table(name)
                if table.kind is not TableKind.PLAIN:
                    yield from self.look_at(table)
            except MetastoreUnavailable:
                raise
            except HiveAcidError as error:
                yield Decision(name, None, Action.FAILED, None, str(error))

    def look_at(self, table: TableDescription, partitions: Sequence[str] | None = None) -> Iterator[Decision]:
        """The actions for the table, or for these of its partitions (None: all)."""
        metastore = self._metastore
        exemption = find_exemption(metastore.line, table, metastore.database_parameters(table.name.database))
        if exemption:
            yield Decision(table.name, None, Action.PASSED_OVER, None, exemption)
            return
        thresholds = load_thresholds(metastore, table)
        names = metastore.partition_names(table.name) if partitions is None and table.is_partitioned else partitions
        found = metastore.partitions(table.name, names or ()) if table.is_partitioned else None
        reasons = self._find_reasons_to_wait(table.name)
        roots = find_roots(table, found)
        for root in roots:
            if root.partition in reasons:
                yield Decision(table.name, root.partition, Action.PASSED_OVER, None, reasons[root.partition])
        roots = [root for root in roots if root.partition not in reasons]
        view = CompactorView.load(metastore, table)
        for surveyed in survey(self._file_system, roots, view):
            yield self._decide(table, surveyed, view, thresholds)

    def _decide(
        self, table: TableDescription, surveyed: SurveyedRoot, view: CompactorView, thresholds: Thresholds
    ) -> Decision:
        partition = surveyed.root.partition
        if surveyed.state is None:
            return Decision(table.name, partition, Action.FAILED, None, str(surveyed.error))
        foreign = find_foreign_files(table.kind, surveyed.state)
        if foreign:
            reason = f"a compaction would lose {foreign[0]}, which is none of the table's (see hive-acid doctor)"
            return Decision(table.name, partition, Action.PASSED_OVER, None, reason)
        line, is_partition = self._metastore.line, partition is not None
        verdict = judge(line, table, surveyed.state, view.write_ids, thresholds, is_partition)
        if verdict.kind is None:
            return Decision(table.name, partition, Action.NOT_NEEDED, None, verdict.reason)
        return self._request(table, partition, verdict.kind, verdict.reason)

    def _find_reasons_to_wait(self, table: TableName) -> dict[str | None, str]:
        """Why the queue or its history keeps partitions from being asked for; None stands for the flat table."""
        entries: dict[str | None, list[CompactionInfo]] = {}
        for info in self._metastore.compactions():
            if info.table == table:
                entries.setdefault(info.partition, []).append(info)
        limit, now_ms = FailureLimit.load(self._metastore), self._clock_ms()
        found = {name: find_pending(infos) or limit.find_excess(infos, now_ms) for name, infos in entries.items()}
        return {name: reason for name, reason in found.items() if reason}

    def _request(self, table: TableDescription, partition: str | None, kind: CompactionKind, reason: str) -> Decision:
        name, metastore = table.name, self._metastore
        if self._is_dry_run:
            return Decision(name, partition, Action.WOULD_REQUEST, kind, reason)
        pool = find_pool(metastore.line, table, metastore.database_parameters(name.database))
        request = CompactionRequest(name, kind, partition, pool=pool, initiator=self._name)
        answer = metastore.request_compaction(request)
        if not answer.accepted:
            why = answer.reason or f"compaction {answer.id} is {answer.state.value}"
            return Decision(name, partition, Action.PASSED_OVER, kind, why)
        return Decision(name, partition, Action.REQUESTED, kind, reason, answer.id)
