"""The publication that a place gets, by its storage."""

from __future__ import annotations

from hive_acid import config
from hive_acid.model.names import FolderName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.writing.publishing.committed_publication import CommittedPublication
from hive_acid.writing.publishing.output_rules import OutputWay, find_output_way
from hive_acid.writing.publishing.publication import Markers, Publication
from hive_acid.writing.publishing.staged_publication import StagedPublication


def build_statement_publication(
    file_system: FileSystem, location: str, markers: Markers, write_id: int, settings: config.Settings
) -> Publication:
    """For a statement that writes under this write ID, below a location that was not refused."""

    def is_own(name: FolderName) -> bool:
        return name.min_write_id == name.max_write_id == write_id and not name.visibility_txn_id

    if _is_committed(location, settings):
        return CommittedPublication(file_system, location, markers, is_own)
    return StagedPublication(file_system, location, markers)


def build_compaction_publication(
    file_system: FileSystem, location: str, markers: Markers, settings: config.Settings
) -> Publication:
    """For a compaction, whose folders bear the ID of its transaction; its job may need staging in between."""

    def is_own(name: FolderName) -> bool:
        return name.visibility_txn_id == markers.txn_id

    if _is_committed(location, settings):
        return CommittedPublication(file_system, location, markers, is_own, uses_staging=True)
    return StagedPublication(file_system, location, markers)


def _is_committed(location: str, settings: config.Settings) -> bool:
    return find_output_way(location, settings.flag(config.ALLOW_NON_ATOMIC_RENAME)) is OutputWay.COMMITTER
