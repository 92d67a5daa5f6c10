"""An engine that really reads and writes rows: statements by their effects, and compactions as they are planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from hive_acid.compaction.plan.engine import FoldingJob
from hive_acid.compaction.plan.planning import PlannedFile
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.bucket import BucketProperty
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.table import TableName
from hive_acid.reading.snapshot import ScannedSnapshot
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.write_spec import WriteResult, WriteSpec, WrittenFolder
from support.memory_file_system import MemoryFileSystem
from support.model_checker.effects import Effect
from support.model_checker.output import FolderOutput
from support.model_checker.rows import Record, RowId, StoredRow, format_records, parse_records, read_rows

FILE = "bucket_00000"
_EMPTY = "[]"


@dataclass
class RowEngine:
    """Carries out `effect` on the table, whose files it reads by `files` and writes by `staging`.

    `snapshots` is where it finds the one of a statement.
    """

    effect: Effect
    table: TableName
    is_partitioned: bool
    files: FileSystem
    staging: MemoryFileSystem
    snapshots: Mapping[str, ScannedSnapshot]

    def find_partitions(self, token: str) -> tuple[str, ...] | None:
        return None if self.effect.partition is None else (f"d={self.effect.partition}",)

    def find_misspelled(self, partitions: Sequence[str]) -> tuple[str, str] | None:
        return None

    def count_rows(self, token: str, partitions: Sequence[str] | None) -> int:
        return len(self._read(token))

    def write_empty(self, partitions: Sequence[str], spec: WriteSpec) -> WriteResult:
        base = FolderName(FolderKind.BASE, spec.place.write_id, spec.place.write_id).format()
        folders = tuple(WrittenFolder(base, 0, 50, (FILE,), partition) for partition in partitions)
        for folder in folders:
            self.staging.add_file(f"{spec.place.staging}/{folder.staged_path}/{FILE}", text=_EMPTY)
        return WriteResult(folders)

    def write(self, token: str, spec: WriteSpec) -> WriteResult:
        place = spec.place
        output = FolderOutput(place.write_id, place.statement_id, self.effect, overwrites=place.overwrites)
        stored = () if spec.writes is RowWrites.INSERTS else self._read(token)
        counts = output.change(stored, is_partitioned=self.is_partitioned)
        folders = []
        for (partition, name), text in output.texts():
            folder = WrittenFolder(name, len(output.found[partition, name]), 100, (FILE,), partition)
            self.staging.add_file(f"{place.staging}/{folder.staged_path}/{FILE}", text=text)
            folders.append(folder)
        return WriteResult(tuple(folders), counts)

    def _read(self, token: str) -> list[StoredRow]:
        snapshot = self.snapshots[token]
        return read_table(snapshot, self.table, self.is_partitioned, self.files, self.effect.partition)


def read_table(
    snapshot: ScannedSnapshot,
    table: TableName,
    is_partitioned: bool,
    files: FileSystem,
    only: int | None = None,
    *,
    as_hive: bool = False,
) -> list[StoredRow]:
    """The rows of the table, or of the partition `only`, in a snapshot.

    Raises HIVE_ACID_SNAPSHOT_UNAVAILABLE, as a scan does, for a file that is gone.
    """
    names = snapshot.partition_names(table) if is_partitioned else None
    if names is not None and only is not None:
        names = [name for name in names if name == f"d={only}"]
    plan = snapshot.scan_plan(table, names, with_row_ids=True)
    return read_rows(plan, _reader(files, table), as_hive=as_hive)


def _reader(files: FileSystem, table: TableName):  # noqa: ANN202 (a function of one text)
    def read(path: str) -> str:
        try:
            return files.read_text(path)
        except HiveAcidError as error:
            raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table, reason=f"{path} is gone") from error

    return read


@dataclass
class RowCompactionEngine:
    """Folds files as planned."""

    files: FileSystem
    staging: MemoryFileSystem

    def compact(self, job: FoldingJob) -> WriteResult:
        read = _reader(self.files, job.table)
        made = []
        for folder, planned in groupby(sorted(job.plan.files, key=_folder), key=_folder):
            for file in planned:
                records = self._fold(job, file, read)
                if file.buckets:
                    records = _renumber(records)
                self.staging.add_file(f"{job.staging}/{folder}/bucket_{file.bucket:05d}", text=format_records(records))
                made.append(WrittenFolder(folder, len(records), 100, (f"bucket_{file.bucket:05d}",)))
        return WriteResult(tuple(made))

    def _fold(self, job: FoldingJob, file: PlannedFile, read) -> list[Record]:  # noqa: ANN001
        gone = set()
        if job.plan.applies_deletes and not file.holds_deletes:
            for deletes in job.partition.deletes.folders:
                for each in deletes.files:
                    events = parse_records(read(f"{deletes.path}/{each.path}"))
                    gone |= {e.row_id for e in events if job.write_ids.is_valid(e.write_id)}
        found: dict[RowId, Record] = {}
        for group in file.groups:
            for run in group:
                for each in run:
                    for record in parse_records(read(f"{each.folder.path}/{each.file.path}")):
                        if job.write_ids.is_valid(record.write_id) and record.row_id not in gone:
                            found[record.row_id] = record
        return [found[row_id] for row_id in sorted(found)]


def _folder(file: PlannedFile) -> str:
    return file.folder


def _renumber(records: Sequence[Record]) -> list[Record]:
    """As a rebalance to one bucket: IDs in the order of what they were, which nobody may remember."""
    bucket = BucketProperty(0, 0).encode()
    return [record._replace(row_id=RowId(record.row_id.write_id, bucket, n)) for n, record in enumerate(records)]
