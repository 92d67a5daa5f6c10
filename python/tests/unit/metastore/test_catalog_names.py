"""Calls for another catalog of a metastore than `hive` name it wherever there is a place for it."""

from __future__ import annotations

from typing import Any

import pytest

from hive_acid.metastore.catalog_names import place, qualify
from hive_acid.metastore.generated import ThriftHiveMetastore, ttypes

WHERE = {"dbName": "db", "tblName": "t"}


@pytest.mark.parametrize(
    ("method", "request_", "places"),
    [
        ("get_table_req", ttypes.GetTableRequest(**WHERE), ["catName"]),
        ("get_database_req", ttypes.GetDatabaseRequest(name="db"), ["catalogName"]),
        ("create_database", ttypes.Database(name="db"), ["catalogName"]),
        ("get_not_null_constraints", ttypes.NotNullConstraintsRequest("hive", "db", "t"), ["catName"]),
        (
            "get_partitions_statistics_req",
            ttypes.PartitionsStatsRequest(**WHERE, colNames=[], partNames=[]),
            ["catName"],
        ),
        ("create_table_req", ttypes.CreateTableRequest(table=ttypes.Table(dbName="db")), ["table.catName"]),
        (
            "alter_table_req",
            ttypes.AlterTableRequest(dbName="db", tableName="t", table=ttypes.Table(catName="hive")),
            ["catName", "table.catName"],
        ),
        (
            "add_partitions_req",
            ttypes.AddPartitionsRequest(**WHERE, parts=[ttypes.Partition(), ttypes.Partition()], ifNotExists=True),
            ["catName", "parts.0.catName", "parts.1.catName"],
        ),
        (
            "update_table_column_statistics_req",
            ttypes.SetPartitionsStatsRequest(
                colStats=[ttypes.ColumnStatistics(statsDesc=ttypes.ColumnStatisticsDesc(True, "db", "t"), statsObj=[])]
            ),
            ["colStats.0.statsDesc.catName"],
        ),
        (
            "add_write_notification_log_in_batch",
            ttypes.WriteNotificationLogBatchRequest(catalog="hive", db="db", table="t", requestList=[]),
            ["catalog"],
        ),
    ],
)
def test_structures_name_it_wherever_they_have_a_field(method: str, request_: Any, places: list[str]) -> None:
    (sent,) = place("other", method, (request_,))
    assert [found(sent, where) for where in places] == ["other"] * len(places)


def found(value: Any, where: str) -> Any:
    for name in where.split("."):
        value = value[int(name)] if name.isdigit() else getattr(value, name)
    return value


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("get_databases", ("",)),
        ("get_all_tables", ("db",)),
        ("get_partition_names", ("db", "t", -1)),
        ("get_partitions_by_names", ("db", "t", ["d=1"])),
        ("drop_table_with_environment_context", ("db", "t", True, None)),
        ("drop_database", ("db", True, False)),
    ],
)
def test_names_of_databases_carry_it(method: str, arguments: tuple[Any, ...]) -> None:
    assert place("other", method, arguments) == (f"@other#{arguments[0]}", *arguments[1:])
    assert hasattr(ThriftHiveMetastore.Client, method)


@pytest.mark.parametrize(
    ("method", "request_"),
    [
        ("lock", ttypes.LockRequest(component=[ttypes.LockComponent(dbname="db", tablename="t")])),
        ("allocate_table_write_ids", ttypes.AllocateTableWriteIdsRequest(dbName="db", tableName="t", txnIds=[1])),
        ("get_valid_write_ids", ttypes.GetValidWriteIdsRequest(fullTableNames=["db.t"])),
        ("add_dynamic_partitions", ttypes.AddDynamicPartitions(1, 1, "db", "t", ["d=1"])),
    ],
)
def test_transactions_know_no_catalog(method: str, request_: Any) -> None:
    before = repr(request_)
    (sent,) = place("other", method, (request_,))
    assert repr(sent) == before


def test_a_database_is_named_as_hives_client_does() -> None:
    assert qualify("lake", "sales") == "@lake#sales"
