"""Texts in Hive's spelling are cut where Spark wants something more, and a word of it is blanked; nothing is moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.sql.hive_syntax import respell

MERGE = "MERGE INTO t USING s ON t.id = s.id "
INSERT = "WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'x')"


def gaps(text: str) -> list[tuple[str, ...]]:
    """The tables whose columns are wanted, once it is sure that the pieces are the text."""
    found = respell(text)
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


CREATE = "CREATE TRANSACTIONAL TABLE t (id INT)"
BLANKED = "CREATE               TABLE t (id INT)"


@pytest.mark.parametrize(
    ("text", "blanked", "creations"),
    [
        (CREATE, BLANKED, (0,)),
        ("create\nTransactional -- TRANSACTIONAL\ntable t", "create\n              -- TRANSACTIONAL\ntable t", (0,)),
        (f"/* CREATE TRANSACTIONAL TABLE */ {CREATE}", f"/* CREATE TRANSACTIONAL TABLE */ {BLANKED}", (33,)),
        (f"EXPLAIN {CREATE}", f"EXPLAIN {BLANKED}", (8,)),
        (
            f"BEGIN SELECT '\U0001f600'; {CREATE}; {CREATE}; END",
            f"BEGIN SELECT '\U0001f600'; {BLANKED}; {BLANKED}; END",
            (18, 57),
        ),
        (f"{CREATE} COMMENT 'CREATE TRANSACTIONAL TABLE'", f"{BLANKED} COMMENT 'CREATE TRANSACTIONAL TABLE'", (0,)),
        (
            "CREATE TRANSACTIONAL TABLE transactional (transactional INT)",
            "CREATE               TABLE transactional (transactional INT)",
            (0,),
        ),
    ],
)
def test_the_word_transactional_is_blanked_and_every_other_character_stays(
    text: str, blanked: str, creations: tuple[int, ...]
) -> None:
    found = respell(text)
    assert found is not None
    assert (found.gaps, found.rest, found.creations) == ((), blanked, creations)
    assert all(text[at:].upper().startswith("CREATE") for at in creations)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE `TRANSACTIONAL` TABLE t (id INT)",
        "CREATE TABLE TRANSACTIONAL (id INT)",
        "CREATE TABLE t (id INT) -- CREATE TRANSACTIONAL TABLE",
        "SELECT 'CREATE TRANSACTIONAL TABLE t'",
        "CREATE TRANSACTIONAL VIEW v AS SELECT 1",
        "CREATE EXTERNAL TABLE t (id INT)",
        "DROP TRANSACTIONAL TABLE t",
        "CREATE TRANSACTIONAL",
    ],
)
def test_a_text_without_that_statement_is_left_alone(text: str) -> None:
    assert respell(text) is None


def test_a_script_may_have_both_spellings() -> None:
    text = f"BEGIN {CREATE}; {MERGE}{INSERT}; {CREATE}; END"
    found = respell(text)
    assert found is not None
    assert found.creations == (6, text.rindex(CREATE))
    assert [gap.table for gap in found.gaps] == [("t",)]
    assert found.gaps[0].text.startswith(f"BEGIN {BLANKED}; MERGE INTO t")
    assert found.rest.endswith(f"; {BLANKED}; END")
