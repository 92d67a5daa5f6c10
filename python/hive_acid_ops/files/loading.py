"""Looks up the folders of a table: those of the snapshot of now, and those that a compactor would fold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hive_acid.api.compaction import (
    CompactionInfo,
    CompactionKind,
    CompactionState,
    Services,
    find_cleaning_cure,
    is_enough,
    load_services,
)
from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.files import FolderKind, FolderName, is_hidden
from hive_acid.api.snapshots import AcidState, ValidWriteIdList, load_state
from hive_acid.api.storage import FileSystem, Listing
from hive_acid.api.tables import Metastore, TableDescription, TableKind, TableName, parse_partition_values
from hive_acid_ops.files.folders import Role, ShownFolder, ShownRoot, TableFiles
from hive_acid_ops.initiator.policy import Thresholds, find_exemption, judge
from hive_acid_ops.initiator.survey import CompactorView, SurveyedRoot, find_roots, load_thresholds, survey

KINDS = {TableKind.FULL_ACID: "full ACID", TableKind.INSERT_ONLY: "insert-only"}
ORIGINALS = "(files)"
"""The name of the original files, which lie in no folder of Hive's."""
_IS_PARTITION = re.compile("[^=/]+=[^/]*(/[^=/]+=[^/]*)*")


@dataclass(frozen=True)
class _Case:
    """The facts about a table that are known before its folders are listed."""

    metastore: Metastore
    file_system: FileSystem
    table: TableDescription
    write_ids: ValidWriteIdList
    view: CompactorView
    thresholds: Thresholds
    exemption: str | None
    services: Services
    entries: Mapping[str | None, Sequence[CompactionInfo]]


def load_files(
    metastore: Metastore, file_system: FileSystem, name: TableName, partition: str | None = None
) -> TableFiles:
    """The folders of the table, or of the partitions with the values of `partition`: `p=v`, or `p=v/q=w`.

    Raises HIVE_ACID_TABLE_NOT_FOUND, HIVE_ACID_UNSUPPORTED_TABLE for one that is not transactional,
    HIVE_ACID_PARTITION_NOT_FOUND, and what metastore and storage raise.
    """
    table = metastore.table(name)
    if table.kind is TableKind.PLAIN:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL", operation="files", table=name)
    names = find_partitions(metastore, table, partition)
    partitions = None if names is None else metastore.partitions(name, names)
    case = _load_case(metastore, file_system, table)
    roots = find_roots(table, partitions)
    shown = tuple(_show_root(case, found) for found in survey(file_system, roots, case.view))
    return TableFiles(name, KINDS[table.kind], table.location, shown)


def find_partitions(metastore: Metastore, table: TableDescription, partition: str | None) -> Sequence[str] | None:
    """The names of the partitions that have these values, of all without any; None for a flat table.

    Raises HIVE_ACID_UNSUPPORTED_TABLE.NO_PARTITIONS and HIVE_ACID_PARTITION_NOT_FOUND.
    """
    if not table.is_partitioned:
        if partition is not None:
            condition = "HIVE_ACID_UNSUPPORTED_TABLE.NO_PARTITIONS"
            raise build_error(condition, operation="--partition", table=table.name)
        return None
    names = metastore.partition_names(table.name)
    if partition is None:
        return names
    wanted = _parse_values(partition) if _IS_PARTITION.fullmatch(partition) else {}
    found = [name for name in names if wanted and wanted.items() <= _parse_values(name).items()]
    if not found:
        raise build_error("HIVE_ACID_PARTITION_NOT_FOUND", table=table.name, partition=partition)
    return found


def _parse_values(partition: str) -> dict[str, str]:
    keys = [part.partition("=")[0].lower() for part in partition.split("/")]
    return dict(zip(keys, parse_partition_values(partition), strict=True))


def _load_case(metastore: Metastore, file_system: FileSystem, table: TableDescription) -> _Case:
    transactions = metastore.valid_transactions(0)
    write_ids = metastore.valid_write_ids([table.name], transactions)[table.name]
    entries: dict[str | None, list[CompactionInfo]] = {}
    for info in metastore.compactions():
        if info.table == table.name:
            entries.setdefault(info.partition, []).append(info)
    return _Case(
        metastore,
        file_system,
        table,
        write_ids,
        CompactorView(transactions, write_ids.for_compaction()),
        load_thresholds(metastore, table),
        find_exemption(metastore.line, table, metastore.database_parameters(table.name.database)),
        load_services(metastore),
        entries,
    )


