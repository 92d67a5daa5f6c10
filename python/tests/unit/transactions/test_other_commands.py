"""Which commands may run within a transaction of several statements that they are no part of."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hive_acid import config
from hive_acid.errors import HiveAcidError
from hive_acid.transactions.other_commands import _OF_SESSION, refuse_other

LISTS = sorted((Path(__file__).parents[4] / "jvm-shim" / "lines").glob("spark-*/commands.tsv"))
DEFAULTS = config.Settings({})


@pytest.mark.parametrize(
    ("node", "operation"),
    [
        ("InsertIntoHadoopFsRelationCommand", "INSERT"),
        ("InsertIntoHiveTable", "INSERT"),
        ("SaveIntoDataSourceCommand", "SAVE"),
        ("AppendData", "APPEND DATA"),
        ("CreateTableCommand", "CREATE TABLE"),
        ("CreateDataSourceTableAsSelectCommand", "CREATE TABLE AS SELECT"),
        ("DropTableCommand", "DROP TABLE"),
        ("AnalyzeTableCommand", "ANALYZE TABLE"),
        ("CreateViewCommand", "CREATE VIEW"),
        ("VacuumTableCommand", "VACUUM TABLE"),
    ],
)
def test_what_others_would_see_is_refused_unless_the_setting_admits_it(node: str, operation: str) -> None:
    with pytest.raises(HiveAcidError) as caught:
        refuse_other(node, 7, DEFAULTS, is_temporary=False)
    assert caught.value.getCondition() == "HIVE_ACID_NOT_IN_TRANSACTION"
    assert caught.value.getMessageParameters() == {
        "operation": operation,
        "txnId": "7",
        "setting": "spark.hiveacid.transaction.admitOthers",
    }
    admitting = config.Settings({config.TRANSACTION_ADMITS_OTHERS.key: "true"})
    refuse_other(node, 7, admitting, is_temporary=False)


@pytest.mark.parametrize("node", ["SetCommand", "ShowTablesCommand", "ExplainCommand", "CacheTable", "DescribeColumn"])
def test_looks_and_changes_of_the_session_are_admitted(node: str) -> None:
    refuse_other(node, 7, DEFAULTS, is_temporary=False)


def test_what_is_temporary_is_of_the_session() -> None:
    refuse_other("CreateViewCommand", 7, DEFAULTS, is_temporary=True)


def test_the_admitted_commands_are_those_of_a_line_of_spark() -> None:
    names = {
        row["class"].split(".")[-1].rstrip("$") for path in LISTS for row in csv.DictReader(path.open(), delimiter="\t")
    }
    assert sorted(_OF_SESSION - names) == []
