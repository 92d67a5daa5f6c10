"""Tables with files of before they were transactional, and deltas that streaming ingest has not closed."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc
from pyspark.errors import AnalysisException

from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from integration.conftest import Tables
from support.raw_files import ORIGINALS, write_raw_file, write_raw_files

BUCKET_0 = 1 << 29
SEED = 10_000_000
"""Write IDs of a converted table begin after it."""


def convert(tables: Tables, name: str) -> None:
    tables.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('transactional'='true')")


def original_ids(files: dict[str, int]) -> dict[int, tuple[int, int, int]]:
    """The row ID of each row: the rows of a bucket are numbered in the order of the paths."""
    starts, first = {}, 0
    for name, rows in files.items():
        starts[name] = first
        first += rows
    ids, numbered = {}, dict.fromkeys(range(10), 0)
    for name in sorted(files, key=lambda path: path.replace(" ", "%20")):
        bucket = int(Path(name).name.split("_")[0])
        for i in range(files[name]):
            ids[starts[name] + i] = (0, BUCKET_0 | bucket << 16, numbered[bucket] + i)
        numbered[bucket] += files[name]
    return ids


def ids_of(tables: Tables, name: str) -> dict[int, tuple[int, int, int]]:
    return {row[0]: tuple(row[1]) for row in tables.sql(f"SELECT id, ROW__ID FROM {name}")}


@pytest.mark.beyond_the_gate(
    "an ORC table, in either spelling", but=["transactional_properties-ORC", "TRANSACTIONAL_PROPERTIES-ORC"]
)
@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
@pytest.mark.parametrize("key", ["transactional_properties", "TRANSACTIONAL_PROPERTIES"])
def test_a_table_with_rows_does_not_become_insert_only(tables: Tables, form: str, key: str) -> None:
    """Its files would be in no delta, and so of no engine's tables."""
    tables.sql(f"CREATE TABLE t (id INT) STORED AS {form}")
    convert_to_insert_only = f"ALTER TABLE t SET TBLPROPERTIES ('transactional'='true', '{key}'='insert_only')"
    tables.sql("INSERT INTO t VALUES (1)")
    (file,) = (path for path in Path(tables.location("t")).iterdir() if path.name.startswith("part-"))
    file.rename(file.with_name("000000_0"))
    tables.sql("REFRESH TABLE t")
    with pytest.raises(AnalysisException, match="000000_0") as raised:
        tables.sql(convert_to_insert_only)
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.CONVERSION_HIDES_FILE"
    assert tables.sql("SELECT * FROM t") == [(1,)]
    tables.sql("TRUNCATE TABLE t")
    tables.sql(convert_to_insert_only)
    tables.sql("INSERT INTO t VALUES (2)")
    assert tables.sql("SELECT * FROM t") == [(2,)]


def test_a_converted_table_is_read_and_changed(tables: Tables) -> None:
    tables.sql("CREATE TABLE t (id INT, name STRING) STORED AS ORC")
    expected = write_raw_files(tables.location("t"), ORIGINALS)
    convert(tables, "t")
    ids = original_ids(ORIGINALS)
    assert sorted(tables.sql("SELECT * FROM t")) == expected
    assert ids_of(tables, "t") == ids
    assert tables.sql("SELECT count(*), min(name) FROM t") == [(len(expected), "name 0")]
    tables.sql("DELETE FROM t WHERE id % 3 = 0")
    tables.sql("UPDATE t SET name = upper(name) WHERE id % 3 = 1")
    left = [(i, name.upper() if i % 3 == 1 else name) for i, name in expected if i % 3]
    assert sorted(tables.sql("SELECT * FROM t")) == left
    assert tables.sql("SELECT count(*) FROM t") == [(len(left),)]
    assert {i: ids_of(tables, "t")[i] for i, _ in left if i % 3 == 2} == {i: ids[i] for i, _ in left if i % 3 == 2}
    (event, *_) = tables.sql("SELECT min(ROW__ID.writeid) FROM t WHERE name LIKE 'NAME%'")
    assert event[0] == SEED + 2
    assert {path.split("/")[1] for path in tables.files("t") if path.startswith("delete_")} == {
        "bucket_00000",
        "bucket_00001",
    }
    assert tables.sql(
        "MERGE INTO t USING (SELECT 2 AS id UNION ALL SELECT 999) s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'new')"
    ) == [(2, 0, 1, 1)]
    assert sorted(tables.sql("SELECT * FROM t")) == [row for row in left if row[0] != 2] + [(999, "new")]
    tables.sql("INSERT OVERWRITE t VALUES (1, 'one')")
    assert tables.sql("SELECT * FROM t") == [(1, "one")]


