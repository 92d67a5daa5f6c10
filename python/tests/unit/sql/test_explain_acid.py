"""EXPLAIN ACID is cut off without moving anything."""

from __future__ import annotations

import pytest

from hive_acid.sql.explain_acid import find_explained


@pytest.mark.parametrize(
    ("text", "statement", "formatted"),
    [
        ("EXPLAIN ACID DELETE FROM t", "             DELETE FROM t", False),
        ("explain acid formatted delete from t", "                       delete from t", True),
        (" EXPLAIN\n\tACID -- why\nUPDATE t SET a = 'ACID'", "        \n\t     -- why\nUPDATE t SET a = 'ACID'", False),
        ("/* EXPLAIN */ EXPLAIN ACID/**/TRUNCATE TABLE t", "/* EXPLAIN */             /**/TRUNCATE TABLE t", False),
        ("EXPLAIN ACID DELETE FROM t WHERE a = 'ä𝄞' -- ;", "             DELETE FROM t WHERE a = 'ä𝄞' -- ;", False),
        ("EXPLAIN ACID EXPLAIN ACID DELETE FROM t", "             EXPLAIN ACID DELETE FROM t", False),
        ("EXPLAIN ACID", "            ", False),
    ],
)
def test_the_statement_behind_the_words_stays_where_it_is(text: str, statement: str, formatted: bool) -> None:
    found = find_explained(text)
    assert found is not None
    assert (found.text, found.formatted) == (statement, formatted)
    assert len(found.text) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "EXPLAIN",
        "EXPLAIN DELETE FROM t",
        "EXPLAIN FORMATTED ACID DELETE FROM t",
        "EXPLAIN `ACID` DELETE FROM t",
        "'EXPLAIN ACID' DELETE FROM t",
        "DELETE FROM t -- EXPLAIN ACID",
        "BEGIN EXPLAIN ACID DELETE FROM t; END",
        "EXPLAIN ACID DELETE FROM t WHERE a = 'open",
    ],
)
def test_no_other_text_is_touched(text: str) -> None:
    assert find_explained(text) is None
