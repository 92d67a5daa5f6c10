"""A run of everything may be done in parts."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.dealing import LONG_SECONDS
from support.parts import Part, deal_units, parse_part

UNITS = st.dictionaries(
    st.sampled_from([*LONG_SECONDS, *(f"python/tests/unit/test_{number}.py" for number in range(20))]),
    st.integers(1, 500),
)


@given(UNITS, st.integers(1, 6))
def test_all_parts_together_run_each_unit_once(test_counts: dict[str, int], part_count: int) -> None:
    parts = deal_units(test_counts, part_count)
    assert len(parts) == part_count
    assert sorted(unit for part in parts for unit in part) == sorted(test_counts)


@given(UNITS, st.integers(1, 6), st.randoms())
def test_parts_are_the_same_in_whatever_order_tests_are_collected(
    test_counts: dict[str, int], part_count: int, random: Random
) -> None:
    shuffled = list(test_counts.items())
    random.shuffle(shuffled)
    assert deal_units(dict(shuffled), part_count) == deal_units(test_counts, part_count)


def test_long_units_are_not_all_in_one_part() -> None:
    longest = sorted(LONG_SECONDS, key=lambda unit: -LONG_SECONDS[unit])[:3]
    parts = deal_units(dict.fromkeys(LONG_SECONDS, 1), 3)
    assert all(len(part.intersection(longest)) == 1 for part in parts)


def test_a_part_is_a_number_and_a_count() -> None:
    assert parse_part("2/3") == Part(2, 3)


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "a/b", "1/0", "-1/2", "1/2/3"])
def test_what_names_no_part_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="--part takes a number and a count like 1/3"):
        parse_part(text)
