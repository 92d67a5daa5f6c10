"""Compactions of a table as Hive 3.1 or 4 leaves them, made by the test: the folders, and no request in the metastore.

Rows are copied by ORC's own Java library in the session's JVM, column vector by column vector, so that every type of
the files stays what it was.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.java_gateway import get_field, set_field
from pyspark.sql import SparkSession

from hive_acid.metastore.protocol import Metastore
from hive_acid.model.names import METADATA_FILE, VERSION_FILE, VERSION_FILE_CONTENT, FolderKind, FolderName
from hive_acid.model.table import TableName
from support.acid_merge import (
    DELETE,
    INSERT,
    Identity,
    Layout,
    choose_layout,
    partition_roots,
    read_deleted,
    read_identities,
    seen_write_ids,
)
from support.listings import COMPACTED

Line = tuple[Identity, Path, int]
"""A line of a file: its identity, the file, its place in it."""


@dataclass(frozen=True)
class Compactor:
    """Compacts tables on which nothing else is running."""

    spark: SparkSession
    client: Metastore

    def compact(self, table: TableName, is_major: bool, hive_4: bool, cleans: bool) -> list[Path]:
        """Compacts each partition that has deltas not compacted yet; returns the folders made.

        Hive 4 puts the ID of its transaction into the name, Hive 3.1 a marker into a base. `cleans` removes what the
        new folders stand for.
        """
        txn_id = self.client.open_transaction("hive", "test", "compactor")
        write_ids, made = seen_write_ids(self.client, table), []
        for root in partition_roots(self.client, table):
            layout = choose_layout(root, write_ids)
            if not any(name.statement_id is not None for name in (*layout.deltas, *layout.delete_deltas)):
                continue
            visibility = txn_id if hive_4 else 0
            folders = self._major(layout, visibility) if is_major else self._minor(layout, visibility)
            if cleans:
                _clean(layout, folders, is_major)
            made += folders
        self.client.commit(txn_id)
        return made

    def _major(self, layout: Layout, visibility_txn_id: int) -> list[Path]:
        """`base_N` with all rows that are left."""
        last = max(name.max_write_id for name in (*layout.deltas, *layout.delete_deltas))
        deleted = read_deleted(layout)
        lines = [line for line in _lines(layout.data_files, INSERT) if line[0] not in deleted]
        folder = self._write(layout, FolderName(FolderKind.BASE, last, last, None, visibility_txn_id), lines)
        if not visibility_txn_id:
            (folder / METADATA_FILE).write_text(COMPACTED)
        return [folder]

    def _minor(self, layout: Layout, visibility_txn_id: int) -> list[Path]:
        """`delta_a_b` with all inserts and `delete_delta_a_b` with all events, as far as there are any."""
        folders = (*layout.deltas, *layout.delete_deltas)
        first, last = min(name.min_write_id for name in folders), max(name.max_write_id for name in folders)
        return [
            self._write(layout, FolderName(kind, first, last, None, visibility_txn_id), lines)
            for kind, lines in (
                (FolderKind.DELTA, _lines(layout.files(layout.deltas), INSERT)),
                (FolderKind.DELETE_DELTA, _lines(layout.files(layout.delete_deltas), DELETE)),
            )
            if lines
        ]

    def _write(self, layout: Layout, name: FolderName, lines: Sequence[Line]) -> Path:
        """The lines in order, in files named as those they come from."""
        folder = layout.root / name.format()
        folder.mkdir()
        (folder / VERSION_FILE).write_text(VERSION_FILE_CONTENT)
        files: dict[str, list[Line]] = defaultdict(list)
        for line in sorted(lines):
            files[line[1].name].append(line)
        for bucket, chosen in files.items():
            self._copy([line[1:] for line in chosen], folder / bucket)
        return folder

    def _copy(self, lines: Sequence[tuple[Path, int]], target: Path) -> None:
        sources = {file: self._read(file) for file, _ in lines}
        jvm: Any = self.spark.sparkContext._jvm
        orc = jvm.org.apache.orc.OrcFile
        schema = next(iter(sources.values()))[0]
        copy = schema.createRowBatch(len(lines))
        copy.reset()
        columns = list(get_field(copy, "cols"))
        _mark_calendar(columns[-1])
        for place, (file, row) in enumerate(lines):
            for column, source in zip(columns, sources[file][1], strict=True):
                column.setElement(place, row, source)
        set_field(copy, "size", len(lines))
        options = orc.writerOptions(self._configuration()).setSchema(schema)
        options = options.useUTCTimestamp(True).setProlepticGregorian(True)
        writer = orc.createWriter(jvm.org.apache.hadoop.fs.Path(f"file:{target}"), options)
        writer.addRowBatch(copy)
        writer.close()

    def _read(self, file: Path) -> tuple[Any, list[Any]]:
        """Schema and column vectors of a small file, which is one batch."""
        jvm: Any = self.spark.sparkContext._jvm
        orc = jvm.org.apache.orc.OrcFile
        options = orc.readerOptions(self._configuration()).useUTCTimestamp(True).convertToProlepticGregorian(True)
        reader = orc.createReader(jvm.org.apache.hadoop.fs.Path(f"file:{file}"), options)
        schema, count = reader.getSchema(), reader.getNumberOfRows()
        batch, rows = schema.createRowBatch(count), reader.rows()
        assert rows.nextBatch(batch)
        assert get_field(batch, "size") == count, f"{file} is more than one batch"
        rows.close()
        reader.close()
        return schema, list(get_field(batch, "cols"))

    def _configuration(self) -> Any:
        context: Any = self.spark.sparkContext
        return context._jsc.hadoopConfiguration()


def _mark_calendar(row: Any) -> None:
    """Says of the empty vectors of `row` what holds of those read: proleptic calendar, wall clock as if in UTC."""
    for vector in get_field(row, "fields"):
        kind = vector.getClass().getSimpleName()
        if kind in ("DateColumnVector", "TimestampColumnVector"):
            vector.changeCalendar(True, False)
        if kind == "TimestampColumnVector":
            vector.setIsUTC(True)


def _lines(files: Sequence[Path], operation: int) -> list[Line]:
    return [
        (identity, file, place) for file in files for place, identity in enumerate(read_identities(file, operation))
    ]


def _clean(layout: Layout, made: Sequence[Path], is_major: bool) -> None:
    """Removes every base and delta but those made; below a minor compaction the base stays."""
    base = layout.root / layout.base.format() if layout.base and not is_major else None
    for path in layout.root.iterdir():
        if path not in (*made, base) and FolderName.parse(path.name):
            shutil.rmtree(path)
