"""A second reader compares files with what was found in them; what it cannot compare is told."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from hive_acid.erasure.cross_check import CrossCheck
from hive_acid.erasure.plain_keys import NotPlain, parse_part
from hive_acid.errors import build_error
from unit.erasure.searched_files import ADA, BOB, NOBODY, Files, write


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
