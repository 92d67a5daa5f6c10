"""Insert-only tables are compacted by Spark: the same rows in fewer files, with the values that the files hold."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from pyspark.errors import AnalysisException

from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from integration.conftest import Compactions, Tables
from support.compaction_states import LEFT_TO_CLEANER

MAJOR, MINOR, REBALANCE = CompactionKind.MAJOR, CompactionKind.MINOR, CompactionKind.REBALANCE
FORMATS = ("ORC", "PARQUET")
NANOSECONDS = 1_700_000_000_123_456_789
TYPES = (
    "id INT, name STRING, de DECIMAL(30, 5), small DECIMAL(9, 2), ts TIMESTAMP, day DATE, b BINARY, flag BOOLEAN, "
    "ti TINYINT, fl FLOAT, do DOUBLE, ch CHAR(5), vc VARCHAR(5), ar ARRAY<STRUCT<x: INT, y: ARRAY<STRING>>>, "
    "ma MAP<STRING, DECIMAL(5, 1)>, st STRUCT<a: INT, b: STRUCT<c: TIMESTAMP>>"
)
VALUES = (
    "'n', 12345678901234567890.12345, 1.25, TIMESTAMP'1969-07-20 20:17:40.123456', DATE'1500-02-28', X'00FF', true, "
    "CAST(1 AS TINYINT), 1.5F, 2.5D, 'ch', 'vc', "
    "ARRAY(NAMED_STRUCT('x', 1, 'y', ARRAY('p', NULL)), NULL, NAMED_STRUCT('x', NULL, 'y', ARRAY())), "
    "MAP('k', 1.5, 'l', NULL), NAMED_STRUCT('a', 1, 'b', NAMED_STRUCT('c', TIMESTAMP'2024-01-01 00:00:00'))"
)


def create(tables: Tables, name: str, form: str, columns: str = "id INT, name STRING", more: str = "") -> TableName:
    properties = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE {name} ({columns}) {more} STORED AS {form} TBLPROPERTIES ({properties})")
    return TableName(tables.database, name)


def rows(tables: Tables, name: str) -> list[tuple[object, ...]]:
    return sorted(tables.sql(f"SELECT * FROM {name}"), key=str)


def keep_only(root: Path, *kept: str) -> None:
    """Removes the other folders, as the Cleaner does in its own time."""
    for path in root.glob("*_*"):
        if path.name not in kept:
            shutil.rmtree(path)


def place_files(tables: Tables, table: TableName, files: Mapping[str, Path], txn_id: int | None = None) -> None:
    """An insert of these files by another engine; by a transaction that stays open if it is given."""
    client = tables.client
    writer = txn_id or client.open_transaction("other", "host", "agent")
    write_id = client.allocate_write_id(writer, table)
    folder = tables.location(table.table) / f"delta_{write_id:07d}_{write_id:07d}_0000"
    folder.mkdir()
    for name, source in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(source, folder / name)
    if txn_id is None:
        lock = LockComponent(table, LockKind.SHARED_READ, OperationKind.INSERT)
        assert client.lock(writer, [lock], "other", "host", "agent")[1] is LockState.ACQUIRED
        client.commit(writer)


@pytest.mark.beyond_the_gate("the same tests on Parquet", cells=["ORC"])
@pytest.mark.parametrize("form", FORMATS)
def test_all_becomes_a_base_of_one_file(tables: Tables, compactions: Compactions, form: str) -> None:
    table = create(tables, "t", form)
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    tables.sql("INSERT INTO t VALUES (3, 'c')")
    tables.sql("INSERT OVERWRITE t SELECT * FROM t WHERE id > 1")
    tables.sql("INSERT INTO t SELECT CAST(id AS INT), 'many' FROM range(4, 10)")
    before = rows(tables, "t")
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert (folder.name.partition("_v")[0], folder.files, folder.rows) == ("base_0000004", ("000000_0",), 8)
    keep_only(tables.location("t"), folder.name)
    assert rows(tables, "t") == before
    assert not list(tables.location("t").rglob("_orc_acid_version"))
    done = compactions.last(table)
    assert done.state in LEFT_TO_CLEANER and done.highest_write_id == 4
    tables.sql("INSERT INTO t VALUES (99, 'z')")
    assert rows(tables, "t") == sorted([*before, (99, "z")], key=str)


@pytest.mark.beyond_the_gate("the same tests on Parquet", cells=["ORC"])
@pytest.mark.parametrize("form", FORMATS)
def test_deltas_become_one_beside_their_base(tables: Tables, compactions: Compactions, form: str) -> None:
    table = create(tables, "t", form)
    tables.sql("INSERT OVERWRITE t VALUES (1, 'a')")
    tables.sql("INSERT INTO t VALUES (2, 'b')")
    tables.sql("INSERT INTO t VALUES (3, 'c')")
    (folder,) = compactions.run(table, MINOR).result.folders
    assert (folder.name.partition("_v")[0], folder.rows) == ("delta_0000002_0000003", 2)
    assert rows(tables, "t") == [(1, "a"), (2, "b"), (3, "c")]
    keep_only(tables.location("t"), "base_0000001", folder.name)
    assert rows(tables, "t") == [(1, "a"), (2, "b"), (3, "c")]


@pytest.mark.beyond_the_gate("the same tests on Parquet", cells=["ORC"])
@pytest.mark.parametrize("form", FORMATS)
def test_values_of_every_type_stay_what_they_are(tables: Tables, compactions: Compactions, form: str) -> None:
    table = create(tables, "t", form, TYPES)
    for id_ in range(2):
        tables.sql(f"INSERT INTO t SELECT {id_}, {VALUES} UNION ALL SELECT {id_ + 10}, {', '.join(['NULL'] * 15)}")
    before = rows(tables, "t")
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert folder.files == ("000000_0",)
    keep_only(tables.location("t"), folder.name)
    assert rows(tables, "t") == before


@pytest.mark.beyond_the_gate("the same tests on Parquet", cells=["ORC"])
@pytest.mark.parametrize("form", FORMATS)
def test_what_is_aborted_does_not_come_in(tables: Tables, compactions: Compactions, form: str, tmp_path: Path) -> None:
    table = create(tables, "t", form)
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    (found,) = tables.location("t").glob("delta_*/*_0")
    made = Path(shutil.copy(found, tmp_path))
    for kind, name, expected in (
        (MINOR, "delta_0000001_0000003_v", [(1, "a"), (3, "c")]),
        (MAJOR, "base_0000005_v", [(1, "a"), (3, "c"), (3, "c")]),
    ):
        aborted = tables.client.open_transaction("other", "host", "agent")
        place_files(tables, table, {"000000_0": made}, txn_id=aborted)
        tables.client.abort(aborted)
        tables.sql("INSERT INTO t VALUES (3, 'c')")
        (folder,) = compactions.run(table, kind).result.folders
        assert folder.name.startswith(name)
        keep_only(tables.location("t"), folder.name)
        assert rows(tables, "t") == expected


@pytest.mark.beyond_the_gate("all into a base of one file, values of every type; `unit/compaction`, the Scala tests")
@pytest.mark.parametrize("form", FORMATS)
def test_what_is_open_ends_the_range(tables: Tables, compactions: Compactions, form: str) -> None:
    table = create(tables, "t", form)
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    (made,) = tables.location("t").glob("delta_*/*_0")
    tables.sql("INSERT INTO t VALUES (2, 'b')")
    writer = tables.client.open_transaction("other", "host", "agent")
    place_files(tables, table, {"000000_0": made}, txn_id=writer)
    tables.sql("INSERT INTO t VALUES (4, 'd')")
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert (folder.name.partition("_v")[0], folder.rows) == ("base_0000002", 2)
    tables.client.commit(writer)
    assert rows(tables, "t") == [(1, "a"), (1, "a"), (2, "b"), (4, "d")]


@pytest.mark.beyond_the_gate("all into a base of one file, values of every type; `unit/compaction`, the Scala tests")
@pytest.mark.parametrize("form", FORMATS)
def test_partitions_are_compacted_one_by_one(tables: Tables, form: str) -> None:
    create(tables, "p", form, more="PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO p VALUES (1, 'a', 'x'), (2, 'b', 'y')")
    tables.sql("INSERT INTO p VALUES (3, 'c', 'x'), (4, 'd', 'y')")
    before = rows(tables, "p")
    found = tables.sql("ALTER TABLE p COMPACT 'major' AND WAIT")
    assert sorted((row[2], row[6]) for row in found) == [("d=x", True), ("d=y", True)]
    for partition in tables.location("p").iterdir():
        if partition.is_dir():
            ((base),) = partition.glob("base_*")
            keep_only(partition, base.name)
    assert rows(tables, "p") == before


@pytest.mark.beyond_the_gate("the same tests on Parquet", cells=["ORC"])
@pytest.mark.parametrize("form", FORMATS)
def test_each_bucket_keeps_a_file(tables: Tables, compactions: Compactions, form: str) -> None:
    create(tables, "source", form)
    tables.sql("INSERT INTO source VALUES (1, 'a')")
    (made,) = tables.location("source").glob("delta_*/*_0")
    table = create(tables, "b", form, more="CLUSTERED BY (id) INTO 4 BUCKETS")
    for names in (("000000_0", "000003_0"), ("000003_0", "000003_0_copy_1")):
        place_files(tables, table, dict.fromkeys(names, made))
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert folder.files == ("000000_0", "000003_0")
    keep_only(tables.location("b"), folder.name)
    assert rows(tables, "b") == [(1, "a")] * 4
    for _ in range(2):
        place_files(tables, table, {"000004_0": made})
    with pytest.raises(UnsupportedOperation, match="none of the 4 buckets") as caught:
        compactions.run(table, MAJOR)
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT.NO_BUCKET_OF_TABLE"


@pytest.mark.beyond_the_gate("all into a base of one file, values of every type; `unit/compaction`, the Scala tests")
@pytest.mark.parametrize("form", FORMATS)
def test_columns_that_were_added_later_are_null_in_what_was_before(
    tables: Tables, compactions: Compactions, form: str
) -> None:
    table = create(tables, "t", form)
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    tables.sql("ALTER TABLE t ADD COLUMNS (more STRUCT<x: INT>, day DATE)")
    tables.sql("INSERT INTO t VALUES (2, 'b', NAMED_STRUCT('x', 1), DATE'2024-01-01')")
    before = rows(tables, "t")
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert folder.files == (("000000_0",) if form == "ORC" else ("000000_0", "000000_0_copy_1"))
    keep_only(tables.location("t"), folder.name)
    assert rows(tables, "t") == before


def test_what_parquet_stores_is_stored_again(tables: Tables, compactions: Compactions, tmp_path: Path) -> None:
    """Nanoseconds of INT96, a column that the table does not have, and what the footer says of the clock."""
    table = create(tables, "t", "PARQUET", "id INT, ts TIMESTAMP, li ARRAY<INT>")
    for id_, zone in enumerate((None, None, "Asia/Tokyo")):
        content = {"id": pa.array([id_, -id_], pa.int32()), "ts": pa.array([NANOSECONDS, None], pa.timestamp("ns"))}
        content |= {"li": pa.array([[1, None], []], pa.list_(pa.int32())), "gone": pa.array([b"x", None], pa.binary())}
        found = pa.table(content).replace_schema_metadata({"writer.time.zone": zone} if zone else None)
        file = tmp_path / f"{id_}.parquet"
        pq.write_table(found, file, use_deprecated_int96_timestamps=True)
        place_files(tables, table, {"000000_0": file})
    before = rows(tables, "t")
    assert len({row[1] for row in before if row[1]}) == 2, "the zones count"
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert folder.files == ("000000_0", "000000_0_copy_1")
    keep_only(tables.location("t"), folder.name)
    assert rows(tables, "t") == before
    base = tables.location("t") / folder.name
    copied = [pq.read_table(base / name, coerce_int96_timestamp_unit="ns") for name in folder.files]
    for name, values in (("ts", [NANOSECONDS, None]), ("gone", [b"x", None]), ("li", [[1, None], []])):
        found = [one.column(name).cast(pa.int64()) if name == "ts" else one.column(name) for one in copied]
        assert [column.to_pylist() for column in found] == [values * 2, values]
    said = [pq.read_metadata(base / name).metadata[b"writer.time.zone"] for name in folder.files]
    assert said == [b"UTC", b"Asia/Tokyo"]


def test_nanoseconds_of_orc_stay(tables: Tables, compactions: Compactions, tmp_path: Path) -> None:
    table = create(tables, "t", "ORC", "id INT, ts TIMESTAMP")
    moments = pa.array([NANOSECONDS], pa.timestamp("ns"))
    orc.write_table(pa.table({"id": pa.array([1], pa.int32()), "ts": moments}), tmp_path / "one.orc")
    for _ in range(2):
        place_files(tables, table, {"000000_0": tmp_path / "one.orc"})
    (folder,) = compactions.run(table, MAJOR).result.folders
    found = orc.read_table(tables.location("t") / folder.name / "000000_0")
    assert found.column("ts").cast(pa.int64()).to_pylist() == [NANOSECONDS] * 2


@pytest.mark.beyond_the_gate("all into a base of one file, values of every type; `unit/compaction`, the Scala tests")
@pytest.mark.parametrize("form", FORMATS)
def test_a_table_without_rows_has_a_base_without_rows(tables: Tables, compactions: Compactions, form: str) -> None:
    table = create(tables, "t", form)
    tables.sql("INSERT OVERWRITE t SELECT 1, 'a' WHERE false")
    tables.sql("INSERT INTO t SELECT 1, 'a' WHERE false")
    aborted = tables.client.open_transaction("other", "host", "agent")
    place_files(tables, table, {}, txn_id=aborted)
    tables.client.abort(aborted)
    place_files(tables, table, {})
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert (folder.rows, folder.files) == (0, ("000000_0",))
    keep_only(tables.location("t"), folder.name)
    assert rows(tables, "t") == []
    tables.sql("INSERT INTO t VALUES (7, 'g')")
    assert rows(tables, "t") == [(7, "g")]


@pytest.mark.beyond_the_gate("the same tests on Parquet")
def test_files_within_folders_are_folded_too(tables: Tables, compactions: Compactions) -> None:
    """Hive's UNION ALL leaves them."""
    table = create(tables, "t", "ORC")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    (made,) = tables.location("t").glob("delta_*/*_0")
    place_files(tables, table, {"HIVE_UNION_SUBDIR_1/000000_0": made, "HIVE_UNION_SUBDIR_2/000000_0": made})
    for kind in (MINOR, MAJOR):
        (folder,) = compactions.run(table, kind).result.folders
        assert (folder.rows, folder.files) == (3, ("000000_0",))
        keep_only(tables.location("t"), folder.name)
        place_files(tables, table, {})
    assert rows(tables, "t") == [(1, "a")] * 3


