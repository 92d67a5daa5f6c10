"""LOAD DATA inserts the rows of files, which stay where they are."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from integration.conftest import Tables, refusal


def write_orc(path: Path, **columns: list[object]) -> Path:
    """A file of ORC; whole numbers are of type INT, as in Hive."""
    path.parent.mkdir(exist_ok=True)
    arrays = {name: pa.array(values) for name, values in columns.items()}
    orc.write_table(pa.table({n: a.cast(pa.int32()) if a.type == pa.int64() else a for n, a in arrays.items()}), path)
    return path


def test_rows_of_files_are_inserted_by_position_under_a_write_id_and_the_files_stay(
    tables: Tables, tmp_path: Path
) -> None:
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'one')")
    file = write_orc(tmp_path / "files/000000_0", _col0=[2, 3], _col1=["two", None])
    write_orc(tmp_path / "files/_hidden", _col0=[9], _col1=["hidden"])

    tables.sql(f"LOAD DATA LOCAL INPATH '{tmp_path}/files' INTO TABLE t")

    assert sorted(tables.sql("SELECT * FROM t")) == [(1, "one"), (2, "two"), (3, None)]
    written = [name for name in tables.files("t") if name.startswith("delta_0000002_0000002")]
    assert [orc.read_table(tables.location("t") / name).column("row").to_pylist() for name in written] == [
        [{"id": 2, "name": "two"}, {"id": 3, "name": None}]
    ]
    assert file.is_file()

    tables.sql(f"LOAD DATA INPATH '{file.as_uri()}' OVERWRITE INTO TABLE {tables.database}.t")
    assert sorted(tables.sql("SELECT * FROM t")) == [(2, "two"), (3, None)]
    assert file.is_file()


def test_files_are_loaded_into_a_partition_and_overwrite_it_alone(tables: Tables, tmp_path: Path) -> None:
    tables.create("p", "id INT", "PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO p VALUES (1, 'x'), (2, 'y')")
    file = write_orc(tmp_path / "files/000000_0", anything=[3])

    tables.sql(f"LOAD DATA LOCAL INPATH '{file}' OVERWRITE INTO TABLE p PARTITION (d = 'x')")

    assert sorted(tables.sql("SELECT * FROM p")) == [(2, "y"), (3, "x")]


def test_files_are_of_the_tables_format(tables: Tables, tmp_path: Path) -> None:
    tables.sql(
        "CREATE TABLE i (id INT) STORED AS PARQUET "
        "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    )
    pq.write_table(pa.table({"id": pa.array([1], pa.int32())}), tmp_path / "file")

    tables.sql(f"LOAD DATA LOCAL INPATH '{tmp_path}/file' INTO TABLE i")

    assert tables.sql("SELECT * FROM i") == [(1,)]


def test_other_files_change_nothing(tables: Tables, tmp_path: Path) -> None:
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'one')")
    before = tables.files("t")
    (tmp_path / "text").write_text("1,one")
    write_orc(tmp_path / "few/000000_0", id=[2])
    write_orc(tmp_path / "types/000000_0", id=["two"], name=["two"])
    write_orc(tmp_path / "mixed/000000_0", id=[2], name=["two"])
    write_orc(tmp_path / "mixed/000001_0", number=[3], word=["three"])

    def load(place: str) -> str:
        return refusal(tables, f"LOAD DATA LOCAL INPATH '{tmp_path}/{place}' OVERWRITE INTO TABLE t") or ""

    assert load("none") == "PATH_NOT_FOUND"
    assert load("text") == "", "Spark tells the file, in an error without a name"
    assert load("few") == "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
    assert load("mixed") == "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
    assert load("types") == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
    assert tables.files("t") == before
    assert tables.sql("SELECT * FROM t") == [(1, "one")]
