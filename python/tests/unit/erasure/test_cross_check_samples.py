"""Which files, parts and rows the second reader takes, and values by which it finds a blind search."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc, parquet

from hive_acid.model.table import TableDescription
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid_erasure.plan.plan import SecondReader
from hive_acid_erasure.verify.cross_check import CrossCheck, CrossChecker
from hive_acid_erasure.verify.file_search import SearchedFile
from hive_acid_erasure.verify.sampling import choose, spread
from unit.erasure.searched_files import ADA, BOB, COLUMNS, KEY, NAME, NOBODY, Files, write


def listed(path: str, modified_ms: int, partition: str = "", rows: int = 5) -> SearchedFile:
    return SearchedFile(path, PhysicalFile(path, 10, modified_ms, partition), "rows", rows)


def test_the_sample_meets_each_kind_and_partition_and_newest_bases_first() -> None:
    old, new = listed("/t/p=1/base_1/a", 1, "p=1"), listed("/t/p=1/base_2/a", 2, "p=1")
    delta, deletes = listed("/t/p=1/delta_3_3/a", 9, "p=1"), listed("/t/p=1/delete_delta_3_3/a", 9, "p=1")
    other, huge = listed("/t/p=2/base_1/a", 1, "p=2"), listed("/t/p=3/base_9/a", 9, "p=3", 1000)
    files = [old, delta, huge, other, deletes, new]
    assert list(choose(files, SecondReader())) == [huge, delta, deletes, other, new, old]
    assert list(choose(files, SecondReader(max_files=4))) == [huge, delta, deletes, other]


def test_the_rows_of_the_sample_are_shared_and_no_file_is_too_large_for_it() -> None:
    huge, large, small = listed("/t/a", 1, rows=1 << 40), listed("/t/b", 1, rows=100), listed("/t/c", 1, rows=5)
    assert choose([huge, large, small], SecondReader(max_rows=205)) == {huge: 100, large: 100, small: 5}
    assert choose([huge, large, small], SecondReader(max_rows=35)) == {huge: 15, large: 15, small: 5}
    assert set(choose([huge, large, small], SecondReader(max_rows=1)).values()) == {1}


def test_every_file_is_read_and_those_beyond_a_limit_are_counted_by_the_reason() -> None:
    files = Files()
    for number in range(25):
        files.add(write([ADA], "orc"), 1, 1, f"/t/base_{number:07d}/bucket_00000")
    files.searched.append(SearchedFile("/t/_note", PhysicalFile("/t/_note", 9, 1), "text"))
    files.searched.append(SearchedFile("/t/lines", PhysicalFile("/t/lines", 9, 1), "visible"))
    by_queries = {"rows of its format are read by queries alone": 1}
    assert files.check() == CrossCheck(25, 25, by_queries)
    found = files.check(limit=SecondReader(max_files=20))
    assert (found.files, found.rows, found.places) == (20, 20, ())
    assert found.not_checked == {"beyond the plan's limit": 5, **by_queries}


def test_parts_at_both_ends_and_in_the_middle_are_read_first() -> None:
    assert spread(0) == []
    assert spread(1) == [0]
    assert spread(6) == [0, 5, 3, 1, 2, 4]


MIB = 1 << 20


def large(form: str, subjects: Sequence[int]) -> bytes:
    """A file of 40,000 rows in several parts, Ada in these; longer than what storage is asked for at once."""
    ids = pa.array(range(40_000), pa.int32())
    emails = [f"{i * 7919 % 40_000:060}@x.org" for i in range(40_000)]
    for subject in subjects:
        emails[subject] = "Ada@x.org"
    table, out = pa.table({"id": ids, "email": pa.array(emails)}), io.BytesIO()
    if form == "orc":
        orc.write_table(table, out, stripe_size=300_000, batch_size=1_000, compression="uncompressed")
    else:
        parquet.write_table(table, out, row_group_size=5_000, compression="none", use_dictionary=False)
    assert len(out.getvalue()) > 2 * MIB
    return out.getvalue()


@pytest.mark.parametrize("form", ["orc", "parquet"])
def test_a_file_of_any_size_is_read_part_by_part_and_no_block_of_it_twice(form: str) -> None:
    files, content = Files(), large(form, [0, 20_000, 39_999])
    files.add(content, 40_000, 3)
    assert files.check() == CrossCheck(1, 40_000)
    assert files.system.calls.count("read_range") <= len(content) // MIB + 2


@pytest.mark.parametrize("form", ["orc", "parquet"])
def test_of_a_file_beyond_its_share_some_parts_are_read_and_all_rows_are_counted(form: str) -> None:
    files = Files()
    files.add(large(form, [0, 39_999]), 40_000, 2)
    found = files.check(limit=SecondReader(max_rows=15_000))
    assert found.places == ()
    assert 15_000 <= found.rows < 40_000


@pytest.mark.parametrize(("rows", "matches"), [(39_999, 2), (40_000, 1), (40_000, 0)])
@pytest.mark.parametrize("form", ["orc", "parquet"])
def test_a_part_tells_of_a_search_that_found_less(form: str, rows: int, matches: int) -> None:
    files = Files()
    files.add(large(form, [0, 39_999]), rows, matches)
    (place,) = files.check(limit=SecondReader(max_rows=15_000)).places
    assert "pyarrow reads 40000, in" in place.detail


@pytest.mark.parametrize("form", ["acid", "orc", "parquet"])
def test_a_search_that_does_not_find_what_is_known_to_be_there_finds_nobody_in_vain(form: str) -> None:
    files = Files()
    files.add(write([BOB, NOBODY, BOB], form), 3, 0)
    assert files.check().places == ()
    files.engine.is_blind = True
    (place,) = files.check().places
    assert place.kind.value == "cross-check"
    assert "reads in 2 rows was found in 0 by the search" in place.detail
    assert "bob" not in repr(place).lower()


def test_a_file_that_the_search_cannot_read_again_is_told_unless_it_is_gone() -> None:
    files = Files()
    files.add(write([BOB, NOBODY, BOB], "orc"), 3, 0)
    files.engine.problem = "storage failed"
    (place,) = files.check().places
    assert "reads in 2 rows was found in 0 by the search" in place.detail
    read = files.engine.search

    def remove_and_search(*asked: Any, **named: Any) -> Any:
        files.system.delete_tree(files.searched[0].path)
        return read(*asked, **named)

    files.engine.search = remove_and_search
    assert files.check().places == ()


def test_a_search_that_finds_some_of_what_is_known_to_be_there_is_told_too() -> None:
    files = Files()
    files.add(write([BOB, NOBODY, BOB], "orc"), 3, 0)
    files.engine.skipped_rows = 2
    (place,) = files.check().places
    assert "reads in 2 rows was found in 1 by the search" in place.detail


def test_the_control_is_a_value_of_a_key_that_has_one() -> None:
    files = Files()
    files.add(write([NOBODY, {**BOB, "email": None}], "orc"), 2, 0)
    matcher_keys = [KeyedHashes(Key((part,)), frozenset([KEY.hash_parts(("x",))])) for part in ("email", "id")]
    table = TableDescription(NAME, "/t", COLUMNS, ())
    CrossChecker(files.engine, files.system, KEY, table).check(Matcher(NAME, tuple(matcher_keys)), files.searched)
    ((asked,),) = files.engine.asked
    assert (asked.key, asked.hashes) == (Key(("id",)), frozenset([KEY.hash_parts(("8",))]))


def test_where_no_row_has_a_value_nothing_is_asked_for() -> None:
    files = Files()
    files.add(write([None, None], "acid"), 2, 0, "/t/delete_delta_0000002_0000002_0000/bucket_00000")
    files.engine.is_blind = True
    assert files.check() == CrossCheck(1, 2)
    assert files.engine.asked == []
