"""A plan is bound to the table it was made for, not to what has the same name when it runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.model.table_identity import describe_analysed, find_change, normal_location, normal_type
from hive_acid.reading.changed_tables import refuse_changed

A, B, D, E = (Column(name, "int") for name in "abde")
TABLE = TableDescription(
    name=TableName("db", "t"),
    location="file:/warehouse/t",
    columns=(A, B),
    partition_columns=(D, E),
    bucket_columns=("a",),
    bucket_count=4,
    input_format="org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
    parameters={"transactional": "true"},
    created_s=1_700_000_000,
)


def test_the_same_table_is_the_same_whatever_else_was_altered() -> None:
    altered = replace(TABLE, parameters={"transactional": "TRUE", "comment": "x", "numRows": "7"})
    assert find_change(describe_analysed(TABLE), altered) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"created_s": 1_700_000_009}, "it was dropped and created again"),
        ({"columns": (B, A)}, "its columns are b int, a int, d int, e int, the statement was analysed with a int, b"),
        ({"columns": (A, Column("b", "string"))}, "b string"),
        ({"columns": (A, B, Column("c", "int"))}, "c int"),
        ({"columns": (A,)}, "its columns are a int, d int"),
        ({"partition_columns": (E, D)}, "its columns are a int, b int, e int, d int"),
        ({"columns": (A, B, D), "partition_columns": (E,)}, "it is partitioned by e"),
        ({"partition_columns": (D,)}, "its columns are a int, b int, d int"),
        ({"bucket_columns": ("b",)}, "it is clustered by b into 4 buckets"),
        ({"bucket_count": 8}, "it is clustered by a into 8 buckets"),
        ({"bucket_columns": (), "bucket_count": 0}, "it is clustered by no columns"),
        ({"parameters": {}}, "it is plain and was full acid"),
        (
            {"parameters": {"transactional": "true", "transactional_properties": "insert_only"}},
            "it is insert only and was full acid",
        ),
        ({"input_format": "x.TextInputFormat"}, "its files are read by x.TextInputFormat"),
        ({"location": "file:/elsewhere"}, "it lies in file:/elsewhere"),
    ],
)
def test_another_table_of_the_name_is_told(changes: dict[str, object], reason: str) -> None:
    found = find_change(describe_analysed(TABLE), replace(TABLE, **changes))  # type: ignore[arg-type]
    assert found is not None
    assert reason in str(found)


def test_columns_that_a_serde_makes_are_not_compared() -> None:
    avro = replace(describe_analysed(TABLE), columns=None)
    assert find_change(avro, replace(TABLE, columns=(B,))) is None
    assert find_change(avro, replace(TABLE, partition_columns=(E, D))) is not None


def test_what_is_not_known_is_not_compared() -> None:
    vague = replace(describe_analysed(TABLE), created_s=0, location="", input_format="")
    assert find_change(vague, TABLE) is None
    assert find_change(describe_analysed(TABLE), replace(TABLE, created_s=0)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:/a/b", "file:///a/b/"),
        ("file:/a b", "file:///a%20b"),
        ("hdfs://nn:8020/a", "hdfs://nn:8020/a/"),
        ("/a", "/a/"),
    ],
)
def test_one_folder_has_one_spelling(one: str, other: str) -> None:
    assert normal_location(one) == normal_location(other)


@pytest.mark.parametrize(
    ("one", "other"), [("hdfs://nn/a", "hdfs://other/a"), ("file:/a", "file:/b"), ("/a", "s3a:/a")]
)
def test_other_folders_have_others(one: str, other: str) -> None:
    assert normal_location(one) != normal_location(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("INT", "int"),
        ("integer", "int"),
        ("decimal", "decimal(10,0)"),
        ("decimal(5, 2)", "decimal(5,2)"),
        ("numeric(5,2)", "decimal(5,2)"),
        ("dec", "decimal(10,0)"),
        ("struct<`A`:int, b:array<string>>", "struct<a:int,b:array<string>>"),
        ("string collate unicode_ci", "string"),
    ],
)
def test_one_type_has_one_spelling(one: str, other: str) -> None:
    assert normal_type(one) == normal_type(other)


@pytest.mark.parametrize(
    ("one", "other"), [("int", "bigint"), ("varchar(5)", "varchar(6)"), ("struct<dec:int>", "struct<decimal:int>")]
)
def test_other_types_have_others(one: str, other: str) -> None:
    assert normal_type(one) != normal_type(other)


@given(st.permutations([A, B, Column("c", "string"), Column("f", "double")]))
def test_any_other_order_of_columns_is_told(columns: list[Column]) -> None:
    table = replace(TABLE, columns=(A, B, Column("c", "string"), Column("f", "double")))
    is_same = tuple(columns) == table.columns
    assert (find_change(describe_analysed(table), replace(table, columns=tuple(columns))) is None) is is_same


@pytest.mark.parametrize(
    ("input_format", "is_partition", "is_told"),
    [("io.orc.OrcInputFormat", False, False), ("io.orc.OrcInputFormat", True, True), ("TextInputFormat", False, True)],
)
@pytest.mark.parametrize(
    ("of_hive", "of_spark"),
    [
        ("timestamp with local time zone", "timestamp"),
        ("struct<a:TIMESTAMP WITH LOCAL TIME ZONE,b:int>", "struct<a:timestamp,b:int>"),
    ],
)
def test_a_zoned_timestamp_is_a_timestamp_to_spark_and_only_files_of_orc_refuse_it(
    input_format: str, is_partition: bool, is_told: bool, of_hive: str, of_spark: str
) -> None:
    place = "partition_columns" if is_partition else "columns"
    table = replace(TABLE, input_format=input_format, bucket_columns=(), bucket_count=0)
    stored, seen = (replace(table, **{place: (Column("z", text),)}) for text in (of_hive, of_spark))  # type: ignore[arg-type]
    assert (find_change(describe_analysed(seen), stored) is not None) == is_told
    assert find_change(describe_analysed(stored), stored) is None
    assert find_change(describe_analysed(seen), replace(stored, **{place: (Column("z", "date"),)})) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "input_format", "condition"),
    [
        ("columns", "TextInputFormat", "HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE"),
        ("partition_columns", "io.orc.OrcInputFormat", "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_COLUMN_TYPE"),
    ],
)
def test_a_zoned_timestamp_that_would_be_read_as_something_else_is_refused_by_its_type(
    place: str, input_format: str, condition: str
) -> None:
    table = replace(TABLE, input_format=input_format, bucket_columns=(), bucket_count=0)
    stored, seen, other = (
        replace(table, **{place: (Column("z", text),)})  # type: ignore[arg-type]
        for text in ("timestamp with local time zone", "timestamp", "date")
    )
    with pytest.raises(HiveAcidError, match="column z has type timestamp with local time zone") as refused:
        refuse_changed(describe_analysed(seen), stored)
    assert refused.value.getCondition() == condition
    with pytest.raises(HiveAcidError) as refused:
        refuse_changed(describe_analysed(other), stored)
    assert refused.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.COLUMNS"
