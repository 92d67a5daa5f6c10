"""Looks at transactional tables and their metastore for what harms them, and removes what is safe to remove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hive_acid.api.compaction import CompactionInfo, CompactionState, Services, load_services
from hive_acid.api.conditions import HiveAcidError, MetastoreUnavailable, SnapshotUnavailable, build_error
from hive_acid.api.files import OVERWRITE_FILE
from hive_acid.api.settings import find_server_value, parse_duration_ms
from hive_acid.api.snapshots import (
    AcidState,
    ValidWriteIdList,
    find_aborted_overwrites,
    find_write_ids_now,
)
from hive_acid.api.statements import TransactionState, find_unlocked_writers
from hive_acid.api.storage import FileSystem, Listing
from hive_acid.api.tables import Metastore, Partition, TableDescription, TableKind, TableName
from hive_acid_ops.doctor.compactions import find_impatient_cleaner, find_obsolete, find_pile_up, find_stuck
from hive_acid_ops.doctor.damaged_files import find_damaged_files
from hive_acid_ops.doctor.file_names import find_misread_names, find_spark_markers, find_stray_root_files, find_strays
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject
from hive_acid_ops.doctor.leftovers import (
    Writers,
    find_aborted_folders,
    find_dead_overwrites,
    find_ended_uploads,
    find_staging,
    find_staging_transactions,
)
from hive_acid_ops.doctor.partitions import find_local_files, find_lost_folder, find_unknown_partitions
from hive_acid_ops.doctor.statistics import find_claimed_rows, find_countable_files, find_stale
from hive_acid_ops.doctor.transactions import find_held_up, find_unlocked
from hive_acid_ops.foreign_files import find_foreign_files
from hive_acid_ops.initiator.policy import Thresholds, find_exemption, judge
from hive_acid_ops.initiator.survey import CompactorView, Root, SurveyedRoot, find_roots, load_thresholds, survey

_REFUSED = ("HIVE_ACID_UNSUPPORTED_LAYOUT", "HIVE_ACID_CORRUPT_FILE")
"""The errors that a reader of such files ends in."""


@dataclass(frozen=True)
class _Case:
    """A table as it is looked at: `write_ids` are those of a reader, `view` is a compactor's."""

    table: TableDescription
    partitions: Sequence[Partition] | None
    write_ids: ValidWriteIdList
    view: CompactorView
    entries: Mapping[str | None, Sequence[CompactionInfo]]
    thresholds: Thresholds
    is_exempt: bool

    @property
    def subject(self) -> Subject:
        return Subject(self.table.name)

    def parameters(self, partition: str | None) -> Mapping[str, str]:
        """The properties of the flat table or the partition."""
        found = (each.parameters for each in self.partitions or () if each.name == partition)
        return self.table.parameters if partition is None else next(found, {})


