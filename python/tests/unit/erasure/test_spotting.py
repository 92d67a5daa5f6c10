"""Texts show nobody once they are masked, and all of their other words."""

from __future__ import annotations

import re

import pytest

from hive_acid_erasure.engine import Key, KeyedHashes
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.spotting import Spotters
from hive_acid_erasure.subjects.subjects import build_subjects

KEY = HashKey(b"the secret of a test" * 2)
ADA, ACCOUNT = "ada.lovelace@example.org", "a-17"


def mark(text: str) -> str:
    return f"#{KEY.hash_parts((text,)).hex()[:16]}"


@pytest.mark.parametrize(
    "text",
    [
        f"/people/{ADA}.txt",
        f"/people/{ADA}/{ACCOUNT}/bucket_00000",
        f"{ACCOUNT} of {ADA}, once more {ACCOUNT}",
        f"who={ADA}/account={ACCOUNT}",
    ],
)
def test_subjects_and_keys_that_paths_of_joins_give_are_masked_where_they_stand(text: str) -> None:
    subjects = build_subjects([(ADA, "447700900123")], ["email", "phone"])
    keys = [KeyedHashes(Key(("account",)), frozenset([KEY.hash_parts((ACCOUNT,))]))]
    masked = subjects.spotters(KEY).of(keys).mask(text)
    assert masked == text.replace(ADA, mark(ADA)).replace(ACCOUNT, mark(ACCOUNT))


@pytest.mark.parametrize(
    "text", [f"/people/{ACCOUNT}.txt", f"of {ACCOUNT}.", f"a. {ACCOUNT} . b", "of Dr. No.", "Dr. No.txt"]
)
def test_a_value_that_is_known_by_its_hash_alone_is_masked_and_no_sign_beside_it(text: str) -> None:
    values = (ACCOUNT, "Dr. No.")
    keys = [KeyedHashes(Key(("account",)), frozenset(KEY.hash_parts((value,)) for value in values))]
    expected = text
    for value in values:
        expected = expected.replace(value, mark(value))
    assert Spotters(KEY).of(keys).mask(text) == expected


def test_a_short_number_behind_a_sign_names_nobody() -> None:
    keys = [KeyedHashes(Key(("id",)), frozenset([KEY.hash_parts(("0",))]))]
    assert Spotters(KEY).of(keys).count("spark.sql.sources.schema.partCol.0") == 0


@pytest.mark.parametrize(
    "text",
    ["write IDs 12, 345", "12 of 345 rows", '{"tasks": 12, "rows": 345}', "bucket=12/", "versions 12.0 and 345.0"],
)
@pytest.mark.parametrize("is_given", [True, False])
def test_short_numbers_of_a_key_of_several_columns_name_nobody_in_a_text(text: str, is_given: bool) -> None:
    keys = [KeyedHashes(Key(("shop", "id")), frozenset([KEY.hash_parts(("12", "345"))]))]
    subjects = build_subjects([("12", "345") if is_given else ("Ada", "Lovelace")], ["shop", "id"])
    spotter = subjects.spotters(KEY).of(() if is_given else keys)
    assert (spotter.count(text), spotter.mask(text)) == (0, text)


@pytest.mark.parametrize("text", ["shop=12/id=345", "/t/id=345/shop=12/000000_0"])
@pytest.mark.parametrize("is_given", [True, False])
def test_they_do_as_the_values_of_a_partition(text: str, is_given: bool) -> None:
    keys = [KeyedHashes(Key(("shop", "id")), frozenset([KEY.hash_parts(("12", "345"))]))]
    subjects = build_subjects([("12", "345") if is_given else ("Ada", "Lovelace")], ["shop", "id"])
    spotter = subjects.spotters(KEY).of(() if is_given else keys)
    assert spotter.count(text) == 1
    assert not {"12", "345"} & set(re.split(r"\W", spotter.mask(text)))
    assert not {"12", "345"} & set(re.split(r"\W", spotter.mask("no partition [12, 345]")))


@pytest.mark.parametrize("text", ["1234567", "01234567", "1234567.0", "1.234567E6", "1234567L", "1234567.00BD"])
def test_a_long_number_is_masked_however_it_is_spelled_also_as_a_part_of_a_key(text: str) -> None:
    part = build_subjects([("12", "1234567")], ["shop", "id"]).spotters(KEY).of(())
    whole = build_subjects(["1234567"], ["id"]).spotters(KEY).of(())
    link = Spotters(KEY).of([KeyedHashes(Key(("id",)), frozenset([KEY.hash_parts(("1234567",))]))])
    for spotter, count in ((part, 0), (whole, 1), (link, 1)):
        quoted = f"the value {text} cannot be cast"
        assert spotter.count(quoted) == count
        assert "234567" not in spotter.mask(quoted)
