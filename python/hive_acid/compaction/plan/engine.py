"""The seam to the engine that folds files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from hive_acid.compaction.plan.planning import CompactionPlan, PlannedFile, PlannedInput
from hive_acid.model.bucket import BucketProperty
from hive_acid.model.evolution import Evolution
from hive_acid.model.table import Column, TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.wire.catalogs import DescribedColumn
from hive_acid.wire.compaction_spec import CompactedFile, CompactionSpec, FoldedFile, RawRows
from hive_acid.wire.scan_plan import DeleteFolder, PartitionScan, RawIds, ScanFile, ScanFolder
from hive_acid.wire.write_spec import OutputJob, WriteResult
from hive_acid.writing.table_rules import FileLayout, quote_fields


@dataclass(frozen=True)
class FoldingJob:
    """One job of compaction, of a table or of one partition.

    `columns` are the table's, as the metastore has them: Spark's catalog may show types of text that they had before
    (MetastoreColumns.scala). `staging` is the folder the job may fill; `row_type`, `compression`, `layout` as of a
    write job; `write_ids` decides which rows count; `partition` is the scan that the plan was built from; `options` are
    further settings of the format, by its own keys. `output` is the committer's job that puts the files in place, if
    there is one.
    """

    table: TableName
    columns: tuple[Column, ...]
    staging: str
    row_type: str
    compression: str
    evolution: Evolution
    write_ids: ValidWriteIdList
    partition: PartitionScan
    plan: CompactionPlan
    layout: FileLayout
    options: tuple[tuple[str, str], ...] = ()
    output: OutputJob = field(default_factory=OutputJob)

    def message(self) -> CompactionSpec:
        """The form for the engine."""
        write_ids = self.write_ids.format()
        return CompactionSpec(
            table=self.table,
            staging=self.staging,
            row_type=self.row_type,
            compression=self.compression,
            layout=self.layout.name,
            file_name=self.layout.file_name,
            options=dict(self.options),
            evolution=self.evolution,
            write_ids=write_ids,
            deletes=self.partition.deletes,
            files=tuple(self._file(file) for file in self.plan.files),
            columns=tuple(DescribedColumn(column.name, quote_fields(column.type), None) for column in self.columns),
            output=self.output,
        )

    def _file(self, file: PlannedFile) -> CompactedFile:
        groups = tuple(tuple(tuple(map(self._folded, run)) for run in group) for group in file.groups)
        return CompactedFile(file.folder, file.bucket, file.holds_deletes, file.buckets, groups)

    def _folded(self, planned: PlannedInput) -> FoldedFile:
        folder, file = planned.folder, planned.file
        return FoldedFile(
            path=f"{folder.path}/{file.path}",
            length_bytes=file.length_bytes,
            min_write_id=folder.min_write_id,
            max_write_id=folder.max_write_id,
            has_deletes=isinstance(folder, ScanFolder) and folder.deletes and self.plan.applies_deletes,
            is_checked=folder.check,
            # events that readers find there would be lost: what is made of them may have several files
            any_bucket=isinstance(folder, DeleteFolder) and folder.any_bucket and not folder.is_of_one_file,
            raw=_find_raw(folder.raw, file) if isinstance(folder, ScanFolder) and folder.raw else None,
        )


def _find_raw(raw: RawIds, file: ScanFile) -> RawRows:
    if file.first_row is None:
        raise ValueError(f"the rows of {file.path} have no numbers")
    return RawRows(raw.write_id, BucketProperty(file.bucket, raw.statement_id).encode(), file.first_row)


class CompactionEngine(Protocol):
    """Folds files."""

    def compact(self, job: FoldingJob) -> WriteResult:
        """Makes the files of the plan below `job.staging`, in folders that lie directly there.

        Raises HIVE_ACID_UNSUPPORTED_LAYOUT for rows that are not in the order of their IDs, and what a scan raises.
        """
        ...
