"""Plans and subjects are read, and what is wrong with them is named, without naming a subject."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row

from hive_acid.errors import HiveAcidError
from hive_acid_erasure.engine import Key
from hive_acid_erasure.plan.plan import NamedKey, SearchLimits
from hive_acid_erasure.plan.plan_parsing import build_plan, parse_plan, read_plan
from hive_acid_erasure.subjects.keyed_hash import HashKey, encode_parts
from hive_acid_erasure.subjects.subjects import build_subjects, read_subjects

PLAN = """
subjects = ["id", "email"]
deadline = 2026-12-01T00:00:00Z
one_transaction = true
[guard]
max_rows = 100
max_percent = 2.5
[tables."shop.sales"]
keys = [{id = "customer_id"}, {email = "lower(contact.email)"}]
partitions = "day > '2024-01-01'"
[tables."shop.events"]
keys = {account = "account_id"}
via = [{table = "shop.accounts", keys = {id = "owner"}, link = {account = "id"}}]
"""
TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=4)


def condition_of(caught: Any) -> str:
    found: str = caught.value.getCondition()
    return found.partition(".")[2]


def test_a_plan_is_read_from_toml() -> None:
    plan = parse_plan(PLAN)
    sales, events = plan.tables
    assert plan.subject_columns == ("id", "email")
    assert [key.key for key in sales.keys] == [Key(("customer_id",)), Key(("lower(contact.email)",))]
    assert events.via[0].link.key == Key(("id",))
    assert plan.guard.max_rows == 100 and plan.deadline == "2026-12-01T00:00:00+00:00" and plan.one_transaction


def test_parts_of_a_key_stand_in_the_order_of_the_columns() -> None:
    plan = build_plan({"subjects": ["a", "b"], "tables": {"d.t": {"keys": {"b": "y", "a": "x"}}}})
    assert plan.tables[0].keys[0] == NamedKey(("a", "b"), Key(("x", "y")))


def test_plans_differ_by_their_digest() -> None:
    assert parse_plan(PLAN).digest == parse_plan(PLAN + "\n# the same").digest
    assert parse_plan(PLAN).digest != parse_plan(PLAN.replace("100", "101")).digest


def table(**entries: Any) -> dict[str, Any]:
    return {"subjects": ["id"], "tables": {"d.t": {"keys": {"id": "x"}, **entries}}}


def step(name: str, **entries: Any) -> dict[str, Any]:
    return {"table": name, "keys": {"id": "x"}, "link": {"id": "y"}, **entries}


CYCLE = {
    "subjects": ["id"],
    "tables": {
        "d.a": {"keys": {"id": "x"}, "via": [step("d.b")]},
        "d.b": {"keys": {"id": "x"}, "via": [step("d.a")]},
    },
}
WRONG = {
    "PLAN_MISSING": [{}, {"subjects": ["a"]}, {"subjects": ["id"], "tables": {"d.t": {"via": []}}}],
    "PLAN_ENTRY": [
        table(key="x"),
        {**table(), "gaurd": {}},
        {**table(), "guard": {"rows": 1}},
        {**table(), "second_reader": {"rows": 1}},
    ],
    "PLAN_COLUMN": [table(keys={"email": "x"})],
    "PLAN_CYCLE": [CYCLE],
    "PLAN_LINK": [table(via=[step("d.u", link={"id": "x", "other": "y"})])],
    "PLAN_FORM": [
        table(keys=[]),
        table(keys=7),
        table(keys={"id": ""}),
        table(partitions=""),
        table(via=[step("d.u", shared_links="keep")]),
        table(via=[step("d.u", shared_links=True)]),
        {**table(), "guard": {"max_rows": -1}},
        {**table(), "guard": {"max_rows": True}},
        {**table(), "guard": {"max_percent": 101}},
        {**table(), "deadline": "tomorrow"},
        {**table(), "deadline": "2026-01-01T00:00:00"},
        {**table(), "one_transaction": 1},
        {**table(), "second_reader": {"max_rows": 0}},
        {**table(), "second_reader": {"max_files": True}},
        {**table(), "second_reader": 7},
        {**table(), "former_columns": 0},
        {"subjects": ["id"], "tables": {"t": {"keys": {"id": "x"}}}},
        {"subjects": ["id"], "tables": {"d.t": {"keys": {"id": "x"}}, "D.T": {"keys": {"id": "x"}}}},
        {"subjects": ["id", "id"], "tables": {"d.t": {"keys": {"id": "x"}}}},
        {"subjects": [], "tables": {"d.t": {"keys": {"id": "x"}}}},
    ],
}


@pytest.mark.parametrize(("condition", "plan"), [(name, plan) for name, plans in WRONG.items() for plan in plans])
def test_what_is_wrong_with_a_plan_is_named(condition: str, plan: dict[str, Any]) -> None:
    with pytest.raises(HiveAcidError) as caught:
        build_plan(plan)
    assert condition_of(caught) == condition


@pytest.mark.parametrize(("content", "condition"), [(b"subjects = [", "PLAN_SYNTAX"), (b"\xff", "PLAN_NOT_UTF8")])
def test_what_is_no_toml_is_refused(tmp_path: Path, content: bytes, condition: str) -> None:
    (tmp_path / "plan.toml").write_bytes(content)
    with pytest.raises(HiveAcidError) as caught:
        read_plan(tmp_path / "plan.toml")
    assert condition_of(caught) == condition


def test_subjects_are_read_from_csv_and_from_lines(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text('note,email,id\nx,"a,b@c",7\ny,,8\n', encoding="utf-8")
    (tmp_path / "people").write_text("7\n\n8\n7\n", encoding="utf-8")
    assert read_subjects(tmp_path / "people.csv", ["id", "email"]).rows == (("7", "a,b@c"), ("8", None))
    assert read_subjects(tmp_path / "people", ["id"]).rows == (("7",), ("8",))


def test_subjects_without_a_value_are_not_named_by_its_key() -> None:
    subjects = build_subjects([("7", "a@b"), ("8", None), ("9", "a@b")], ["id", "email"])
    assert subjects.project(NamedKey(("email",), Key(("x",)))) == (("a@b",),)
    assert len(subjects.project(NamedKey(("id",), Key(("x",))))) == 3


def test_subjects_may_be_numbers_dates_and_mappings() -> None:
    given_ = [{"id": 7, "born": datetime.date(1815, 12, 10)}, {"id": "8"}]
    assert build_subjects(given_, ["id", "born"]).rows == (("7", "1815-12-10"), ("8", None))


class Person(NamedTuple):
    """Its columns in another order than those of the plan."""

    email: str
    id: str


def test_a_row_of_spark_and_a_named_tuple_are_read_by_their_names() -> None:
    subjects = build_subjects([Row(email="a@b", id=7), Person("c@d", "8"), Row("9", "e@f")], ["id", "email"])
    assert subjects.rows == (("7", "a@b"), ("8", "c@d"), ("9", "e@f"))


def test_signs_within_a_value_and_quotes_of_a_csv_are_a_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('id\n"""Bo"""\n"O\'Hara, Ann"\n\U0001f600\n', encoding="utf-8")
    assert read_subjects(path, ["id"]).rows == (('"Bo"',), ("O'Hara, Ann",), ("\U0001f600",))


SECRET = "Ada-Secret"


class Frame:
    """As frames of pandas and Spark are: going through it gives the names of its columns."""

    columns = ("id",)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


def _read_text(csv: Path, content: str) -> object:
    csv.with_suffix("").write_text(content, encoding="utf-8")
    return read_subjects(csv.with_suffix(""), ["id"])


def _read_csv(csv: Path, content: str) -> object:
    csv.write_text(content, encoding="utf-8")
    return read_subjects(csv, ["id"])


def _join(*values: object) -> Row:
    """As the rows of a join are, both sides of which have the column."""
    row = Row(*values)
    row.__fields__ = ["id"] * len(values)
    return row


READS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a column that is missing": ("SUBJECTS_COLUMN", lambda path: read_subjects(path, ["email"])),
    "a column that is there twice": ("SUBJECTS_COLUMN", lambda path: _read_csv(path, f"id,id\n7,{SECRET}\n")),
    "a line of another length": ("SUBJECT_PARTS", lambda path: read_subjects(path, ["id"])),
    "a value of another type": ("SUBJECT_VALUE", lambda _: build_subjects([1.5], ["id"])),
    "too many values": ("SUBJECT_PARTS", lambda _: build_subjects([(SECRET, SECRET)], ["id"])),
    "a mapping with a column more": ("SUBJECT_COLUMN", lambda _: build_subjects([{"id": 7, "x": SECRET}], ["id"])),
    "a mapping with a column in other letters": ("SUBJECT_COLUMN", lambda _: build_subjects([{"Id": SECRET}], ["id"])),
    "a row with another column": ("SUBJECT_COLUMN", lambda _: build_subjects([Row(name=SECRET)], ["id"])),
    "a row with a column twice": ("SUBJECT_COLUMN", lambda _: build_subjects([_join(7, SECRET)], ["id"])),
    "one text": ("SUBJECTS_LIST", lambda _: build_subjects(SECRET, ["id"])),
    "bytes": ("SUBJECTS_LIST", lambda _: build_subjects(SECRET.encode(), ["id"])),
    "one mapping": ("SUBJECTS_LIST", lambda _: build_subjects({"id": SECRET}, ["id"])),
    "one row": ("SUBJECTS_LIST", lambda _: build_subjects(Row(id=SECRET), ["id"])),
    "a frame": ("SUBJECTS_LIST", lambda _: build_subjects(Frame(), ["id"])),
    "a blank alone": ("SUBJECT_BLANKS", lambda _: build_subjects([" "], ["id"])),
    "a blank before": ("SUBJECT_BLANKS", lambda _: build_subjects([f"\u00a0{SECRET}"], ["id"])),
    "a sign behind that nobody sees": ("SUBJECT_BLANKS", lambda _: build_subjects([f"{SECRET}\u200b"], ["id"])),
    "a line with a blank": ("SUBJECT_BLANKS", lambda path: _read_text(path, f"{SECRET} \n")),
    "a line in quotes": ("SUBJECT_QUOTES", lambda path: _read_text(path, f'"{SECRET}"\n')),
    "nobody": ("SUBJECTS_EMPTY", lambda _: build_subjects(["", None], ["id"])),
    "no text": ("NOT_UNICODE", lambda _: HashKey(b"k" * 32).hash_parts((f"{SECRET}\ud800",))),
}


@pytest.mark.parametrize("name", READS)
def test_what_is_wrong_with_subjects_is_named_without_them(tmp_path: Path, name: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"id,name\n7,{SECRET}\n8,{SECRET},{SECRET}\n", encoding="utf-8")
    condition, read = READS[name]
    with pytest.raises(HiveAcidError) as caught:
        read(path)
    assert condition_of(caught) == condition
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in f"{error!s} {error!r}"
        error = error.__cause__


def test_a_short_key_is_refused_without_it() -> None:
    with pytest.raises(HiveAcidError) as caught:
        HashKey(SECRET.encode())
    assert condition_of(caught) == "HASH_KEY_BYTES" and SECRET not in str(caught.value)


def test_subjects_and_keys_are_not_shown() -> None:
    assert SECRET not in repr(build_subjects([SECRET], ["id"]))
    assert repr(HashKey(b"0123456789abcdef" * 2)) == "HashKey()"


@given(TEXTS, TEXTS)
def test_no_two_different_tuples_are_encoded_alike(one: list[str], other: list[str]) -> None:
    assert (encode_parts(one) == encode_parts(other)) is (one == other)


@given(TEXTS)
def test_hashes_depend_on_the_key(parts: list[str]) -> None:
    one, other = HashKey(b"a" * 32), HashKey(b"b" * 32)
    assert one.hash_parts(parts) == HashKey(b"a" * 32).hash_parts(parts) != other.hash_parts(parts)
    assert one.id != other.id


def test_a_plan_that_leaves_former_columns_out_says_so() -> None:
    plain, limited = build_plan(table()), build_plan({**table(), "former_columns": False})
    assert limited.describe()["former_columns"] is False
    assert plain.digest == build_plan({**table(), "former_columns": True}).digest != limited.digest
    assert SearchLimits.read(limited.describe()) == limited.search_limits != plain.search_limits


def test_a_limit_of_the_second_reader_is_a_part_of_the_plan_and_no_limit_leaves_plans_as_they_were() -> None:
    plain, limited = build_plan(table()), build_plan({**table(), "second_reader": {"max_rows": 500_000}})
    assert "second_reader" not in plain.describe()
    assert limited.describe()["second_reader"] == {"max_files": None, "max_rows": 500_000}
    assert plain.digest == build_plan({**table(), "second_reader": {}}).digest != limited.digest
    assert SearchLimits.read(limited.describe()) == limited.search_limits
    assert SearchLimits.read(plain.describe()) == SearchLimits()
