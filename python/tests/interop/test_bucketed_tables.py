"""Bucketed tables of real Hive and of Spark: rows of both lie in the same buckets, and Hive finds them there."""

from collections.abc import Iterator

import pytest

from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable
from interop.releases import cases_of_releases
from support.bucket_values import types_of
from support.hive_bucketing import bucket_of, hash_of
from support.session_process import SessionProcess

pytestmark = pytest.mark.interop

BUCKETS = 1021
"""A prime: hashes that differ are in different buckets, but for one in a thousand."""
# Hive 3.1.3 compacts insert-only tables by queries, which fail in the engine of these tests
COMPACTS_INSERT_ONLY = ["4.1.0"]
BOTH = pytest.mark.parametrize("version", [1, 2])
PARTITIONED_1 = (1, "PARTITIONED BY (d INT)")


@pytest.fixture(scope="module")
def spark(hive: HiveEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionProcess]:
    """A session on the engine's metastore. Its time zone is not Hive's, so that a shifted timestamp shows."""
    conf = {"spark.sql.session.timeZone": "Asia/Kolkata", "spark.sql.shuffle.partitions": "4"}
    with SessionProcess(tmp_path_factory.mktemp("spark"), hive.metastore_uri, hive.warehouse, conf) as session:
        yield session


def create(
    hive: HiveEngine,
    name: str,
    columns: str,
    by: str,
    buckets: int,
    version: int,
    more: str = "",
    insert_only_form: str = "",
) -> HiveTable:
    """A bucketed transactional table made by Hive, all of whose buckets one task of Hive writes."""
    hive.sql("SET hive.exec.reducers.max=1")
    kind = ", 'transactional_properties'='insert_only'" if insert_only_form else ""
    hive.sql(
        f"CREATE TABLE {name} ({columns}) {more} CLUSTERED BY ({by}) INTO {buckets} BUCKETS "
        f"STORED AS {insert_only_form or 'ORC'} "
        f"TBLPROPERTIES ('transactional'='true', 'bucketing_version'='{version}'{kind})"
    )
    return HiveTable(hive, name)


def buckets_by_id(table: HiveTable) -> dict[int, int]:
    """The bucket's number in ROW__ID of each row, as Hive reads it, by `id`."""
    return {id_: row_id.bucket >> 16 & 0xFFF for (id_,), row_id in table.row_ids("id").items()}


@BOTH
def test_hive_and_spark_put_every_edge_value_of_every_type_into_the_same_bucket(
    hive: HiveEngine, spark: SessionProcess, version: int
) -> None:
    """One table by all types: rows 0 to 9 are Spark's, 100 to 109 the same values in Hive's hands, the last are NULL.

    Hive copies Spark's rows, for it takes a literal -0.0 for 0.0.
    """
    edges = types_of(version)
    columns = ", ".join(f"c{i} {type_}" for i, type_ in enumerate(edges))
    by = ", ".join(f"c{i}" for i in range(len(edges)))
    name = f"edges_v{version}"
    table = create(hive, name, f"id INT, {columns}", by, BUCKETS, version)
    hive_function = "hash" if version == 1 else "murmur_hash"
    chosen = [[values[n % len(values)] for values in edges.values()] for n in range(10)]
    selects = [f"SELECT {n}, {', '.join(edge.sql for edge in row)}" for n, row in enumerate(chosen)]
    nothing = ", ".join("NULL" for _ in edges)
    spark.sql(f"INSERT INTO {name} {' UNION ALL '.join(selects)} UNION ALL SELECT 10, {nothing}")
    # of the stored values: literals may be of other types in Hive
    of_hive = hive.sql(f"SELECT id, {', '.join(f'{hive_function}(c{i})' for i in range(len(edges)))} FROM {name}").rows
    for n, *hashes in sorted(of_hive)[:-1]:
        assert hashes == [hash_of(e.value, t, version) for e, t in zip(chosen[n], edges, strict=True)]
    hive.sql(f"INSERT INTO {name} SELECT id + 100, {by} FROM {name}")
    found = buckets_by_id(table)
    for n, row in enumerate(chosen):
        expected_bucket = bucket_of([edge.value for edge in row], list(edges), version, BUCKETS)
        assert (found[n], found[100 + n]) == (expected_bucket, expected_bucket), f"row {n}"
    assert found[10] == found[110] == 0


