"""A second reader compares a sample of the files with what was found; what it cannot compare is told."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc, parquet

from hive_acid.erasure.cross_check import CrossCheck, CrossChecker, Sample, choose, spread
from hive_acid.erasure.engine import FileFinding, Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid.erasure.file_search import SearchedFile
from hive_acid.erasure.keyed_hash import HashKey
from hive_acid.erasure.plain_keys import NotPlain, parse_part
from hive_acid.errors import build_error
from hive_acid.model.table import Column, TableDescription, TableName
from support.memory_file_system import MemoryFileSystem

KEY = HashKey(b"a secret that is nowhere to be seen")
NAME = TableName("shop", "t")
COLUMNS = (
    Column("id", "int"),
    Column("email", "string"),
    Column("contact", "struct<mail:string,since:date>"),
    Column("tags", "array<string>"),
    Column("attributes", "map<string,string>"),
    Column("price", "double"),
)
SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("email", pa.string()),
        ("contact", pa.struct([("mail", pa.string()), ("since", pa.date32())])),
        ("tags", pa.list_(pa.string())),
        ("attributes", pa.map_(pa.string(), pa.string())),
        ("price", pa.float64()),
    ]
)
ADA = {
    "id": 7,
    "email": "Ada@x.org",
    "contact": {"mail": "ada@x.org", "since": datetime.date(2024, 2, 29)},
    "tags": ["z", "a"],
    "attributes": [("Ada", "x")],
    "price": 1.5,
}
BOB = {"id": 8, "email": "bob@x.org", "contact": None, "tags": None, "attributes": [("Bob", "Ada")], "price": None}
NOBODY: dict[str, Any] = dict.fromkeys(SCHEMA.names)
ACID = ("operation", "originalTransaction", "bucket", "rowId", "currentTransaction")


def write(rows: list[dict[str, Any] | None], form: str, schema: pa.Schema = SCHEMA) -> bytes:
    """A file. In a full ACID one, a row that is None is that of a delete."""
    out = io.BytesIO()
    if form == "acid":
        outer = pa.schema([*((name, pa.int64()) for name in ACID), ("row", pa.struct(list(schema)))])
        nested = [{**dict.fromkeys(ACID, 1), "row": row} for row in rows]
        orc.write_table(pa.Table.from_pylist(nested, outer), out)
        return out.getvalue()
    table = pa.Table.from_pylist([row or {} for row in rows], schema)
    if form == "orc":
        orc.write_table(table, out)
    else:
        parquet.write_table(table, out)
    return out.getvalue()


class Search:
    """A search that finds what it is asked for in each row, or is blind."""

    def __init__(self, searched: Sequence[SearchedFile]) -> None:
        self.searched = searched
        self.is_blind = False
        self.asked: list[tuple[KeyedHashes, ...]] = []

    def spell_each(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> tuple[bytes, ...]:
        return tuple(map(KEY.hash_parts, subjects))

    def search(self, matcher: Matcher, files: Sequence[PhysicalFile]) -> Iterator[FileFinding]:
        self.asked.append(matcher.keys)
        rows = {file.source.path: 0 if self.is_blind else file.row_count for file in self.searched}
        return (FileFinding(file.path, rows[file.path], rows[file.path], in_statistics=False) for file in files)


class Files:
    """Files of the table, and what the search has found in them."""

    def __init__(self) -> None:
        self.system = MemoryFileSystem()
        self.searched: list[SearchedFile] = []
        self.engine: Any = Search(self.searched)

    def add(self, content: bytes, rows: int, matches: int, path: str = "/t/base_0000001/bucket_00000") -> None:
        self.system.add_file(path, len(content))
        self.system.bytes[path] = content
        self.searched.append(SearchedFile(path, PhysicalFile(path, len(content), 1), "rows", rows, matches))

    def check(
        self,
        parts: tuple[str, ...] = ("email",),
        subject: tuple[str, ...] = ("Ada@x.org",),
        sample: Sample | None = None,
    ) -> CrossCheck:
        matcher = Matcher(NAME, (KeyedHashes(Key(parts), frozenset([KEY.hash_parts(subject)])),))
        table = TableDescription(NAME, "/t", COLUMNS, (Column("day", "string"),))
        return CrossChecker(self.engine, self.system, KEY, table, sample).check(matcher, self.searched)


@pytest.mark.parametrize("form", ["acid", "orc", "parquet"])
@pytest.mark.parametrize(
    ("parts", "subject"),
    [
        (("email",), ("Ada@x.org",)),
        (("`EMAIL`",), ("Ada@x.org",)),
        (("lower( email )",), ("ada@x.org",)),
        (("upper(lower(contact.mail))",), ("ADA@X.ORG",)),
        (("contact.since",), ("2024-02-29",)),
        (("id",), ("7",)),
        (("tags",), ("a",)),
        (("map_keys(attributes)",), ("Ada",)),
        (("id", "contact.mail"), ("7", "ada@x.org")),
    ],
)
def test_keys_name_the_same_rows(form: str, parts: tuple[str, ...], subject: tuple[str, ...]) -> None:
    files = Files()
    files.add(write([ADA, BOB, NOBODY], form), 3, 1)
    assert files.check(parts, subject) == CrossCheck(1, 3)


def test_rows_of_deletes_name_nobody() -> None:
    files = Files()
    files.add(write([None, None, ADA], "acid"), 3, 1, "/t/delete_delta_0000002_0000002_0000/bucket_00000")
    assert files.check() == CrossCheck(1, 3)


@pytest.mark.parametrize(("rows", "matches"), [(2, 1), (3, 0), (3, 2), (4, 1)])
@pytest.mark.parametrize("form", ["acid", "orc", "parquet"])
def test_another_number_is_a_place_that_names_nobody(form: str, rows: int, matches: int) -> None:
    files = Files()
    files.add(write([ADA, BOB, NOBODY], form), rows, matches)
    found = files.check()
    assert [place.kind.value for place in found.places] == ["cross-check"]
    assert "pyarrow reads 3, 1 of them" in found.places[0].detail
    assert "ada" not in repr(found).lower()


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("trim(email)", "a key is an expression that only Spark computes"),
        ("lower(map_keys(attributes))", "a key is an expression that only Spark computes"),
        ("email || ''", "a key is an expression that only Spark computes"),
        ("price", "a key is of a type that only Spark spells"),
        ("upper(tags)", "a key is of a type that only Spark spells"),
        ("day", "a key is of a partition column, which is not in the files"),
        ("current_user", "a key is of no column or field of the files"),
        ("attributes.mail", "a key is of no column or field of the files"),
        ("`a.b`", "the name of a column has a dot"),
    ],
)
def test_what_only_spark_computes_is_told(part: str, reason: str) -> None:
    files = Files()
    files.add(write([ADA], "orc"), 1, 1)
    assert files.check((part,), ("x",)) == CrossCheck(not_checked={reason: 1})


def test_values_that_python_may_spell_otherwise_are_told() -> None:
    files = Files()
    files.add(write([{**ADA, "email": "İ"}], "orc"), 1, 0)
    assert files.check(("lower(email)",)).not_checked == {"lower() of other characters than ASCII": 1}
    files = Files()
    files.add(write([{**ADA, "contact": {"mail": "x", "since": datetime.date(1500, 1, 1)}}], "parquet"), 1, 0)
    assert files.check(("contact.since",)).not_checked == {"days of the Julian calendar": 1}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"ORC and no more", "pyarrow cannot read the file (OSError)"),
        (b"text", "it is neither ORC nor Parquet"),
        (
            write([{"_col0": 7}], "orc", pa.schema([("_col0", pa.int32())])),
            "the columns of the file are not those of the table",
        ),
        (write([{"id": 7}], "orc", pa.schema([("id", pa.int32())])), "a column of a key is not in the file"),
        (
            write([{"id": 7, "email": 1}], "orc", pa.schema([("id", pa.int32()), ("email", pa.int32())])),
            "a key is of a type that only Spark spells",
        ),
    ],
)
def test_files_that_are_read_otherwise_are_told(content: bytes, reason: str) -> None:
    files = Files()
    files.add(content, 1, 0)
    assert files.check() == CrossCheck(not_checked={reason: 1})


def test_a_file_that_changed_is_told() -> None:
    files = Files()
    files.add(write([ADA], "orc"), 1, 1)
    content = files.system.bytes["/t/base_0000001/bucket_00000"]
    for changed in (content + b"x", content[:-1]):
        files.system.bytes["/t/base_0000001/bucket_00000"] = changed
        assert files.check().not_checked == {"the file changed meanwhile": 1}


def listed(path: str, modified_ms: int, partition: str = "", rows: int = 5) -> SearchedFile:
    return SearchedFile(path, PhysicalFile(path, 10, modified_ms, partition), "rows", rows)


def test_the_sample_meets_each_kind_and_partition_and_newest_bases_first() -> None:
    old, new = listed("/t/p=1/base_1/a", 1, "p=1"), listed("/t/p=1/base_2/a", 2, "p=1")
    delta, deletes = listed("/t/p=1/delta_3_3/a", 9, "p=1"), listed("/t/p=1/delete_delta_3_3/a", 9, "p=1")
    other, huge = listed("/t/p=2/base_1/a", 1, "p=2"), listed("/t/p=3/base_9/a", 9, "p=3", 1000)
    files = [old, delta, huge, other, deletes, new]
    assert list(choose(files, Sample())) == [huge, delta, deletes, other, new, old]
    assert list(choose(files, Sample(files=4))) == [huge, delta, deletes, other]


def test_the_rows_of_the_sample_are_shared_and_no_file_is_too_large_for_it() -> None:
    huge, large, small = listed("/t/a", 1, rows=1 << 40), listed("/t/b", 1, rows=100), listed("/t/c", 1, rows=5)
    assert choose([huge, large, small], Sample(rows=205)) == {huge: 100, large: 100, small: 5}
    assert choose([huge, large, small], Sample(rows=35)) == {huge: 15, large: 15, small: 5}
    assert set(choose([huge, large, small], Sample(rows=1)).values()) == {1}


def test_files_beyond_the_sample_are_counted_by_the_reason() -> None:
    files = Files()
    for number in range(25):
        files.add(write([ADA], "orc"), 1, 1, f"/t/base_{number:07d}/bucket_00000")
    files.searched.append(SearchedFile("/t/_note", PhysicalFile("/t/_note", 9, 1), "text"))
    found = files.check()
    assert (found.files, found.rows, found.places) == (20, 20, ())
    assert found.not_checked == {"not in the sample": 5}


def test_parts_at_both_ends_and_in_the_middle_are_read_first() -> None:
    assert spread(0) == []
    assert spread(1) == [0]
    assert spread(6) == [0, 5, 3, 1, 2, 4]


MIB = 1 << 20


def large(form: str, subjects: Sequence[int]) -> bytes:
    """A file of 40,000 rows in several parts, with Ada in these. It is longer than what storage is asked for at once."""
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
    found = files.check(sample=Sample(rows=15_000))
    assert found.places == ()
    assert 15_000 <= found.rows < 40_000


@pytest.mark.parametrize(("rows", "matches"), [(39_999, 2), (40_000, 1), (40_000, 0)])
@pytest.mark.parametrize("form", ["orc", "parquet"])
def test_a_part_tells_of_a_search_that_found_less(form: str, rows: int, matches: int) -> None:
    files = Files()
    files.add(large(form, [0, 39_999]), rows, matches)
    (place,) = files.check(sample=Sample(rows=15_000)).places
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


def test_an_expression_of_one_name_is_a_path() -> None:
    assert parse_part("a.`B c`.d").path == ("a", "b c", "d")
    with pytest.raises(NotPlain):
        parse_part("'Ada'")


def test_a_file_that_storage_cannot_read_is_told() -> None:
    def refuse(path: str, start: int, length_bytes: int) -> bytes:
        raise build_error("HIVE_ACID_STORAGE", path=path, action="reading", reason="a checksum does not fit")

    files = Files()
    files.add(write([ADA], "orc"), 1, 1)
    files.system.read_range = refuse  # type: ignore[method-assign]
    assert files.check().not_checked == {"storage cannot read the file": 1}
