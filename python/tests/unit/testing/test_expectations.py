"""What an input itself says of its answers, and of where it runs."""

from __future__ import annotations

import pytest

from hive_acid_sqltest.input.expectations import Outcome, parse_expectation, parse_requirement

NONE, ONE, TWO = Outcome(), Outcome(("a\tb",)), Outcome(("1", "2"))
FAILED = Outcome(error="SOME_CONDITION.PART")


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("no rows", [NONE]),
        ("0 rows", [NONE]),
        ("1 row", [ONE]),
        ("2 rows", [TWO]),
        ("value a\tb", [ONE]),
        ("value", []),
        ("error", [FAILED]),
        ("error SOME_CONDITION", [FAILED]),
        ("error SOME_CONDITION.PART", [FAILED]),
        ("error SOME", []),
    ],
)
def test_an_expectation_is_met_by_its_outcome_alone(text: str, met: list[Outcome]) -> None:
    expected = parse_expectation(text)
    assert [each for each in (NONE, ONE, TWO, FAILED) if not expected.find_fault(each)] == met


def test_a_fault_says_what_was_found() -> None:
    faults = [parse_expectation("value x").find_fault(each) for each in (NONE, ONE, TWO, FAILED)]
    found = ["no rows", "value a\tb", "2 rows", "error SOME_CONDITION.PART"]
    assert faults == [f"expected value x, found {each}" for each in found]


@pytest.mark.parametrize("text", ["", "rows", "-1 rows", "2 rows more", "errors", "any"])
def test_other_forms_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text}$"):
        parse_expectation(text)


@pytest.mark.parametrize(
    ("text", "version", "is_met"),
    [
        ("spark >= 4.0", "4.0.2", True),
        ("spark >= 4.0", "3.5.9", False),
        ("spark == 4.0", "4.0.2", True),
        ("spark == 4.0", "4.1.0", False),
        ("metastore < 4", "3.0", True),
        ("metastore < 4", "4.0.0", False),
        ("spark>=4.10", "4.9.1", False),
        ("spark >= 4.3", "4.3.0-SNAPSHOT", True),
    ],
)
def test_versions_are_compared_by_as_many_numbers_as_are_given(text: str, version: str, is_met: bool) -> None:
    assert parse_requirement(text).is_met(version) is is_met


@pytest.mark.parametrize("text", ["spark", "spark 4.0", "hive >= 4", "spark >= x"])
def test_another_requirement_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        parse_requirement(text)
