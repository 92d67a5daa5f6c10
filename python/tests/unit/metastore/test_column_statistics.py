"""The least and greatest values of columns, as the metastore keeps them."""

from __future__ import annotations

from typing import Any

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.statistics.extremes import find_extremes
from hive_acid.model.table import TableName
from support.fake_metastore_server import FakeMetastoreServer, unknown

SALES = TableName("shop", "sales")


def column(name: str, **data: Any) -> Any:
    return ttypes.ColumnStatisticsObj(name, "some", ttypes.ColumnStatisticsData(**data))


VALUES = [
    (column("a", longStats=ttypes.LongColumnStatsData(-7, 12)), ("-7", "12")),
    (column("a", longStats=ttypes.LongColumnStatsData(7, 7)), ("7",)),
    (column("a", longStats=ttypes.LongColumnStatsData(None, 12)), ("12",)),
    (column("a", doubleStats=ttypes.DoubleColumnStatsData(0.5, 2.0)), ("0.5", "2.0")),
    (column("a", dateStats=ttypes.DateColumnStatsData(ttypes.Date(0), ttypes.Date(-1))), ("1970-01-01", "1969-12-31")),
    (
        column("a", dateStats=ttypes.DateColumnStatsData(ttypes.Date(10**9), ttypes.Date(1))),
        ("a value that is not known", "1970-01-02"),
    ),
    (
        column("a", timestampStats=ttypes.TimestampColumnStatsData(ttypes.Timestamp(61), None)),
        ("1970-01-01 00:01:01",),
    ),
    (
        column(
            "a",
            decimalStats=ttypes.DecimalColumnStatsData(
                ttypes.Decimal((-1234).to_bytes(2, "big", signed=True), 2), ttypes.Decimal(b"\x05", 0)
            ),
        ),
        ("-12.34", "5"),
    ),
    (ttypes.ColumnStatisticsObj("a", "string", ttypes.ColumnStatisticsData()), ()),
    (ttypes.ColumnStatisticsObj("a", "string"), ()),
]


@pytest.mark.parametrize(("statistics", "texts"), VALUES)
def test_values_are_spelled_as_sql_does(statistics: Any, texts: tuple[str, ...]) -> None:
    assert find_extremes(statistics) == texts


@pytest.mark.parametrize("is_hive_3", [True, False])
def test_tables_and_partitions_are_asked_for_all_engines(server: FakeMetastoreServer, is_hive_3: bool) -> None:
    table = ttypes.Table(
        dbName="shop",
        tableName="sales",
        sd=ttypes.StorageDescriptor(location="/w", cols=[ttypes.FieldSchema("a", "int", None)]),
        partitionKeys=[],
        parameters={},
    )
    seven, nine = ttypes.LongColumnStatsData(7, 7), ttypes.LongColumnStatsData(9, 9)
    server.answers["get_table_req"] = [lambda *_: ttypes.GetTableResult(table)]
    server.answers["get_table_statistics_req"] = [lambda *_: ttypes.TableStatsResult([column("a", longStats=seven)])]
    server.answers["get_partitions_statistics_req"] = [
        lambda *_: ttypes.PartitionsStatsResult({"day=1": [column("a", longStats=nine)]})
    ]
    if is_hive_3:
        server.answers["get_latest_txnid_in_conflict"] = [unknown]
    metastore = ThriftMetastore(server.uri)
    found = metastore.column_extremes(SALES, ["day=1"])
    assert {place: set(values) for place, values in found.items()} == {("", "a"): {"7"}, ("day=1", "a"): {"9"}}
