from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.model.write_ids import LONG_MAX, LONG_MIN, RangeState, ValidTxnList, ValidWriteIdList

ID_SETS = st.frozensets(st.integers(1, 25), max_size=8)


@st.composite
def write_id_lists(draw: st.DrawFn) -> ValidWriteIdList:
    open_ids, aborted = draw(ID_SETS), draw(ID_SETS)
    min_open = draw(st.one_of(st.just(LONG_MAX), st.integers(1, 40)))
    return ValidWriteIdList("db.t", draw(st.integers(0, 25)), open_ids - aborted, aborted, min_open)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[int, int]:
    first = draw(st.integers(0, 30))
    return first, draw(st.integers(first, 35))


@given(write_id_lists())
def test_a_formatted_write_id_list_parses_to_itself(write_ids: ValidWriteIdList) -> None:
    assert ValidWriteIdList.parse(write_ids.format()) == write_ids


@given(st.integers(0, 30), ID_SETS, ID_SETS)
def test_a_formatted_transaction_list_parses_to_itself(
    mark: int, open_ids: frozenset[int], aborted: frozenset[int]
) -> None:
    transactions = ValidTxnList(mark, open_ids - aborted, aborted)
    assert ValidTxnList.parse(transactions.format()) == transactions


@given(write_id_lists(), ranges())
def test_the_state_of_a_range_is_that_of_its_write_ids_one_by_one(
    write_ids: ValidWriteIdList, bounds: tuple[int, int]
) -> None:
    first, last = bounds
    seen = [write_ids.is_valid(write_id) for write_id in range(first, last + 1)]
    expected = RangeState.ALL if all(seen) else RangeState.SOME if any(seen) else RangeState.NONE
    assert write_ids.range_state(first, last) is expected
    aborted = [write_ids.is_aborted(write_id) for write_id in range(first, last + 1)]
    assert write_ids.is_range_aborted(first, last) is all(aborted)


@given(write_id_lists())
def test_the_greatest_visible_write_id_is_visible_and_none_above_is(write_ids: ValidWriteIdList) -> None:
    greatest = write_ids.max_visible
    assert write_ids.is_valid(greatest)
    assert not any(write_ids.is_valid(write_id) for write_id in range(greatest + 1, 40))


@given(write_id_lists(), st.integers(0, 30))
def test_a_compacted_base_is_readable_if_nothing_up_to_it_is_open(write_ids: ValidWriteIdList, base: int) -> None:
    up_to_base = range(base + 1)
    expected = not any(i in write_ids.open or i > write_ids.high_water_mark for i in up_to_base)
    assert write_ids.is_valid_compacted_base(base) is (expected and base < write_ids.min_open)


def test_the_base_made_from_originals_alone_is_always_readable() -> None:
    assert ValidWriteIdList("db.t", 0, frozenset({1})).is_valid_compacted_base(LONG_MIN)


def test_aborted_write_ids_alone_do_not_block_a_compacted_base() -> None:
    assert ValidWriteIdList("db.t", 9, aborted=frozenset({3})).is_valid_compacted_base(5)


def test_runs_of_ids_as_hive_4_writes_them_are_read() -> None:
    transactions = ValidTxnList.parse("20:4:4,7-9:11-12,15")
    assert transactions.open == {4, 7, 8, 9}
    assert transactions.aborted == {11, 12, 15}


def test_missing_trailing_parts_mean_that_nothing_is_open_or_aborted() -> None:
    assert ValidWriteIdList.parse("db.t:7") == ValidWriteIdList("db.t", 7)
    assert ValidWriteIdList.parse(f"db.t:7:{LONG_MAX}::") == ValidWriteIdList("db.t", 7)
    assert ValidTxnList.parse("7") == ValidTxnList(7)


def test_the_list_of_a_table_with_open_and_aborted_write_ids() -> None:
    write_ids = ValidWriteIdList.parse("db.t:9:5:5,8:2")
    assert [i for i in range(12) if write_ids.is_valid(i)] == [0, 1, 3, 4, 6, 7, 9]
    assert write_ids.is_aborted(2)
    assert write_ids.min_open == 5


@pytest.mark.parametrize("text", ["", "db.t", "db.t:", "db.t:x", "db.t:1:2:3:4:5", "db.t:5:1:7-3:", "db.t:5:1:a:"])
def test_malformed_write_id_lists_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        ValidWriteIdList.parse(text)


@pytest.mark.parametrize("text", ["", "x", "1:2:3:4:5", "5:1:7-3:"])
def test_malformed_transaction_lists_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        ValidTxnList.parse(text)


def test_the_smallest_open_transaction_is_long_max_if_none_is_open() -> None:
    assert ValidTxnList(3).min_open == LONG_MAX
    assert ValidTxnList(9, frozenset({7, 4})).min_open == 4


@given(write_id_lists(), st.integers(1, 30))
def test_a_writer_sees_its_own_write_id_and_otherwise_what_its_snapshot_saw(
    write_ids: ValidWriteIdList, own: int
) -> None:
    write_ids = ValidWriteIdList("db.t", write_ids.high_water_mark, write_ids.open, write_ids.aborted - {own})
    seen = {i for i in range(40) if write_ids.is_valid(i)}
    assert {i for i in range(40) if write_ids.with_own(own).is_valid(i)} == seen | {own}
