"""The metastore's text of a map comes back as the map."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.metastore.stringable_map import format_map, parse_map


def test_the_text_is_that_of_hive() -> None:
    assert format_map({"a": "bc", "tblprops.x": "1:2"}) == "2:1:a2:bc10:tblprops.x3:1:2"


@given(st.dictionaries(st.text(), st.text(), max_size=4))
def test_every_map_comes_back(entries: dict[str, str]) -> None:
    assert parse_map(format_map(entries)) == entries


@pytest.mark.parametrize("text", ["", "1", "1:", "1:1:a", "1:1:a5:bc", "x:", "1:-1:a1:b", "a=b"])
def test_what_is_no_map_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_map(text)
