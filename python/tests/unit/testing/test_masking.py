from __future__ import annotations

import json

import pytest

from hive_acid_sqltest.failures import QueryContext, StatementFailed
from hive_acid_sqltest.masking import mask_answer, mask_path, mask_row, mask_text

DATABASE = "sqltest_x_1234abcd"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"`spark_catalog`.`{DATABASE}`.`t`", "`spark_catalog`.`{database}`.`t`"),
        (f"Location: file:/w/{DATABASE}.db/t, more", "Location: {location}, more"),
        ("at hdfs://host:8020/a/b)", "at {location})"),
        ("the folder /tmp/a/b is not there", "the folder {path} is not there"),
        ("Transaction 17 on t lost against transaction 4711", "Transaction {txn} on t lost against transaction {txn}"),
        ("Filter (id#12 = 1) AND x#3L, plan_id=44", "Filter (id#x = 1) AND x#x, plan_id=x"),
        ("*(2) Project\n+- *(10) Filter", "*Project\n+- *Filter"),
        ("files read\t2\nbytes read\t1437\nbytes read\t0", "files read\t2\nbytes read\t{bytes}\nbytes read\t0"),
        ("[transient_lastDdlTime=1790000000]", "[transient_lastDdlTime={time}]"),
        ('{"transient_lastDdlTime":"1790000000"}', '{"transient_lastDdlTime":"{time}"}'),
        ("Owner               \troot\nComment\tx", "Owner {masked}\nComment\tx"),
        (
            "Created Time        \tSun Nov 22\nLast Access         \tUNKNOWN",
            "Created Time {masked}\nLast Access {masked}",
        ),
        (
            "already scheduled with state='initiated' and id=17",
            "already scheduled with state='initiated' and id={compaction}",
        ),
        ("part-00000-0a1b2c3d-0000-1111-2222-0123456789ab-c000.orc", "part-00000-{uuid}-c000.orc"),
    ],
)
def test_what_differs_from_run_to_run_is_masked(text: str, masked: str) -> None:
    assert mask_text(text, DATABASE) == masked


@pytest.mark.parametrize("text", ["write ID 3", "delta_0000001_0000001_0000", "a/b/c", "10 / 2", "id#", "x*(y) z", "1"])
def test_all_else_stays(text: str) -> None:
    assert mask_text(text, DATABASE) == text


LOCKS = "struct<lockid:string,table:string,blocked_by:string,user:string>"


def test_ids_and_people_are_masked_by_the_columns_of_a_command() -> None:
    rows = ["17.1\tt\tNULL\tada", "18.1\t17\t17.1\tada"]
    assert mask_answer(LOCKS, rows, DATABASE) == [
        "{lockid}\tt\tNULL\t{user}",
        "{lockid}\t17\t{blocked_by}\t{user}",
    ]
    assert mask_answer("struct<table:string,kept:bigint>", ["t\t17"], DATABASE) == ["t\t17"]
    assert mask_answer(LOCKS, ["of another shape"], DATABASE) == ["of another shape"]


def test_the_transactions_of_everybody_are_masked_whole() -> None:
    schema = "struct<txnid:bigint,state:string,startedtime:bigint,lastheartbeattime:bigint,user:string,host:string>"
    assert mask_answer(schema, ["1\tOPEN\t2\t3\tada\th"], DATABASE) == ["{transactions}"]
    assert mask_answer(schema, [], DATABASE) == ["{transactions}"]
    aborted = mask_answer("struct<txnid:bigint,state:string>", ["7\tABORTED"], DATABASE)
    assert aborted == ["{txnid}\tABORTED"]


def test_data_is_not_masked() -> None:
    data = "item #12\ttransaction 5\t/home/me\tOwner: you\t2026-11-22"
    assert mask_row(data, DATABASE) == data


def test_a_row_that_names_the_database_or_a_file_is_masked() -> None:
    assert mask_row(f"{DATABASE}\tfile:///w/t/bucket_00000", DATABASE) == "{database}\t{location}"


@pytest.mark.parametrize(
    ("path", "masked"),
    [
        ("delta_0000001_0000002_v0000123/bucket_00000", "delta_0000001_0000002_v{txn}/bucket_00000"),
        ("base_0000005_v0000009/", "base_0000005_v{txn}/"),
        (".hive-acid-staging-17-0a1b2c3d/x", ".hive-acid-staging-{txn}/x"),
        (
            "k=a_v1/delete_delta_0000002_0000002_0000/bucket_00001",
            "k=a_v1/delete_delta_0000002_0000002_0000/bucket_00001",
        ),
    ],
)
def test_transaction_ids_in_names_of_folders_are_masked_and_write_ids_are_not(path: str, masked: str) -> None:
    assert mask_path(path, DATABASE) == masked


def test_an_error_is_its_condition_state_parameters_and_place() -> None:
    failed = StatementFailed(
        "[HIVE_ACID_LOCK_TIMEOUT] much prose",
        "hiveacid.errors.AcidException",
        "HIVE_ACID_LOCK_TIMEOUT",
        "57033",
        {"txnId": "17", "table": f"{DATABASE}.t", "waitedMs": "1234", "holder": "transaction 16 of me@host"},
        (QueryContext(1, 4, "a = 1"),),
    )
    assert json.loads(failed.format(DATABASE)) == {
        "errorClass": "HIVE_ACID_LOCK_TIMEOUT",
        "sqlState": "57033",
        "messageParameters": {"holder": "{holder}", "table": "{database}.t", "txnId": "{txn}", "waitedMs": "{ms}"},
        "queryContext": [{"startIndex": 1, "stopIndex": 4, "fragment": "a = 1"}],
    }


def test_the_message_of_another_program_inside_a_parameter_is_masked() -> None:
    failed = StatementFailed("prose", "X", "_LEGACY_ERROR_TEMP_3065", None, {"clazz": "HiveException", "msg": "prose"})
    assert json.loads(failed.format(DATABASE))["messageParameters"] == {"clazz": "HiveException", "msg": "{text}"}
    named = StatementFailed("prose", "X", "ARITHMETIC_OVERFLOW", "22003", {"message": "overflow"})
    assert json.loads(named.format(DATABASE))["messageParameters"] == {"message": "overflow"}


def test_of_an_error_without_a_condition_only_the_class_is_recorded() -> None:
    failed = StatementFailed("prose at 12:34:56", "java.lang.IllegalStateException")
    assert json.loads(failed.format(DATABASE)) == {"exception": "java.lang.IllegalStateException"}