def test_partitions_keep_their_originals_apart_and_two_snapshots_of_one_query_agree(tables: Tables) -> None:
    tables.sql("CREATE TABLE p (id INT, name STRING) PARTITIONED BY (d STRING) STORED AS ORC")
    for number, day in enumerate(("a", "b")):
        tables.sql(f"ALTER TABLE p ADD PARTITION (d = '{day}')")
        for copy in range(2):
            suffix = f"_copy_{copy}" if copy else ""
            write_raw_file(tables.location("p") / f"d={day}" / f"000000_0{suffix}", number * 10 + copy * 3, 3)
    convert(tables, "p")
    tables.sql("DELETE FROM p WHERE d = 'b' AND id IN (10, 14)")
    assert sorted(ids_of(tables, "p").items()) == [
        *((i, (0, BUCKET_0, i)) for i in range(6)),
        *((10 + i, (0, BUCKET_0, i)) for i in (1, 2, 3, 5)),
    ]
    assert tables.sql("SELECT count(*) FROM p a JOIN p b ON a.id = b.id AND a.ROW__ID = b.ROW__ID") == [(10,)]


def test_a_table_whose_files_have_other_names_does_not_become_transactional(tables: Tables) -> None:
    tables.sql("CREATE TABLE t (id INT, name STRING) STORED AS ORC")
    tables.sql("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    with pytest.raises(AnalysisException, match=r"part-0\S* has a name that Hive does not accept"):
        convert(tables, "t")
    for number, path in enumerate(sorted(tables.location("t").glob("part-*"))):
        path.rename(path.with_name(f"{number:06}_0"))
    convert(tables, "t")
    tables.sql("DELETE FROM t WHERE id = 1")
    assert tables.sql("SELECT * FROM t") == [(2, "two")]


def acid_file(path: Path, rows: list[tuple[int, int]]) -> int:
    """Writes rows (write ID, id) as streaming ingest does, in the order given; returns the length in bytes."""
    columns: dict[str, Any] = {
        "operation": pa.array([0] * len(rows), pa.int32()),
        "originalTransaction": pa.array([write_id for write_id, _ in rows], pa.int64()),
        "bucket": pa.array([BUCKET_0] * len(rows), pa.int32()),
        "rowId": pa.array(range(len(rows)), pa.int64()),
        "currentTransaction": pa.array([write_id for write_id, _ in rows], pa.int64()),
        "row": pa.array(
            [{"id": i, "name": f"name {i}"} for _, i in rows],
            pa.struct([("id", pa.int32()), ("name", pa.string())]),
        ),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    orc.write_table(pa.table(columns), path, compression="zlib")
    return path.stat().st_size


def test_a_delta_that_streaming_ingest_still_writes_shows_what_is_committed(tables: Tables) -> None:
    name = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1000, 'before')")
    batch = [tables.client.open_transaction("stream", "here", "test") for _ in range(4)]
    first, *_, last = [tables.client.allocate_write_id(txn, name) for txn in batch]
    folder = tables.location("t") / f"delta_{first:07}_{last:07}"
    side = folder / "bucket_00000_flush_length"
    assert (first, last) == (2, 5)
    length = acid_file(folder / "bucket_00000", [(2, 0), (2, 1), (3, 2), (4, 3)])
    with (folder / "bucket_00000").open("ab") as file:
        file.write(b"rows that are not flushed yet")
    side.write_bytes(struct.pack(">qq", 0, length) + b"\0\0\0")

    def ids() -> list[int]:
        return sorted(row[0] for row in tables.sql("SELECT id FROM t"))

    assert ids() == [1000]
    tables.client.commit(batch[0])
    assert ids() == [0, 1, 1000]
    # as every writer does: of an aborted transaction that has locked nothing the metastore soon knows nothing
    lock = LockComponent(name, LockKind.SHARED_READ, OperationKind.INSERT)
    tables.client.lock(batch[1], [lock], "stream", "here", "test")
    tables.client.abort(batch[1])
    tables.client.commit(batch[2])
    assert ids() == [0, 1, 3, 1000]
    tables.sql("DELETE FROM t WHERE id IN (1, 3)")
    assert ids() == [0, 1000]
    side.write_bytes(struct.pack(">q", 0))
    assert ids() == [1000]
    side.write_bytes(b"\0")
    with pytest.raises(AnalysisException, match="bucket_00000_flush_length"):
        ids()
    side.unlink()
    acid_file(folder / "bucket_00000", [(2, 0), (2, 1), (3, 2), (4, 3), (5, 4)])
    assert ids() == [0, 1000]
    tables.client.commit(batch[3])
    assert ids() == [0, 4, 1000]
