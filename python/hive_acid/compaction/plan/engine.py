"""The seam to the engine that folds files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from hive_acid.compaction.plan.planning import CompactedFile, CompactionPlan, FoldedFile
from hive_acid.model.bucket import BucketProperty
from hive_acid.model.evolution import Evolution
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.scan_plan import RawIds, ScanDeletes, ScanFile, ScanPartition
from hive_acid.writing.engine import WriteResult
from hive_acid.writing.table_rules import FileLayout


@dataclass(frozen=True)
class CompactionSpec:
    """One job of compaction, of a table or of one partition.

    `staging` is the folder the job may fill; `row_type`, `compression`, `layout` as of a `WriteSpec`; `write_ids`
    decides which rows count; `partition` is the scan that the plan was built from; `options` are further settings of
    the format, by its own keys.
    """

    table: TableName
    staging: str
    row_type: str
    compression: str
    evolution: Evolution
    write_ids: ValidWriteIdList
    partition: ScanPartition
    plan: CompactionPlan
    layout: FileLayout
    options: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> str:
        """The form the shim reads."""
        write_ids = self.write_ids.format()
        return json.dumps(
            {
                "table": str(self.table),
                "staging": self.staging,
                "rowType": self.row_type,
                "compression": self.compression,
                "evolution": self.evolution.to_dict(),
                "writeIds": write_ids,
                "layout": self.layout.name,
                "fileName": self.layout.file_name,
                "options": dict(self.options),
                "deletes": {
                    "writeIds": write_ids,
                    "folders": [deletes.to_dict() for deletes in self.partition.deletes],
                    "stamp": self.partition.delete_stamp,
                },
                "files": [self._file(file) for file in self.plan.files],
            }
        )

    def _file(self, file: CompactedFile) -> dict[str, Any]:
        return {
            "folder": file.folder,
            "bucket": file.bucket,
            "holdsDeletes": file.holds_deletes,
            "buckets": file.buckets,
            "groups": [[[self._folded(one) for one in run] for run in group] for group in file.groups],
        }

    def _folded(self, folded: FoldedFile) -> dict[str, Any]:
        folder, file = folded.folder, folded.file
        text: dict[str, Any] = {"path": f"{folder.path}/{file.path}", "bytes": file.length_bytes, "check": folder.check}
        text |= {"first": folder.min_write_id, "last": folder.max_write_id}
        if isinstance(folder, ScanDeletes):
            return {**text, "deletes": False, "anyBucket": folder.any_bucket, "raw": None}
        raw = folder.raw and [folder.raw.write_id, _property(folder.raw, file), file.first_row]
        return {**text, "deletes": folder.deletes and self.plan.applies_deletes, "anyBucket": False, "raw": raw}


def _property(raw: RawIds, file: ScanFile) -> int:
    return BucketProperty(file.bucket, raw.statement_id).encode()


class CompactionEngine(Protocol):
    """Folds files."""

    def compact(self, spec: CompactionSpec) -> WriteResult:
        """Makes the files of the plan below `spec.staging`, in folders that lie directly there.

        Raises HIVE_ACID_UNSUPPORTED_LAYOUT for rows that are not in the order of their IDs, and what a scan raises.
        """
        ...