@cases_of_releases(
    ("version", "partitioned_by"), [("3.1.3", "1-partitioned", PARTITIONED_1), ("4.1.0", "2-flat", (2, ""))]
)
def test_hive_finds_samples_changes_and_compacts_what_spark_put_into_buckets(
    hive: HiveEngine, spark: SessionProcess, version: int, partitioned_by: str
) -> None:
    name = f"of_spark_v{version}_{'parts' if partitioned_by else 'flat'}"
    columns = "id BIGINT, name STRING" + ("" if partitioned_by else ", d INT")
    table = create(hive, name, columns, "id", 4, version, partitioned_by)
    hive.sql("SET hive.exec.reducers.max=8")
    partitions = ("d=0", "d=1") if partitioned_by else (None,)

    def check(expected: list[tuple[int, str, int]]) -> None:
        """Both read the rows."""
        table.check_rows("id", expected)
        assert spark.sql(f"SELECT * FROM {name} ORDER BY id") == expected

    def check_found(expected: list[tuple[int, str, int]]) -> None:
        """Hive's samples of buckets are those of the hash, and its filters and joins find the rows."""
        check(expected)
        for bucket in range(4):
            sample = hive.sql(f"SELECT id FROM {name} TABLESAMPLE (BUCKET {bucket + 1} OUT OF 4 ON id) s").rows
            assert sorted(sample) == [
                (id_,) for id_, *_ in expected if bucket_of((id_,), ("bigint",), version, 4) == bucket
            ]
        hive.sql("SET hive.tez.bucket.pruning=true")
        for id_, text, _ in expected[:2]:
            assert hive.sql(f"SELECT name FROM {name} WHERE id = {id_} ORDER BY name").rows == [(text,)]
        joined = hive.sql(f"SELECT count(*) FROM {name} a JOIN {name} b ON a.id = b.id").rows
        assert joined == [(len(expected),)]

    spark.sql(f"INSERT INTO {name} SELECT id, 'new', int(id % 2) FROM range(20)")
    hive.sql(f"INSERT INTO {name} VALUES (100, 'hive', 0), (101, 'hive', 1)")
    everything = [(n, "new", n % 2) for n in range(20)] + [(100, "hive", 0), (101, "hive", 1)]
    check_found(everything)
    assert spark.sql(f"UPDATE {name} SET id = id + 1000 WHERE id IN (1, 2, 100)") == [(3,)]
    assert spark.sql(f"DELETE FROM {name} WHERE id BETWEEN 3 AND 6") == [(4,)]
    everything = sorted((n + 1000 if n in (1, 2, 100) else n, text, d) for n, text, d in everything if not 3 <= n <= 6)
    check(everything)
    hive.sql(f"UPDATE {name} SET name = concat(name, '!') WHERE id IN (1001, 7, 101)")
    hive.sql(f"DELETE FROM {name} WHERE id IN (1002, 8)")
    everything = [(n, text + "!" * (n in (1001, 7, 101)), d) for n, text, d in everything if n not in (1002, 8)]
    for partition in partitions:
        table.compact("minor", partition and partition.replace("=", "='") + "'")
    check_found(everything)
    for partition in partitions:
        table.compact("major", partition and partition.replace("=", "='") + "'")
    check(everything)
    source = "SELECT id, 'merged' AS name, int(id % 2) AS d FROM range(18, 23)"
    merge = f"MERGE INTO {name} t USING ({source}) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = t.id + 500, name = s.name WHEN NOT MATCHED THEN INSERT *"  # fmt: skip # noqa: E501
    assert spark.sql(merge) == [(5, 2, 0, 3)]
    everything = [(n + 500, "merged", d) if n in (18, 19) else (n, text, d) for n, text, d in everything]
    everything = sorted(everything + [(n, "merged", n % 2) for n in (20, 21, 22)])
    check_found(everything)
    spark.sql(f"INSERT OVERWRITE {name} SELECT id, 'last', int(id % 2) FROM range(50, 53)")
    check([(n, "last", n % 2) for n in range(50, 53)])
    hive.sql(f"UPDATE {name} SET name = 'hive' WHERE id = 51")
    for partition in partitions:
        table.compact("major", partition and partition.replace("=", "='") + "'")
    check([(n, "hive" if n == 51 else "last", n % 2) for n in range(50, 53)])


