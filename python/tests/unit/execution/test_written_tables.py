"""A table that cannot be written right is refused at once; other tables get files that Hive of their line reads."""

from __future__ import annotations

import pytest

from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import VERSION_FILE
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World, build_table

INSERT_ONLY = {"transactional": "true", "transactional_properties": "insert_only"}


@pytest.mark.parametrize(
    ("line", "settings", "buckets"),
    [
        (MetastoreLine.HIVE_3, {}, 1),
        (MetastoreLine.HIVE_4, {}, 4096),
        (MetastoreLine.HIVE_3, {"spark.hiveacid.insert.buckets": "8"}, 8),
    ],
)
def test_an_insert_makes_files_of_one_bucket_where_hive_3_1_compacts(
    line: MetastoreLine, settings: dict[str, str], buckets: int
) -> None:
    world = World(line, settings)
    world.run(StatementKind.INSERT)
    assert world.engine.specs[-1].spread.max_buckets == buckets


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"partition_columns": (Column("at", "binary"),)}, "partition column at has type binary"),
        ({"partition_columns": (Column("_k", "int"),)}, "hidden from Hive"),
        ({"bucket_count": 4, "bucket_columns": ("id",), "sort_columns": ("id",)}, "SORTED BY id"),
        ({"parameters": {}}, "not transactional"),
        ({"has_skew_folders": True}, "STORED AS DIRECTORIES"),
        ({"parameters": INSERT_ONLY, "input_format": "a.TextInputFormat"}, "TEXTFILE, and only ORC and PARQUET"),
        ({"parameters": INSERT_ONLY, "input_format": "a.MyFormat"}, "MyFormat"),
        ({"location": "wasb://bucket/t"}, "not atomic on wasb"),
        ({"location": "/warehouse/_hidden/t"}, "begins with _ or"),
    ],
)
def test_what_cannot_be_written_right_is_refused_before_a_transaction_is_opened(
    world: World, changes: dict[str, object], reason: str
) -> None:
    world.memory.add_table(build_table(**changes))
    with pytest.raises(UnsupportedOperation, match=reason):
        world.run(StatementKind.INSERT)
    assert "open_transaction" not in world.metastore.calls


def test_nothing_is_written_where_a_partition_has_another_name_than_its_values(world: World) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "int"),)))
    world.memory.add_partition(TABLE, Partition("d=01", ("01",), f"{LOCATION}/d=01", {}))
    world.engine.misspelled = ("d=01", "d=1")
    world.engine.partitions = ("d=1",)
    with pytest.raises(UnsupportedOperation, match="d=01 stands for the values of d=1"):
        world.run(StatementKind.INSERT)
    assert world.engine.specs == []
    assert world.open_transactions() == []


def test_texts_have_one_spelling_so_names_of_partitions_are_not_looked_at(world: World) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "varchar(5)"), Column("e", "string"))))
    world.engine.partitions = ("d=a/e=b",)
    world.run(StatementKind.INSERT)
    assert "partition_names" not in world.metastore.calls


@pytest.mark.parametrize(
    "kind", [StatementKind.UPDATE, StatementKind.DELETE, StatementKind.MERGE, StatementKind.REPLACE]
)
def test_rows_of_insert_only_tables_are_not_changed_one_by_one(world: World, kind: StatementKind) -> None:
    world.memory.add_table(build_table(parameters=INSERT_ONLY, input_format="a.OrcInputFormat"))
    with pytest.raises(UnsupportedOperation, match="rows have no IDs"):
        world.run(kind)
    assert "open_transaction" not in world.metastore.calls


@pytest.mark.parametrize(
    ("wanted", "on_hive_3", "on_hive_4"),
    [
        ("SNAPPY", "SNAPPY", "SNAPPY"),
        ("none", "NONE", "NONE"),
        ("zstd", "ZLIB", "ZSTD"),
        ("LZ4", "ZLIB", "LZ4"),
        ("LZO", "ZLIB", "ZSTD"),
        ("zlib", "ZLIB", "ZLIB"),
    ],
)
def test_the_compression_is_the_tables_if_hive_of_the_line_reads_it(
    world: World, wanted: str, on_hive_3: str, on_hive_4: str
) -> None:
    world.memory.add_table(build_table(parameters={"transactional": "true", "orc.compress": wanted}))
    world.run(StatementKind.INSERT)
    expected = on_hive_3 if world.line is MetastoreLine.HIVE_3 else on_hive_4
    assert world.engine.specs[-1].layout.compression == expected


@pytest.mark.parametrize(
    ("input_format", "layout", "compression"),
    [("a.OrcInputFormat", "orc", ""), ("a.b.MapredParquetInputFormat", "parquet", "SNAPPY")],
)
def test_files_of_insert_only_tables_are_plain_ones_under_hives_names(
    world: World, input_format: str, layout: str, compression: str
) -> None:
    compression = compression or ("ZLIB" if world.line is MetastoreLine.HIVE_3 else "ZSTD")
    world.memory.add_table(build_table(parameters=INSERT_ONLY, input_format=input_format))
    world.run(StatementKind.INSERT)
    spec = world.engine.specs[-1]
    assert (spec.layout.name, spec.layout.file_name % 3, spec.layout.compression) == (layout, "000003_0", compression)
    assert spec.spread.max_buckets == 4096
    assert not any(VERSION_FILE in path for path in world.file_system.files)