class Doctor:
    """Examines tables of one metastore.

    `clock_ms` gives milliseconds since 1970; `follow` hands on the tables that it is given, and may tell how far it is.
    """

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        clock_ms: Callable[[], int],
        follow: Callable[[Sequence[TableName]], Iterator[TableName]] = iter,
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._clock_ms = clock_ms
        self._follow = follow

    def examine(self, name: TableName | None) -> Iterator[Finding]:
        """The findings of the table, or of every transactional one (None), then of the metastore itself.

        Each finding is made when it is asked for. Raises HIVE_ACID_TABLE_NOT_FOUND, HIVE_ACID_UNSUPPORTED_TABLE for a
        named table that is not transactional, and what the metastore and storage raise; of several tables, what one
        raises is a finding.
        """
        service = load_services(self._metastore)
        if name is not None:
            table = self._metastore.table(name)
            if table.kind is TableKind.PLAIN:
                raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL", operation="doctor", table=name)
            yield from self._examine_table(table, service)
        else:
            for each in self._follow(self._metastore.table_names()):
                yield from self._try_table(each, service)
        yield from find_impatient_cleaner(service)
        yield from self._examine_transactions()

    def _try_table(self, name: TableName, service: Services) -> Iterator[Finding]:
        try:
            table = self._metastore.table(name)
            if table.kind is not TableKind.PLAIN:
                yield from self._examine_table(table, service)
        except MetastoreUnavailable:
            raise
        except HiveAcidError as error:
            kind, cure = FindingKind.NOT_EXAMINED, "remove the cause and run doctor again"
            yield Subject(name).finding(kind, str(error), "not known", cure)

    def _examine_transactions(self) -> Iterator[Finding]:
        metastore = self._metastore
        text = find_server_value(metastore.config_value, "hive.txn.timeout", "300s")
        locks = metastore.held_locks()
        yield from find_held_up(metastore.transactions(), locks, parse_duration_ms(text), self._clock_ms())

    def _load_case(self, table: TableDescription) -> _Case:
        metastore = self._metastore
        names = metastore.partition_names(table.name) if table.is_partitioned else []
        partitions = metastore.partitions(table.name, names) if table.is_partitioned else None
        transactions = metastore.valid_transactions(0)
        write_ids = metastore.valid_write_ids([table.name], transactions)[table.name]
        entries: dict[str | None, list[CompactionInfo]] = {}
        for info in metastore.compactions():
            if info.table == table.name:
                entries.setdefault(info.partition, []).append(info)
        exemption = find_exemption(metastore.line, table, metastore.database_parameters(table.name.database))
        view = CompactorView(transactions, write_ids.for_compaction())
        thresholds = load_thresholds(metastore, table)
        return _Case(table, partitions, write_ids, view, entries, thresholds, exemption is not None)

    def _examine_table(self, table: TableDescription, service: Services) -> Iterator[Finding]:
        case = self._load_case(table)
        roots = find_roots(table, case.partitions)
        locations = sorted({table.location, *(root.location for root in roots)})
        yield from find_unlocked(case.subject, find_unlocked_writers(self._metastore, table.name))
        yield from find_local_files(case.subject, table, self._metastore.warehouse())
        yield from self._examine_staging(case.subject, locations)
        yield from self._examine_uploads(case, locations)
        if case.partitions is not None:
            yield from self._examine_partitioned_root(case, case.partitions)
        for surveyed in survey(self._file_system, roots, case.view):
            yield from self._examine_root(case, surveyed, service)

    def _examine_staging(self, subject: Subject, locations: Sequence[str]) -> Iterator[Finding]:
        folders = self._file_system.hidden_folders(locations)
        transactions = sorted(set(find_staging_transactions(folders).values()))
        states = {txn_id: self._metastore.transaction_state(txn_id) for txn_id in transactions}
        mark = self._metastore.valid_transactions(0).high_water_mark if transactions else 0
        yield from find_staging(subject, folders, states, mark)

    def _examine_uploads(self, case: _Case, locations: Sequence[str]) -> Iterator[Finding]:
        try:
            uploads = self._file_system.pending_uploads(locations)
        except HiveAcidError as error:  # many may read files and not list uploads
            cure = "allow the listing of uploads and run doctor again"
            yield case.subject.finding(FindingKind.NOT_EXAMINED, str(error), "not known", cure)
            return
        entries = (entry for entries in case.entries.values() for entry in entries)
        is_compacting = any(entry.state is CompactionState.WORKING for entry in entries)
        writers = Writers(self._metastore.line, case.write_ids, case.view.transactions, is_compacting)
        yield from find_ended_uploads(case.subject, uploads, locations, writers)

    def _examine_partitioned_root(self, case: _Case, partitions: Sequence[Partition]) -> Iterator[Finding]:
        (listing,) = self._file_system.list_trees([case.table.location])
        yield from find_spark_markers(case.subject, listing)
        yield from find_stray_root_files(case.subject, listing, [p.location.rstrip("/") for p in partitions])
        yield from find_unknown_partitions(case.subject, case.table, listing, partitions)

    def _examine_root(self, case: _Case, surveyed: SurveyedRoot, service: Services) -> Iterator[Finding]:
        line, now_ms = service.line, self._clock_ms()
        subject = Subject(case.table.name, surveyed.root.partition)
        entries = case.entries.get(surveyed.root.partition, ())
        yield from find_lost_folder(subject, surveyed.listing)
        yield from find_dead_overwrites(line, subject, surveyed.listing, self._find_overwrites(case, surveyed.listing))
        yield from find_spark_markers(subject, surveyed.listing)
        yield from find_stuck(subject, entries, service, now_ms)
        state = surveyed.state
        if state is None:
            yield _build_unreadable(subject, surveyed.error)
            return
        yield from self._examine_files(case, subject, state)
        yield from find_strays(subject, case.table, state)
        yield from find_misread_names(subject, case.table, state)
        yield from find_aborted_folders(service.cleans_aborted, subject, state, case.write_ids, now_ms)
        yield from find_obsolete(subject, state, entries, service, now_ms)
        if not case.is_exempt and not find_foreign_files(case.table.kind, state):  # which a compaction would lose
            is_partition = surveyed.root.partition is not None
            verdict = judge(line, case.table, state, case.view.write_ids, case.thresholds, is_partition)
            yield from find_pile_up(subject, verdict, entries, service)
        yield from self._examine_statistics(case, surveyed.root, state)

    def _examine_files(self, case: _Case, subject: Subject, state: AcidState) -> Iterator[Finding]:
        if not case.table.kind.has_row_ids:
            return
        name = str(case.table.name)
        try:
            yield from find_damaged_files(subject, state, lambda files: self._file_system.row_counts(name, files))
        except SnapshotUnavailable:  # a file has gone meanwhile
            return

    def _find_overwrites(self, case: _Case, listing: Listing) -> dict[str, TransactionState | None]:
        """The bases of aborted overwrites of ours, and how the transaction named in each ended; None: not known."""
        states: dict[str, TransactionState | None] = {}
        for base in find_aborted_overwrites(listing, case.write_ids):
            text = self._file_system.read_text(listing.absolute_path(f"{base}/{OVERWRITE_FILE}"))
            states[base] = self._metastore.transaction_state(int(text)) if text.isdecimal() else None
        return states

    def _examine_statistics(self, case: _Case, root: Root, state: AcidState) -> Iterator[Finding]:
        """Only while nobody writes, and if nothing has changed when the rows are counted: else numbers may differ."""
        claimed = find_claimed_rows(case.parameters(root.partition))
        is_quiet = case.view.write_ids.high_water_mark == case.write_ids.high_water_mark
        files = find_countable_files(case.table, state) if claimed is not None and is_quiet else None
        if claimed is None or files is None:
            return
        name, subject = case.table.name, Subject(case.table.name, root.partition)
        try:
            found = sum(self._file_system.row_counts(str(name), files)) if files else 0
        except SnapshotUnavailable:  # a file has gone meanwhile
            return
        except HiveAcidError as error:
            yield _build_unreadable(subject, error)
            return
        if find_write_ids_now(self._metastore, name) == case.write_ids:
            yield from find_stale(self._metastore.line, subject, claimed, found)


