"""Of the properties of one compaction those count that mean something for the files; a session refuses the others."""

from __future__ import annotations

import pytest

from hive_acid.compaction.plan.overrides import FileOverrides, read_overrides, refuse_unapplied
from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableDescription
from support.statements import build_table

ACID = build_table(parameters={"transactional": "true", "orc.compress": "SNAPPY"})
INSERT_ONLY = {"transactional": "true", "transactional_properties": "insert_only"}
PARQUET = build_table(parameters=INSERT_ONLY, input_format="a.MapredParquetInputFormat")
FLAT_ORC = build_table(parameters=INSERT_ONLY, input_format="a.OrcInputFormat")
LINE = MetastoreLine.HIVE_3
SIZES = (("orc.stripe.size", "1048576"), ("orc.compress.size", "8192"), ("orc.row.index.stride", "5000"))


@pytest.mark.parametrize("table", [ACID, FLAT_ORC])
def test_those_of_orc_are_applied(table: TableDescription) -> None:
    properties = {f"tblprops.{key}": value for key, value in SIZES} | {"tblprops.orc.compress": "none"}
    assert read_overrides(table, properties, LINE) == FileOverrides("NONE", SIZES)
    refuse_unapplied(table, properties, LINE)


def test_parquet_has_a_compression() -> None:
    properties = {"tblprops.parquet.compression": "gzip"}
    assert read_overrides(PARQUET, properties, LINE) == FileOverrides("GZIP")
    refuse_unapplied(PARQUET, properties, LINE)


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        (ACID, "tblprops.orc.compress", "zstd"),
        (FLAT_ORC, "tblprops.orc.compress", "LZ4"),
        (PARQUET, "tblprops.parquet.compression", "ZSTD"),
    ],
)
def test_hive_4_reads_more_compressions_than_hive_3(table: TableDescription, key: str, value: str) -> None:
    assert read_overrides(table, {key: value}, MetastoreLine.HIVE_4) == FileOverrides(value.upper())
    refuse_unapplied(table, {key: value}, MetastoreLine.HIVE_4)
    assert read_overrides(table, {key: value}, MetastoreLine.HIVE_3) == FileOverrides()


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        (ACID, "orc.compress", "NONE"),
        (ACID, "tblprops.compactorthreshold.hive.compactor.delta.num.threshold", "4"),
        (ACID, "tblprops.orc.bloom.filter.columns", "id"),
        (ACID, "tblprops.orc.compress", "ZSTD"),
        (ACID, "tblprops.parquet.compression", "GZIP"),
        (ACID, "compactor.mapreduce.map.memory.mb", "1024"),
        (PARQUET, "tblprops.orc.compress", "ZLIB"),
        (PARQUET, "tblprops.orc.stripe.size", "1048576"),
    ],
)
def test_what_would_be_ignored_is_refused_by_name_in_a_session(table: TableDescription, key: str, value: str) -> None:
    assert read_overrides(table, {key: value}, LINE) == FileOverrides()
    with pytest.raises(UnsupportedOperation, match=f"{key} = '{value}' is not supported"):
        refuse_unapplied(table, {key: value}, LINE)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("orc.stripe.size", "64MB"),
        ("orc.stripe.size", ""),
        ("orc.stripe.size", "²"),
        ("orc.compress.size", "8388608"),
        ("orc.row.index.stride", "0"),
    ],
)
def test_what_is_no_number_that_orc_takes_is_refused(key: str, value: str) -> None:
    for run in (read_overrides, refuse_unapplied):
        with pytest.raises(UnsupportedOperation, match=f"tblprops.{key} is '{value}', not a number from"):
            run(ACID, {f"tblprops.{key}": value}, LINE)
