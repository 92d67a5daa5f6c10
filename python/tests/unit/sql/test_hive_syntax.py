"""Texts in Hive's spelling are cut where Spark wants something more, and not changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.sql.hive_syntax import find_column_gaps

MERGE = "MERGE INTO t USING s ON t.id = s.id "
INSERT = "WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'x')"


def gaps(text: str) -> list[tuple[str, ...]]:
    """The tables whose columns are wanted, once it is sure that the pieces are the text."""
    found = find_column_gaps(text)
    if found is None:
        return []
    assert "".join(gap.text for gap in found.gaps) + found.rest == text
    assert all(gap.text.upper().endswith("INSERT") for gap in found.gaps)
    return [gap.table for gap in found.gaps]


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        (MERGE + INSERT, [("t",)]),
        (f"{MERGE}{INSERT} WHEN NOT MATCHED AND true THEN\n insert -- all\n values (1)", [("t",), ("t",)]),
        ("MERGE INTO `a b`.`t` AS x USING s ON true " + INSERT, [("a b", "t")]),
        ("merge into spark_catalog.db.t x USING s ON true " + INSERT, [("spark_catalog", "db", "t")]),
        (f"BEGIN {MERGE}{INSERT}; MERGE INTO u USING s ON true {INSERT}; END", [("t",), ("u",)]),
        (f"{MERGE}WHEN MATCHED AND s.v = 'THEN INSERT VALUES' THEN DELETE /* THEN INSERT VALUES */ {INSERT}", [("t",)]),
        (f"EXPLAIN {MERGE}{INSERT}", [("t",)]),
        (f"{MERGE}WHEN NOT MATCHED THEN INSERT (id) VALUES (1)", []),
        (f"{MERGE}WHEN NOT MATCHED THEN INSERT *", []),
        (f"{MERGE}WHEN MATCHED AND s.v = 'THEN INSERT VALUES' THEN DELETE", []),
        (f"{MERGE}WHEN MATCHED THEN DELETE; SELECT {INSERT}", []),
        (INSERT, []),
        ("MERGE INTO", []),
        ("SELECT 'not closed", []),
        ("", []),
    ],
)
def test_each_insert_of_a_merge_without_columns_is_a_gap(text: str, tables: list[tuple[str, ...]]) -> None:
    assert gaps(text) == tables


@given(st.text(max_size=20), st.sampled_from(["'{}'", "/* {} */", "`{}`"]))
def test_whatever_a_literal_comment_or_name_holds_the_pieces_are_the_text(inner: str, quoted: str) -> None:
    gaps(f"{MERGE}WHEN MATCHED AND {quoted.format(inner)} = 1 THEN DELETE {INSERT}")