def _show_root(case: _Case, surveyed: SurveyedRoot) -> ShownRoot:
    root = surveyed.root
    entries = case.entries.get(root.partition, ())
    try:
        read = load_state(case.file_system, surveyed.listing, case.write_ids, case.view.transactions)
    except HiveAcidError as error:
        return ShownRoot(root.partition, root.location, (), "not known", error=str(error))
    folders = tuple(_show_folders(read, _find_folded(surveyed.state)))
    cleaning = _describe_cleaning(case, entries) if any(folder.role.is_cleaned for folder in folders) else None
    return ShownRoot(root.partition, root.location, folders, _describe_compaction(case, surveyed, entries), cleaning)


def _find_folded(state: AcidState | None) -> dict[str, tuple[str, ...]]:
    """The compactions that would fold each folder, by its name; none where a compactor cannot read the folders."""
    if state is None:
        return {}
    deltas = [folder.path for folder in (*state.deltas, *state.delete_deltas)]
    whole = [*deltas, *([state.base.path] if state.base else ()), *([ORIGINALS] if state.originals else ())]
    folded: dict[str, tuple[str, ...]] = {}
    for kind, names in ((CompactionKind.MINOR, deltas), (CompactionKind.MAJOR, whole)):
        for name in names if is_enough(kind, state) else ():
            folded[name] = (*folded.get(name, ()), kind.value)
    return folded


def _show_folders(state: AcidState, folded: Mapping[str, tuple[str, ...]]) -> Iterator[ShownFolder]:
    roles = {state.base.path: Role.BASE} if state.base else {}
    roles |= {folder.path: Role.DELTA for folder in state.deltas}
    roles |= {folder.path: Role.DELETE_DELTA for folder in state.delete_deltas}
    for names, role in (
        (state.obsolete, Role.REPLACED),
        (state.aborted, Role.ABORTED),
        (state.invisible, Role.OPEN),
    ):
        roles |= dict.fromkeys(names, role)
    shown = [_show_folder(state.listing, name, role, folded.get(name, ())) for name, role in roles.items()]
    if state.originals:
        sizes = [file.length_bytes for file in state.originals]
        shown.append(ShownFolder(ORIGINALS, Role.ORIGINAL, 0, 0, len(sizes), sum(sizes), folded.get(ORIGINALS, ())))
    yield from sorted(shown, key=lambda folder: (folder.last_write_id, folder.first_write_id, folder.name))


def _show_folder(listing: Listing, name: str, role: Role, folded_by: tuple[str, ...]) -> ShownFolder:
    inside = [file for file in listing.files if file.relative_path.partition("/")[0] == name]
    sizes = [file.length_bytes for file in inside if not is_hidden(file.name)]
    parsed = FolderName.parse(name)
    first, last = (max(0, parsed.min_write_id), max(0, parsed.max_write_id)) if parsed else (0, 0)
    first = 0 if parsed and parsed.kind is FolderKind.BASE else first
    return ShownFolder(name, role, first, last, len(sizes), sum(sizes), folded_by)


def _describe_compaction(case: _Case, surveyed: SurveyedRoot, entries: Sequence[CompactionInfo]) -> str:
    pending = next((info for info in entries if info.state.is_pending), None)
    if pending is not None:
        return f"{pending.kind.value} compaction {pending.id} is under way ({pending.state.value})"
    if case.exemption is not None:
        return f"none by itself: {case.exemption}"
    if surveyed.state is None:
        return f"not known: {surveyed.error}"
    is_partition = surveyed.root.partition is not None
    verdict = judge(case.services.line, case.table, surveyed.state, case.view.write_ids, case.thresholds, is_partition)
    return f"{verdict.kind.value} is due: {verdict.reason}" if verdict.kind else f"none is due: {verdict.reason}"


def _describe_cleaning(case: _Case, entries: Sequence[CompactionInfo]) -> str:
    ready = next((info for info in entries if info.state is CompactionState.READY), None)
    if ready is None:
        if not case.services.has_cleaner:
            return f"no Cleaner runs; {case.services.cleaner_advice}"
        return "the Cleaner removes them after the next compaction"
    advice = find_cleaning_cure(ready, case.services)
    oldest = case.services.oldest_txn_id
    owner = next((info for info in case.metastore.transactions() if info.id == oldest), None)
    is_named = owner is not None and f"transaction {oldest} " in advice
    by = f" ({owner.user} on {owner.host}, {owner.agent})" if owner is not None and is_named else ""
    return f"compaction {ready.id} is to be cleaned: {advice}{by}"
