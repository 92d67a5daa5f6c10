"""The types of a table's columns as they are written into its files."""

import pytest

from hive_acid import config
from hive_acid.compaction.obstacles import find_obstacle
from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.server_settings import checks_capabilities
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Statement
from hive_acid.writing.table_rules import build_row_type, find_storage_fault, refuse_unseen, refuse_unwritable


@pytest.mark.parametrize(
    ("in_metastore", "in_file"),
    [
        ("int", "int"),
        ("DECIMAL(10,2)", "decimal(10,2)"),
        ("struct<Xx:int,yY:string>", "struct<`Xx`:int,`yY`:string>"),
        ("struct<a b:int,A.b:int,a$b:int, c:decimal(3,1)>", "struct<`a b`:int,`A.b`:int,`a$b`:int,` c`:decimal(3,1)>"),
        (
            "STRUCT<Int:INT,a b:MAP<STRING,Array<STRUCT<K:VarChar(3)>>>>",
            "struct<`Int`:int,`a b`:map<string,array<struct<`K`:varchar(3)>>>>",
        ),
    ],
)
def test_names_of_nested_fields_keep_their_case_and_types_are_in_lower_case(in_metastore: str, in_file: str) -> None:
    assert (
        build_row_type(TableDescription(TableName("d", "t"), "/t", (Column("c", in_metastore),)))
        == f"struct<`c`:{in_file}>"
    )


@pytest.mark.parametrize(
    ("type_", "refused"),
    [
        ("struct<interval_ms:bigint,void:int>", None),
        ("array<struct<uniontype : int,interval_day_time:int>>", None),
        ("struct<a:interval_day_time>", "interval_day_time"),
        ("map<string,uniontype<int,string>>", "uniontype"),
        ("void", "void"),
    ],
)
def test_types_that_cannot_be_written_are_told_from_fields_of_their_names(type_: str, refused: str | None) -> None:
    table = TableDescription(TableName("d", "t"), "file:/t", (Column("c", type_),))
    refusal = find_storage_fault(table, allow_non_atomic_rename=False)
    assert (refusal and refusal.params["type"]) == refused


@pytest.mark.parametrize(
    ("settings", "hides"),
    [
        ({}, True),
        ({"metastore.client.capability.check": "false"}, False),
        ({"hive.metastore.client.capability.check": "FALSE"}, False),
        ({"hive.metastore.client.capability.check": "true"}, True),
    ],
)
def test_a_table_that_the_metastore_would_hide_is_not_made(settings: dict[str, str], hides: bool) -> None:
    is_checked = checks_capabilities(settings.get)  # type: ignore[arg-type]
    assert is_checked == hides
    if hides:
        with pytest.raises(UnsupportedOperation, match="INSERT_ONLY_UNSEEN"):
            refuse_unseen("CREATE TABLE", TableName("d", "t"), is_checked)
    else:
        refuse_unseen("CREATE TABLE", TableName("d", "t"), is_checked)


def encrypted_table(value: str = "pii:name") -> TableDescription:
    parameters = {"transactional": "true", "ORC.encrypt": value}
    return TableDescription(TableName("d", "t"), "file:/t", (Column("name", "string"),), parameters=parameters)


@pytest.mark.parametrize("kind", StatementKind)
def test_values_are_not_written_in_clear_into_a_table_that_asks_for_encryption(kind: StatementKind) -> None:
    table = encrypted_table()
    statement = Statement(kind, RowWrites.MIXED, table.name, (), "UTC", 1, ())
    if kind in (StatementKind.DELETE, StatementKind.TRUNCATE):
        refuse_unwritable(table, statement, config.Settings({}))
    else:
        with pytest.raises(UnsupportedOperation, match="ENCRYPTED_FILES"):
            refuse_unwritable(table, statement, config.Settings({}))


@pytest.mark.parametrize("kind", [CompactionKind.MAJOR, CompactionKind.MINOR, CompactionKind.REBALANCE])
def test_a_table_that_asks_for_encryption_is_not_compacted_in_clear(kind: CompactionKind) -> None:
    refusal = find_obstacle(encrypted_table(), kind, allow_non_atomic_rename=False)
    assert refusal is not None
    assert refusal.condition == "HIVE_ACID_UNSUPPORTED_TABLE.ENCRYPTED_FILES"
    assert find_obstacle(encrypted_table(" "), kind, allow_non_atomic_rename=False) is None
