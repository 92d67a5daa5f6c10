"""Which bucketing a statement's new rows follow, and what is refused because its buckets cannot be told."""

from __future__ import annotations

import pytest

from hive_acid.config import BUCKETING_HIVE_TIME_ZONE, Settings
from hive_acid.errors import HiveAcidError, UnsupportedOperation
from hive_acid.model.table import Column, TableDescription
from hive_acid.model.table_identity import describe_analysed
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import Buckets
from hive_acid.writing.buckets import find_bucketing, find_unhashable
from support.bucket_values import EDGES, types_of
from support.statements import World, build_table

DEFAULTS = Settings({})
IN_BERLIN = Settings({BUCKETING_HIVE_TIME_ZONE.key: " Europe/Berlin "})
PLACING = (StatementKind.INSERT, StatementKind.OVERWRITE, StatementKind.MERGE, StatementKind.REPLACE)


def bucketed(**changes: object) -> TableDescription:
    columns = (Column("a", "int"), Column("b", "string"), Column("c", "binary"), Column("t", "timestamp"))
    values = {"bucket_columns": ("b", "a"), "bucket_count": 8, "columns": columns}
    return build_table(**(values | changes))


def with_version(version: str | None) -> dict[str, str]:
    return {"transactional": "true"} | ({"Bucketing_Version": version} if version else {})


@pytest.mark.parametrize(("version", "expected"), [(None, 1), ("1", 1), ("2", 2)])
def test_new_rows_go_by_the_columns_in_their_order_and_the_version_of_the_table(
    world: World, version: str | None, expected: int
) -> None:
    table = bucketed(parameters=with_version(version))
    for kind in PLACING:
        assert find_bucketing(table, world.statement(kind), DEFAULTS) == Buckets((1, 0), 8, expected)
    moving = world.statement(StatementKind.UPDATE, writes=RowWrites.MIXED)
    assert find_bucketing(table, moving, DEFAULTS) == Buckets((1, 0), 8, expected)
    assert find_bucketing(build_table(), world.statement(StatementKind.INSERT), DEFAULTS) is None


