"""A second reader compares files with what was found in them; what it cannot compare is told."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa
import pytest

from hive_acid.errors import build_error
from hive_acid.model.table import Column
from hive_acid_erasure.engine import Key
from hive_acid_erasure.second_reader.plain_keys import NotPlain, parse_part
from hive_acid_erasure.verify.cross_check import CrossCheck, OneReader
from unit.erasure.searched_files import ADA, BOB, COLUMNS, NOBODY, Files, write

KEYS_OF_ADA = [
    (("email",), ("Ada@x.org",)),
    (("`EMAIL`",), ("Ada@x.org",)),
    (("lower( email )",), ("ada@x.org",)),
    (("upper(lower(contact.mail))",), ("ADA@X.ORG",)),
    (("contact.since",), ("2024-02-29",)),
    (("id",), ("7",)),
    (("tags",), ("a",)),
    (("map_keys(attributes)",), ("Ada",)),
    (("id", "contact.mail"), ("7", "ada@x.org")),
]


@pytest.mark.parametrize("form", ["acid", "orc", "parquet"])
@pytest.mark.parametrize(("parts", "subject"), KEYS_OF_ADA)
def test_keys_name_the_same_rows(form: str, parts: tuple[str, ...], subject: tuple[str, ...]) -> None:
    files = Files()
    files.add(write([ADA, BOB, NOBODY], form), 3, 1)
    assert files.check(parts, subject) == CrossCheck(1, 3)


@pytest.mark.parametrize(("parts", "subject"), KEYS_OF_ADA)
def test_values_that_files_before_have_hide_no_others(parts: tuple[str, ...], subject: tuple[str, ...]) -> None:
    files = Files()
    for number, (rows, matches) in enumerate([([BOB, NOBODY], 0), ([BOB, ADA, NOBODY], 1), ([ADA, BOB, ADA], 2)]):
        files.add(write(rows, "parquet"), len(rows), matches, f"/t/base_0000001/bucket_0000{number}")
    assert files.check(parts, subject) == CrossCheck(3, 8)


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


@pytest.mark.parametrize("form", ["acid", "orc", "parquet"])
@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("coalesce(email, '')", "a key is an expression that only Spark computes"),
        ("lower(map_keys(attributes))", "a key is an expression that only Spark computes"),
        ("email || ''", "a key is an expression that only Spark computes"),
        ("price", "a key is of a type that only Spark spells"),
    ],
)
def test_a_key_that_only_spark_computes_is_told_and_its_columns_are_counted(form: str, part: str, reason: str) -> None:
    files = Files()
    files.add(write([ADA, ADA], form), 2, 0)
    found = files.check((part,), ("x",))
    assert (found.files, found.rows, found.places) == (1, 2, ())
    assert [(each.key, each.reason) for each in found.one_reader] == [(Key((part,)), reason)]
    files.engine.is_blind = True
    (place,) = files.check((part,), ("x",)).places
    assert "has 2 values as pyarrow reads it, and 0 as the search does" in place.detail


def test_rows_are_counted_in_files_of_a_key_that_only_spark_computes() -> None:
    files = Files()
    files.add(write([ADA, BOB], "orc"), 1, 0)
    found = files.check(("coalesce(email, '')",), ("x",))
    assert any("pyarrow reads 2" in place.detail for place in found.places)


@pytest.mark.parametrize(
    ("part", "subject", "rows"),
    [
        ("trim(lower(email))", "ada@x.org", [{**ADA, "email": "  Ada@x.org "}]),
        ("CAST(id AS STRING)", "7", [ADA]),
        ("upper(email)", "MÜLLER ΓΔΘ ЖЮЯ", [{**ADA, "email": "Müller γδθ Жюя"}]),
        ("lower(email)", "मोदी 北京", [{**ADA, "email": "मोदी 北京"}]),
        ("day", "a b", [NOBODY]),
        ("number", "7", [NOBODY]),
    ],
)
def test_functions_of_texts_and_values_of_partitions_are_computed(
    part: str, subject: str, rows: list[dict[str, object]]
) -> None:
    files = Files()
    files.add(write([*rows], "orc"), 1, 1, "/t/day=a%20b/number=07/f", "day=a%20b/number=07")
    assert files.check((part,), (subject,)) == CrossCheck(1, 1)


def test_bytes_that_are_no_text_are_compared_as_they_are() -> None:
    schema = pa.schema([("id", pa.int32()), ("email", pa.binary())])
    files = Files()
    files.add(write([{"id": 1, "email": b"\xff\x01"}, {"id": 2, "email": b"\xfe\x01"}], "parquet", schema), 2, 0)
    assert files.check() == CrossCheck(1, 2)
    files = Files()
    files.add(write([{"id": 1, "email": b"Ada@x.org"}, {"id": 2, "email": b"\xfe\x01"}], "orc", schema), 2, 0)
    assert [place.kind.value for place in files.check().places] == ["cross-check"]


@pytest.mark.parametrize(
    ("declared", "stored", "value", "text"),
    [
        ("char(4)", pa.string(), "ab", "ab  "),
        ("varchar(9)", pa.string(), "ab", "ab"),
        ("decimal(10,2)", pa.decimal128(8, 2), decimal.Decimal("0.10"), "0.10"),
        ("decimal(12,9)", pa.decimal128(12, 9), decimal.Decimal("0.000000001"), "0.000000001"),
        ("binary", pa.binary(), b"ab", "ab"),
        ("boolean", pa.bool_(), True, "true"),
        ("bigint", pa.int8(), 7, "7"),
        ("string", pa.int64(), 7, "7"),
        ("string", pa.dictionary(pa.int8(), pa.string()), "ab", "ab"),
    ],
)
def test_values_of_each_type_are_spelled_as_spark_spells_them(
    declared: str, stored: pa.DataType, value: object, text: str
) -> None:
    columns = (Column("id", declared),)
    content = write([{"id": value}, {"id": None}], "parquet", pa.schema([("id", stored)]))
    files = Files()
    files.add(content, 2, 1)
    assert files.check(("id",), (text,), columns=columns) == CrossCheck(1, 2)


@pytest.mark.parametrize("matches", [0, 1])
@pytest.mark.parametrize(
    ("part", "row"),
    [
        ("lower(email)", {**ADA, "email": "İ"}),
        ("contact.since", {**ADA, "contact": {"mail": "x", "since": datetime.date(1500, 1, 1)}}),
    ],
)
def test_values_that_spark_may_spell_otherwise_are_counted_and_hide_no_other_row(
    part: str, row: dict[str, object], matches: int
) -> None:
    files = Files()
    files.add(write([row, ADA], "parquet"), 2, 1 + matches)
    subject = "ada@x.org" if part == "lower(email)" else "2024-02-29"
    assert files.check((part,), (subject,)) == CrossCheck(1, 2, unsure_rows=1)
    files.add(write([row, ADA], "parquet"), 2, 1 + matches, "/t/base_0000001/bucket_00001")
    assert files.check((part,), (subject,)) == CrossCheck(2, 4, unsure_rows=2)
    files = Files()
    files.add(write([row, ADA], "parquet"), 2, 0)
    assert [place.kind.value for place in files.check((part,), (subject,)).places] == ["cross-check"]


@pytest.mark.parametrize("part", ["upper(email)", "trim(upper(email))"])
@pytest.mark.parametrize("declared", ["varchar(3)", "char(3)"])
def test_a_name_that_its_column_has_become_too_short_for_is_a_place(declared: str, part: str) -> None:
    files = Files()
    files.add(write([ADA, BOB], "orc"), 2, 0)
    found = files.check((part,), ("ADA@X.ORG",), columns=(COLUMNS[0], Column("email", declared)))
    assert [place.kind.value for place in found.places] == ["cross-check"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"ORC and no more", "pyarrow cannot read the file (OSError)"),
        (b"text", "it is neither ORC nor Parquet"),
        (
            write([{"id": 7, "email": 1.5}], "orc", pa.schema([("id", pa.int32()), ("email", pa.float64())])),
            "a key is of a type that only Spark spells",
        ),
    ],
)
def test_a_file_that_one_reader_alone_can_read_is_a_place(content: bytes, reason: str) -> None:
    files = Files()
    files.add(content, 1, 0)
    found = files.check()
    assert (found.files, found.not_checked) == (0, {reason: 1})
    (place,) = found.places
    assert place.kind.value == "cross-check" and place.where == "/t/base_0000001/bucket_00000"
    assert reason in place.detail


OTHER_WAYS = {
    "renamed": pa.schema([("id", pa.int32()), ("mail", pa.string())]),
    "in another order": pa.schema([("email", pa.string()), ("id", pa.string())]),
    "in upper case": pa.schema([("ID", pa.int32()), ("EMAIL", pa.string())]),
    "without names": pa.schema([("_col0", pa.int32()), ("_col1", pa.string())]),
}


@pytest.mark.parametrize("form", ["acid", "orc"])
@pytest.mark.parametrize("way", OTHER_WAYS)
def test_a_column_is_looked_for_by_name_and_by_position(form: str, way: str) -> None:
    schema = OTHER_WAYS[way]
    values = {
        name: 7 if kind == pa.int32() else "Ada@x.org" for name, kind in zip(schema.names, schema.types, strict=True)
    }
    if way == "in another order":
        values["id"] = "somebody"
    files = Files()
    files.add(write([values], form, schema), 1, 1)
    assert files.check() == CrossCheck(1, 1)
    files = Files()
    files.add(write([values], form, schema), 1, 0)
    assert [place.kind.value for place in files.check().places] == ["cross-check"]


def test_a_column_that_came_later_has_no_value_in_older_files() -> None:
    files = Files()
    files.add(write([{"id": 7}], "orc", pa.schema([("id", pa.int32())])), 1, 0)
    assert files.check() == CrossCheck(1, 1)


def test_a_file_that_changed_is_a_place() -> None:
    files = Files()
    files.add(write([ADA], "orc"), 1, 1)
    content = files.system.bytes["/t/base_0000001/bucket_00000"]
    for changed in (content + b"x", content[:-1]):
        files.system.bytes["/t/base_0000001/bucket_00000"] = changed
        found = files.check()
        assert found.not_checked == {"the file changed meanwhile": 1} and len(found.places) == 1


def test_an_expression_of_one_name_is_a_path() -> None:
    assert parse_part("a.`B c`.d").path == ("a", "b c", "d")
    with pytest.raises(NotPlain):
        parse_part("'Ada'")


def test_a_file_that_storage_cannot_read_is_a_place() -> None:
    def refuse(path: str, start: int, length_bytes: int) -> bytes:
        raise build_error("HIVE_ACID_STORAGE", path=path, action="reading", reason="a checksum does not fit")

    files = Files()
    files.add(write([ADA], "orc"), 1, 1)
    files.system.read_range = refuse  # type: ignore[method-assign]
    found = files.check()
    assert found.not_checked == {"storage cannot read the file": 1} and len(found.places) == 1


def test_a_file_that_the_cleaner_has_removed_meanwhile_is_none() -> None:
    files = Files()
    files.add(write([ADA], "orc"), 1, 1)
    files.system.delete_tree("/t/base_0000001/bucket_00000")
    assert files.check() == CrossCheck(not_checked={"it is not there any more": 1})


def test_what_is_not_compared_is_told_by_the_key() -> None:
    alone = (OneReader(Key(("trim(a || b)",)), "a key is an expression that only Spark computes"),)
    assert CrossCheck(2, 9, {"b": 1, "a": 2}, (), alone, 3).describe() == {
        "files": 2,
        "rows": 9,
        "unsure_rows": 3,
        "differences": 0,
        "in_part": 0,
        "not_checked": [{"reason": "a", "files": 2}, {"reason": "b", "files": 1}],
        "one_reader": [{"key": ["trim(a || b)"], "reason": "a key is an expression that only Spark computes"}],
    }