@pytest.mark.beyond_the_gate("the same tests on Parquet")
def test_a_rebalance_of_hives_is_a_major_compaction(tables: Tables, compactions: Compactions) -> None:
    table = create(tables, "t", "ORC")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    tables.sql("INSERT INTO t VALUES (2, 'b')")
    assert compactions.run(table, REBALANCE).folders[0].startswith("base_0000002_v")
    assert rows(tables, "t") == [(1, "a"), (2, "b")]


def test_formats_that_are_not_written_are_left_to_hive(tables: Tables, compactions: Compactions) -> None:
    table = create(tables, "t", "TEXTFILE")
    with pytest.raises(AnalysisException, match=r"TEXTFILE.*runIn=queue leaves it to Hive") as caught:
        tables.sql("ALTER TABLE t COMPACT 'major'")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.FORMAT_NOT_COMPACTED"
    assert [info for info in tables.client.compactions() if info.table == table] == []


@pytest.mark.beyond_the_gate("the same tests on Parquet")
def test_properties_of_the_statement_count_for_parquet_files(tables: Tables) -> None:
    create(tables, "t", "PARQUET")
    for id_ in range(2):
        tables.sql(f"INSERT INTO t VALUES ({id_}, 'a')")
    tables.sql("ALTER TABLE t COMPACT 'major' WITH OVERWRITE TBLPROPERTIES ('tblprops.parquet.compression'='GZIP')")
    (made,) = tables.location("t").glob("base_*/*_0")
    assert pq.read_metadata(made).row_group(0).column(0).compression == "GZIP"
    assert rows(tables, "t") == [(0, "a"), (1, "a")]