REFUSED = {
    "its bucketing_version is 3, neither 1 nor 2": {"parameters": with_version("3")},
    "it has 4097 buckets, and only 4096 are possible": {"bucket_count": 4097},
    "bucketing column t has type timestamp: .* time zone of the server": {"bucket_columns": ("a", "t")},
    "bucketing column c has type binary: .* left in a buffer": {
        "bucket_columns": ("c",),
        "parameters": with_version("2"),
    },
    "it is bucketed by x, which is not a column of its rows": {"bucket_columns": ("x",)},
    "it has buckets, but no bucketing column": {"bucket_columns": ()},
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_places_no_row_needs_no_hash_and_what_does_is_refused_with_the_reason(world: World, reason: str) -> None:
    table = bucketed(**REFUSED[reason])
    for kind in PLACING:
        with pytest.raises(UnsupportedOperation, match=reason):
            find_bucketing(table, world.statement(kind), DEFAULTS)
    for kind in (StatementKind.UPDATE, StatementKind.DELETE, StatementKind.TRUNCATE):
        assert find_bucketing(table, world.statement(kind), DEFAULTS) is None


@pytest.mark.parametrize("kind", list(StatementKind))
def test_sorted_tables_are_refused_whatever_is_written(world: World, kind: StatementKind) -> None:
    with pytest.raises(UnsupportedOperation, match="it is SORTED BY a, but rows are not written in that order"):
        find_bucketing(bucketed(sort_columns=("a",)), world.statement(kind), DEFAULTS)


@pytest.mark.parametrize("version", [1, 2])
def test_all_types_but_one_can_be_hashed_in_each_version(version: int) -> None:
    hashable = {type_ for type_ in EDGES if find_unhashable(Column("c", type_), version) is None}
    assert hashable == set(types_of(version))
    assert find_unhashable(Column("c", "struct<timestamp:int,binary:string>"), version) is None
    assert find_unhashable(Column("c", "array<struct<a:TIMESTAMP,b:BINARY>>"), version)
    assert find_unhashable(Column("c", "map<int,timestamp>"), version)


@pytest.mark.parametrize(
    ("column", "version", "zone"),
    [
        ("timestamp", "1", "Europe/Berlin"),
        ("array<struct<a:timestamp>>", "1", "Europe/Berlin"),
        ("map<int,timestamp>", "2", "Europe/Berlin"),
        ("timestamp", "2", ""),
        ("struct<timestamp:int>", "1", ""),
    ],
)
def test_the_zone_of_hives_servers_serves_the_hashes_that_depend_on_it(
    world: World, column: str, version: str, zone: str
) -> None:
    columns = (Column("a", "int"), Column("t", column))
    table = bucketed(columns=columns, bucket_columns=("t",), parameters=with_version(version))
    found = find_bucketing(table, world.statement(StatementKind.INSERT), IN_BERLIN)
    assert found == Buckets((1,), 8, int(version), zone)
    if zone:
        with pytest.raises(UnsupportedOperation, match=BUCKETING_HIVE_TIME_ZONE.key):
            find_bucketing(table, world.statement(StatementKind.INSERT), DEFAULTS)


def test_the_zone_does_not_help_with_binary(world: World) -> None:
    table = bucketed(bucket_columns=("t", "c"), parameters=with_version("2"))
    with pytest.raises(UnsupportedOperation, match="left in a buffer"):
        find_bucketing(table, world.statement(StatementKind.INSERT), IN_BERLIN)


def test_the_job_is_told_the_bucketing_and_one_file_of_a_bucket_for_a_statement_id(world: World) -> None:
    world.memory.add_table(build_table(bucket_columns=("id",), bucket_count=300))
    world.run(StatementKind.INSERT)
    (spec,) = world.engine.specs
    assert (spec.buckets.columns, spec.buckets.count, spec.buckets.version) == ((0,), 300, 1)
    assert (spec.spread.max_buckets, spec.spread.victim_buckets) == (1, 300)
    world.run(StatementKind.DELETE)
    spec = world.engine.specs[-1]
    assert (spec.buckets.columns, spec.buckets.count) == ((), 0)
    world.memory.add_table(
        build_table(bucket_columns=("id",), bucket_count=300, partition_columns=(Column("d", "int"),))
    )
    world.engine.partitions = ("d=1",)
    world.run(StatementKind.INSERT)
    assert world.engine.specs[-1].spread.victim_buckets == 0, "how many partitions there are is not known"


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.MERGE])
def test_new_versions_of_a_bucketed_tables_rows_stay_in_their_buckets(world: World, kind: StatementKind) -> None:
    for count in (0, 3):
        world.memory.add_table(build_table(bucket_columns=("id",)[:count], bucket_count=count))
        world.run(kind)
        assert world.engine.specs[-1].spread.keeps_buckets is (count > 0)


def test_only_buckets_that_trino_does_not_change_are_split_unasked(world: World) -> None:
    insert_only = {"transactional": "true", "transactional_properties": "insert_only"}
    for parameters, setting, splits in (
        ({"transactional": "true"}, {}, False),
        ({"transactional": "true"}, {"spark.hiveacid.insert.splitBuckets": "true"}, True),
        (insert_only, {}, True),
    ):
        table = build_table(
            bucket_columns=("id",), bucket_count=3, parameters=parameters, input_format="a.OrcInputFormat"
        )
        world.memory.add_table(table)
        world.run(StatementKind.INSERT, settings=setting)
        assert world.engine.specs[-1].spread.splits_buckets is splits


def test_files_of_insert_only_tables_carry_the_bucket_in_a_name_of_hives(world: World) -> None:
    parameters = {"transactional": "true", "transactional_properties": "insert_only"}
    world.memory.add_table(
        build_table(bucket_columns=("id",), bucket_count=3, parameters=parameters, input_format="a.OrcInputFormat")
    )
    world.run(StatementKind.INSERT)
    (spec,) = world.engine.specs
    assert (spec.layout.name, spec.layout.file_name, spec.spread.max_buckets) == ("orc", "%06d_0", 1)
    assert (spec.buckets.columns, spec.buckets.count, spec.spread.victim_buckets) == ((0,), 3, 3)


def test_a_statement_that_was_analysed_with_other_buckets_is_refused(world: World) -> None:
    world.memory.add_table(build_table(bucket_columns=("id",), bucket_count=2))
    with pytest.raises(
        HiveAcidError, match="it is clustered by id into 2 buckets, the statement was analysed with no columns"
    ) as caught:
        world.run(StatementKind.UPDATE, analysed=(describe_analysed(build_table()),))
    assert caught.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.BUCKETS"
