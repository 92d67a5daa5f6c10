"""A damaged table of real files is mended by `hive-acid doctor --set-aside`, and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid import config
from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid_ops.doctor.findings import Doctor
from hive_acid_ops.history.reader import load_history
from hive_acid_ops.set_aside.setting_aside import SettingAside
from integration.conftest import Tables

INSERTED = [(1, "one", 0), (2, "two", 0), (3, "three", 1)]


def setting_aside(spark: SparkSession) -> SettingAside:
    side = attach(spark)
    return SettingAside(side.warehouse, side.notes, config.Settings({}))


def empty(path: Path) -> None:
    """As Trino leaves the delete files of a statement that fails and is committed all the same."""
    path.write_bytes(b"")
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def find_others(spark: SparkSession, name: TableName) -> list[str]:
    """What the doctor finds in the table; the metastore may have old transactions of other tests."""
    side = attach(spark)
    return [str(each) for each in Doctor(side.metastore, side.file_system, lambda: 0).examine(name) if each.table]


def test_a_table_that_every_statement_refuses_is_mended_and_goes_on(tables: Tables) -> None:
    name = tables.create("t", more="PARTITIONED BY (p INT)")
    tables.sql("INSERT INTO t VALUES (1, 'one', 0), (2, 'two', 0), (3, 'three', 1)")
    tables.sql("UPDATE t SET name = 'new' WHERE id < 9")
    for path in tables.location("t").glob("p=0/delete_delta_*/bucket_00000"):
        empty(path)
    with pytest.raises(PySparkException, match=f"hive-acid doctor {name} --set-aside` takes back"):
        tables.sql("SELECT * FROM t")
    assert any(f"hive-acid doctor {name} --set-aside 2" in each for each in find_others(tables.spark, name))

    lost = setting_aside(tables.spark).foresee(name, 2)
    assert [(folder.is_of_deletes, folder.rows) for folder in lost.folders] == [
        (False, 2), (False, 1), (True, None), (True, 1),
    ]  # fmt: skip
    assert [entry.operation for entry in lost.written_by] == ["UPDATE"]
    assert setting_aside(tables.spark).run(name, 2).is_done

    rows = "SELECT id, name, p FROM t ORDER BY id"
    assert tables.sql(rows) == INSERTED
    assert find_others(tables.spark, name) == []
    told = load_history(attach(tables.spark).metastore, attach(tables.spark).file_system, name)
    assert [entry.operation for entry in told] == ["SET ASIDE", "INSERT"]

    tables.sql("UPDATE t SET name = 'newer' WHERE id = 2")
    for partition in (0, 1):
        tables.sql(f"ALTER TABLE t PARTITION (p = {partition}) COMPACT 'major' AND WAIT")
    assert tables.sql(rows) == [(1, "one", 0), (2, "newer", 0), (3, "three", 1)]
    assert [p.name for p in sorted(tables.location("t").glob("p=0/_hive_acid_set_aside/*"))] == [
        "delete_delta_0000002_0000002_0000",
        "delta_0000002_0000002_0001",
    ]


@pytest.mark.beyond_the_gate("the other codecs", but=["ZLIB"])
@pytest.mark.parametrize("codec", ["ZLIB", "SNAPPY", "NONE", "ZSTD", "LZ4"])
def test_rows_that_were_changed_again_are_found_in_files_of_each_codec(tables: Tables, codec: str) -> None:
    name = TableName(tables.database, "t")
    properties = f"'transactional'='true', 'orc.compress'='{codec}'"
    tables.sql(f"CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ({properties})")
    tables.sql("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    tables.sql("UPDATE t SET name = 'new' WHERE id < 3")
    tables.sql("UPDATE t SET name = 'newer' WHERE id > 1")
    with pytest.raises(HiveAcidError, match="delete_delta_0000003_0000003_0000/bucket_00000 deletes 1 of its rows"):
        setting_aside(tables.spark).foresee(name, 2)
    with pytest.raises(HiveAcidError, match="deletes 1 of its rows"):
        setting_aside(tables.spark).run(name, 2)
    assert tables.sql("SELECT * FROM t ORDER BY id") == [(1, "new"), (2, "newer"), (3, "newer")]
