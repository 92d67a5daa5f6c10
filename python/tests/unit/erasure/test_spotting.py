"""Texts show nobody once they are masked, and all of their other words."""

from __future__ import annotations

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
