from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.table_files import dump_rows, list_files, local_folder

ROW = pa.struct([("id", pa.int32()), ("qty", pa.decimal128(4, 2)), ("raw", pa.binary())])


def write_bucket(path: Path, rows: list[tuple[int, int, int, int, int, dict[str, object] | None]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = ["operation", "originalTransaction", "bucket", "rowId", "currentTransaction", "row"]
    types = [pa.int32(), pa.int64(), pa.int32(), pa.int64(), pa.int64(), ROW]
    columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(types)]
    orc.write_table(pa.table(dict(zip(names, columns, strict=True))), path)


def test_files_are_listed_by_relative_path_without_checksums(tmp_path: Path) -> None:
    for name in (
        "delta_0000001_0000001_0000/bucket_00000",
        "delta_0000001_0000001_0000/_orc_acid_version",
        "k=a/000000_0",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "delta_0000001_0000001_0000/.bucket_00000.crc").touch()
    assert list_files(tmp_path, "db").split("\n") == [
        "delta_0000001_0000001_0000/_orc_acid_version",
        "delta_0000001_0000001_0000/bucket_00000",
        "k=a/000000_0",
    ]


def test_what_a_failed_statement_left_behind_is_listed(tmp_path: Path) -> None:
    (tmp_path / ".hive-acid-staging-17-0a1b2c3d").mkdir()
    (tmp_path / "delta_0000001_0000001_0000").mkdir()
    assert list_files(tmp_path, "db") == ".hive-acid-staging-{txn}/\ndelta_0000001_0000001_0000/"


def test_an_empty_table_lists_nothing(tmp_path: Path) -> None:
    assert list_files(tmp_path, "db") == ""
    assert dump_rows(tmp_path, "db") == ""


def test_rows_are_dumped_with_their_acid_columns_file_by_file(tmp_path: Path) -> None:
    write_bucket(
        tmp_path / "delta_0000001_0000001_0000/bucket_00000",
        [(0, 1, 536870912, 0, 1, {"id": 7, "qty": Decimal("0.00"), "raw": b"\x00\xff"})],
    )
    write_bucket(tmp_path / "delete_delta_0000002_0000002_0000/bucket_00000", [(2, 1, 536870912, 0, 2, None)])
    (tmp_path / "delta_0000001_0000001_0000/_orc_acid_version").write_text("2")
    assert dump_rows(tmp_path, "db").split("\n") == [
        "delete_delta_0000002_0000002_0000/bucket_00000",
        "operation\toriginalTransaction\tbucket\trowId\tcurrentTransaction\trow",
        "2\t1\t536870912\t0\t2\tnull",
        "delta_0000001_0000001_0000/bucket_00000",
        "operation\toriginalTransaction\tbucket\trowId\tcurrentTransaction\trow",
        '0\t1\t536870912\t0\t1\t{"id": 7, "qty": "0.00", "raw": "00ff"}',
    ]


def test_rows_that_arrow_has_no_place_for_are_a_named_error(tmp_path: Path) -> None:
    early = pa.array([datetime(1600, 1, 1)], pa.timestamp("us"))
    orc.write_table(pa.table({"at": early}), tmp_path / "bucket_00000")
    with pytest.raises(SuiteError, match="cannot show bucket_00000"):
        dump_rows(tmp_path, "db")


def test_only_local_locations_are_read() -> None:
    assert local_folder("file:/w/a%20b") == Path("/w/a b")
    assert local_folder("file:///w/t") == Path("/w/t")
    assert local_folder("/w/a%20b") == Path("/w/a%20b")
    with pytest.raises(SuiteError, match="local files only"):
        local_folder("hdfs://host/w/t")
