"""ACID files row by row: for layouts that other writers, other releases and faults leave, which we do not write.

ORC's own Java library writes them, in the JVM of a Spark session, since only it can set the footer's keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.java_gateway import get_field, set_field
from pyspark.sql import SparkSession

from hive_acid.model.names import VERSION_FILE, VERSION_FILE_CONTENT

BUCKET_0 = 1 << 29
"""The bucket property of bucket 0 and statement 0 (BucketCodec.V1)."""
KEY_INDEX, STATISTICS, VERSION = "hive.acid.key.index", "hive.acid.stats", "hive.acid.version"
INSERT, DELETE = 0, 2
ACID_COLUMNS = "operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,currentTransaction:bigint"


def bucket_property(bucket: int, statement_id: int = 0) -> int:
    """The property of rows of a bucket that one statement inserts."""
    return BUCKET_0 | bucket << 16 | statement_id


@dataclass(frozen=True)
class Event:
    """A row of an ACID file. `values` are whole numbers, texts or None, one for each column; none for a delete.

    `bucket` is the bucket property; `current` the write ID under which the event was written (None: the row's own).
    """

    write_id: int
    row_id: int
    values: tuple[int | str | None, ...] | None
    bucket: int = BUCKET_0
    current: int | None = None
    operation: int = INSERT


def insert(write_id: int, *rows: tuple[Any, ...], bucket: int = BUCKET_0, first_row_id: int = 0) -> list[Event]:
    """Rows with row IDs in their order. `bucket` is the property."""
    return [Event(write_id, first_row_id + i, values, bucket) for i, values in enumerate(rows)]


def delete(current: int, *row_ids: tuple[int, int], bucket: int = BUCKET_0) -> list[Event]:
    """Delete events for rows given as (write ID, row ID) of a bucket, whose property is `bucket`."""
    return [Event(write_id, row_id, None, bucket, current, DELETE) for write_id, row_id in row_ids]


def exact_footer(events: Sequence[Event]) -> dict[str, str]:
    """The three keys as Hive's OrcRecordUpdater writes them for a file of one stripe."""
    last = events[-1] if events else None
    counts = [sum(event.operation == kind for event in events) for kind in range(3)]
    return {
        KEY_INDEX: f"{last.write_id},{last.bucket},{last.row_id};" if last else "",
        STATISTICS: ",".join(map(str, counts)),
        VERSION: "2",
    }


def write_folder(
    spark: SparkSession,
    folder: Path,
    row_type: str,
    files: Mapping[str, Sequence[Event]],
    *,
    footer: Mapping[str, str] | None = None,
    has_version_file: bool = True,
) -> None:
    """A base, delta or delete delta with these files, by name. For `footer` see `write_file`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, events in files.items():
        write_file(spark, folder / name, row_type, events, footer=footer)
    if has_version_file:
        (folder / VERSION_FILE).write_text(VERSION_FILE_CONTENT)


def write_file(
    spark: SparkSession,
    path: Path,
    row_type: str,
    events: Sequence[Event],
    *,
    footer: Mapping[str, str] | None = None,
    row_index_stride: int = 10000,
    compression: str = "ZLIB",
) -> None:
    """One file with the columns of `row_type` ("struct<id:int,name:string>"; types INT, BIGINT and STRING only).

    The events are written in the order given. `footer` are its keys; None: exact ones.
    """
    jvm: Any = spark._jvm
    orc = jvm.org.apache.orc
    schema = orc.TypeDescription.fromString(f"struct<{ACID_COLUMNS},row:{row_type}>")
    options = orc.OrcFile.writerOptions(jvm.org.apache.hadoop.conf.Configuration())
    kind = orc.CompressionKind.valueOf(compression)
    options = options.setSchema(schema).compress(kind).rowIndexStride(row_index_stride)
    options = options.buildIndex(row_index_stride > 0).version(orc.OrcFile.Version.V_0_12).overwrite(True)
    writer = orc.OrcFile.createWriter(jvm.org.apache.hadoop.fs.Path(path.as_uri()), options)
    batch = schema.createRowBatch()
    columns = list(get_field(batch, "cols"))
    row = columns.pop()
    fields = list(get_field(row, "fields"))
    for i, event in enumerate(events):
        current = event.write_id if event.current is None else event.current
        ids = (event.operation, event.write_id, event.bucket, event.row_id, current)
        for column, number in zip(columns, ids, strict=True):
            _set(column, i, number)
        if event.values is None:
            _set(row, i, None)
        for field, value in zip(fields, event.values or (None,) * len(fields), strict=True):
            _set(field, i, value)
    set_field(batch, "size", len(events))
    if events:
        writer.addRowBatch(batch)
    for key, text in (exact_footer(events) if footer is None else footer).items():
        writer.addUserMetadata(key, jvm.java.nio.ByteBuffer.wrap(text.encode()))
    writer.close()


def _set(column: Any, index: int, value: int | str | None) -> None:
    if value is None:
        set_field(column, "noNulls", False)
        get_field(column, "isNull")[index] = True
    elif isinstance(value, str):
        column.setVal(index, value.encode())
    else:
        get_field(column, "vector")[index] = value
