"""A person is found and masked in a text, in whatever script and spelling, and whatever the text escapes."""

from __future__ import annotations

import pytest

from hive_acid_erasure.subjects.folding import fold
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.readings import build_readings
from hive_acid_erasure.subjects.spotting import Spotter
from hive_acid_erasure.subjects.subjects import build_subjects
from support.spellings import NAMES, TEXTS, find_spellings

KEY = HashKey(b"the secret of a test" * 2)
SPELLINGS = tuple(find_spellings())


def spotter(*names: str) -> Spotter:
    return build_subjects(names, ["name"]).spotters(KEY).of(())


def test_there_are_a_thousand_spellings_in_twenty_scripts_and_thirteen_kinds_of_texts() -> None:
    assert len(SPELLINGS) >= 1000
    assert (len(NAMES) > 20, len(TEXTS)) == (True, 13)


@pytest.mark.parametrize("kind", TEXTS)
def test_each_spelling_is_found_and_masked(kind: str) -> None:
    missed = []
    for name, spelling in SPELLINGS:
        text, finder = TEXTS[kind](spelling), spotter(name)
        masked = finder.mask(text)
        shown = any(fold(name) in fold(reading.text) for reading in build_readings(masked))
        if not finder.count(text) or shown:
            missed.append((name, spelling, text, masked))
    assert missed == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann", "Annual report of Joann and annex 7ann"),
        ("Lee", "sleeping, fleet, lee2"),
        ("राम", "रामा"),
        ("andre", "andr\u00e9 and andre\u0301"),
        ("47", "47 rows of 4711"),
        ("12345", "12345 rows"),
        ("491709998877", "1491709998877 or 4917099988771"),
    ],
)
def test_a_word_that_contains_a_name_names_nobody(name: str, text: str) -> None:
    assert (spotter(name).count(text), spotter(name).mask(text)) == (0, text)


@pytest.mark.parametrize("text", ["Ann Lee", "for Ann Lee", "Ann Lee and Ann Lee-Miller", "ANN LEE-MILLER"])
def test_names_that_begin_alike_are_found_also_where_the_text_ends(text: str) -> None:
    finder = spotter("Ann Lee", "Ann Lee-Miller", "Ann")
    assert finder.count(text) == text.lower().count("ann")
    assert "lee" not in finder.mask(text).lower()


@pytest.mark.parametrize("text", ["Ada,Lovelace", "first=Ada/last=Lovelace", '{"first": "ADA", "last": "lovelace"}'])
def test_values_beside_each_other_name_who_has_them_all(text: str) -> None:
    subjects = build_subjects([("Ada", "Lovelace"), ("Bob", "Ross")], ["first", "last"])
    finder = subjects.spotters(KEY).of(())
    assert finder.count(text) == 1
    assert finder.count("Ada Ross") == finder.count("Ada wrote a long letter of many words to Lovelace") == 0
    assert "ada" not in finder.mask("of Ada alone").lower()