@cases_of_releases(
    ("form", "version", "partitioned_by"),
    [("3.1.3", "PARQUET-2-flat", ("PARQUET", 2, "")), ("4.1.0", "ORC-1-partitioned", ("ORC", *PARTITIONED_1))],
)
def test_rows_of_insert_only_tables_lie_in_files_of_their_bucket_whoever_wrote_them(
    hive: HiveEngine, spark: SessionProcess, form: str, version: int, partitioned_by: str
) -> None:
    """Hive prunes no files of such a table without Tez: where a row lies is asked by INPUT__FILE__NAME.

    A compaction of Hive 4.1.0 puts rows of version 1 where version 2 has them, its own ones too.
    """
    name = f"io_{form}_v{version}_{'parts' if partitioned_by else 'flat'}"
    columns = "id BIGINT, name STRING" + ("" if partitioned_by else ", d INT")
    table = create(hive, name, columns, "id", 4, version, partitioned_by, form)

    def bucket(id_: int, by: int = version) -> int:
        return bucket_of((id_,), ("bigint",), by, 4)

    def check(expected: list[tuple[int, str, int]], placed_by: int = version) -> None:
        table.check_rows("id", expected)
        assert spark.sql(f"SELECT * FROM {name} ORDER BY id") == expected
        for id_, path in hive.sql(f"SELECT id, INPUT__FILE__NAME FROM {name}").rows:
            assert path.endswith(f"/{bucket(id_, placed_by):06d}_0"), (id_, path)
        for n in range(4):
            sample = hive.sql(f"SELECT id FROM {name} TABLESAMPLE (BUCKET {n + 1} OUT OF 4 ON id) s").rows
            assert sorted(sample) == [(id_,) for id_, *_ in expected if bucket(id_) == n]
        joined = hive.sql(f"SELECT count(*) FROM {name} a JOIN {name} b ON a.id = b.id").rows
        assert joined == [(len(expected),)]

    spark.sql(f"INSERT INTO {name} SELECT id, 'spark', int(id % 2) FROM range(20)")
    hive.sql(f"INSERT INTO {name} VALUES (100, 'hive', 0), (101, 'hive', 1)")
    spark.sql(f"INSERT INTO {name} SELECT id, 'more', int(id % 2) FROM range(200, 209)")
    everything = [(n, "spark", n % 2) for n in range(20)] + [(100, "hive", 0), (101, "hive", 1)]
    everything += [(n, "more", n % 2) for n in range(200, 209)]
    check(everything)
    if hive.version in COMPACTS_INSERT_ONLY:
        for partition in ("d='0'", "d='1'") if partitioned_by else (None,):
            table.compact("major", partition)
        check(everything, placed_by=2)
        # where Hive has left it by version 2, it is replaced
        spark.sql(f"INSERT OVERWRITE {name} SELECT * FROM {name}")
        check(everything)
    spark.sql(f"INSERT OVERWRITE {name} SELECT id + 1000, 'next', 1 FROM {name} WHERE d = 1")
    kept = [row for row in everything if row[2] == 0] if partitioned_by else []
    check([*kept, *((n + 1000, "next", 1) for n, _, d in everything if d == 1)])
    hive.sql(f"INSERT OVERWRITE TABLE {name} {'PARTITION (d)' if partitioned_by else ''} VALUES (7, 'hive', 1)")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'one', 1)")
    check(sorted([*kept, (1, "one", 1), (7, "hive", 1)]))


def test_hive_3_puts_rows_of_a_vectorised_query_into_other_buckets_than_its_hash(hive: HiveEngine) -> None:
    """Several reducers share its rows by the hash of version 1, so that nobody may rely on buckets of such a table."""
    table = create(hive, "by_reducers", "id INT", "id", 4, 2)
    hive.sql("CREATE TABLE numbers (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    hive.sql("INSERT INTO numbers VALUES (1), (2), (3)")
    hive.sql("SET hive.exec.reducers.max=8")
    hive.sql("INSERT INTO by_reducers SELECT id FROM numbers")
    old, new = ({n: bucket_of((n,), ("int",), version, 4) for n in (1, 2, 3)} for version in (1, 2))
    assert old != new
    assert buckets_by_id(table) == (old if hive.version == "3.1.3" else new)


def test_hive_fills_a_table_that_spark_created_and_keeps_to_its_buckets(
    hive: HiveEngine, spark: SessionProcess
) -> None:
    spark.sql(
        "CREATE TABLE made_by_spark (id INT, name STRING) CLUSTERED BY (name) INTO 8 BUCKETS STORED AS ORC "
        "TBLPROPERTIES ('transactional'='true')"
    )
    table = HiveTable(hive, "made_by_spark")
    names = [f"ä{n}" for n in range(12)]
    table.insert(*(f"({n}, '{name}')" for n, name in enumerate(names)))
    spark.sql(f"INSERT INTO made_by_spark VALUES {', '.join(f'({n + 100}, {name!r})' for n, name in enumerate(names))}")
    found = buckets_by_id(table)
    for n, name in enumerate(names):
        assert found[n] == found[n + 100] == bucket_of((name,), ("string",), 2, 8)
