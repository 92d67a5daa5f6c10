from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.metastore.client import conversion
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.types import LockState
from hive_acid.model.write_ids import LONG_MAX


def bit_set(flags: list[bool]) -> bytes:
    """As java.util.BitSet.toByteArray."""
    number = sum(1 << index for index, flag in enumerate(flags) if flag)
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


@given(st.lists(st.booleans(), max_size=40))
def test_bits_past_the_end_of_the_bytes_are_not_set(flags: list[bool]) -> None:
    bits = bit_set(flags)
    assert [conversion.is_bit_set(bits, index) for index in range(len(flags) + 20)] == flags + [False] * 20


def test_open_and_aborted_are_told_apart_by_the_bits() -> None:
    ids = [3, 5, 8, 9]
    assert conversion.split_by_bits(ids, bit_set([False, True, False, True])) == ({3, 8}, {5, 9})


def test_a_snapshot_ends_at_its_own_transaction() -> None:
    response = ttypes.GetOpenTxnsResponse(12, [3, 5, 8, 10], 3, bit_set([False, True, False, False]))
    snapshot = conversion.build_valid_transactions(response, 8)
    assert (snapshot.high_water_mark, snapshot.open, snapshot.aborted) == (8, {3}, {5})
    nobodys = conversion.build_valid_transactions(response, 0)
    assert (nobodys.high_water_mark, nobodys.open, nobodys.aborted) == (12, {3, 8, 10}, {5})


def test_a_list_without_open_write_ids_has_no_smallest_one() -> None:
    answer = ttypes.TableValidWriteIds("db.t", 9, [4], None, b"\x01")
    write_ids = conversion.build_valid_write_ids(answer)
    assert (write_ids.min_open, write_ids.aborted, write_ids.open) == (LONG_MAX, {4}, frozenset())


def test_an_open_write_id_above_the_mark_still_bounds_compacted_bases() -> None:
    answer = ttypes.TableValidWriteIds("db.t", 9, [], 12, b"")
    assert conversion.build_valid_write_ids(answer).min_open == 12


@given(st.lists(st.text(alphabet=st.characters(codec="ascii"), min_size=1), min_size=1, max_size=3))
def test_values_of_a_partition_come_back_from_its_escaped_name(values: list[str]) -> None:
    special = set("\"#%'*/:=?\\{[]^") | {chr(code) for code in (*range(0x20), 0x7F)}
    escaped = ["".join(f"%{ord(char):02X}" if char in special else char for char in value) for value in values]
    name = "/".join(f"k{index}={value}" for index, value in enumerate(escaped))
    assert conversion.parse_partition_values(name) == tuple(values)


@pytest.mark.parametrize("name", ["", "a", "a=1/b", "=1"])
def test_a_name_without_a_key_is_no_partition_name(name: str) -> None:
    with pytest.raises(ValueError, match="no partition name"):
        conversion.parse_partition_values(name)


def test_a_lock_the_server_gave_up_is_not_acquired() -> None:
    assert conversion.build_lock_state(ttypes.LockState.ABORT) is LockState.NOT_ACQUIRED


def test_a_view_has_no_location() -> None:
    view = conversion.build_table(ttypes.Table(tableName="v", dbName="db", sd=None, parameters=None))
    assert (view.location, view.columns, view.parameters) == ("", (), {})


@pytest.mark.parametrize(
    ("parameters", "properties", "path"),
    [
        ({"spark.sql.sources.provider": "parquet"}, {"Path": "/p"}, "/p"),
        ({"spark.sql.sources.provider": "parquet"}, None, ""),
        ({"spark.sql.sources.provider": "HIVE"}, {"path": "/p"}, ""),
        ({}, {"path": "/p"}, ""),
    ],
)
def test_spark_goes_by_a_path_of_its_own_in_tables_of_its_data_sources(
    parameters: dict[str, str], properties: dict[str, str] | None, path: str
) -> None:
    storage = ttypes.StorageDescriptor(location="/l", serdeInfo=ttypes.SerDeInfo(parameters=properties))
    table = ttypes.Table(tableName="t", dbName="db", sd=storage, parameters=parameters)
    assert conversion.build_table(table).source_path == path


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        ("decimal", "decimal(10,0)"),
        ("DECIMAL", "decimal(10,0)"),
        ("array<decimal>", "array<decimal(10,0)>"),
        ("struct<decimal:decimal,b:map<int,decimal>>", "struct<decimal:decimal(10,0),b:map<int,decimal(10,0)>>"),
        ("struct<a_decimal:int,decimal_b:decimal(5,2)>", "struct<a_decimal:int,decimal_b:decimal(5,2)>"),
        ("decimal (5,2)", "decimal (5,2)"),
    ],
)
def test_a_decimal_without_digits_has_ten(stored: str, meant: str) -> None:
    fields = [ttypes.FieldSchema("D", stored)]
    view = ttypes.Table(tableName="t", dbName="db", partitionKeys=fields)
    (column,) = conversion.build_table(view).partition_columns
    assert (column.name, column.type) == ("d", meant)