def _build_unreadable(subject: Subject, error: HiveAcidError | None) -> Finding:
    is_refused = error is not None and error.main_condition in _REFUSED
    kind = FindingKind.UNREADABLE if is_refused else FindingKind.NOT_EXAMINED
    harm = "reading and writing are refused here" if is_refused else "not known"
    return subject.finding(kind, str(error), harm, "remove the cause, which the message names")


@dataclass(frozen=True)
class Treatment:
    """The outcome of a treatment: nothing was to be done, or `is_done`, or it failed for the reason in `failure`."""

    finding: Finding
    is_done: bool = False
    failure: str | None = None

    @property
    def is_left(self) -> bool:
        """True if there is still a fault."""
        return not self.is_done and not self.finding.kind.is_hint


def treat(file_system: FileSystem, finding: Finding, is_dry_run: bool) -> Treatment:
    """Removes what was found if that is safe: what a transaction has left that ended, so nobody can come to need it."""
    if not finding.is_fixable or finding.path is None or is_dry_run:
        return Treatment(finding)
    try:
        if finding.kind is FindingKind.PENDING_UPLOADS:
            file_system.abort_uploads(file_system.pending_uploads([finding.path]))
        else:
            file_system.delete_tree(finding.path)
    except HiveAcidError as error:
        return Treatment(finding, failure=str(error))
    return Treatment(finding, is_done=True)
