from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.input.splitting import split_statements


def texts(sql: str) -> list[str]:
    return [statement.text for statement in split_statements(sql, "x.sql")]


def test_a_semicolon_ends_a_statement_and_the_last_one_needs_none() -> None:
    assert texts("SELECT 1;\n\n ;SELECT\n  2 ;; SELECT 3") == ["SELECT 1", "SELECT\n  2", "SELECT 3"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 'a;b'",
        'SELECT "a;b"',
        "SELECT 'it''s; fine'",
        r"SELECT 'it\'s; fine'",
        r"SELECT 'ends with \\'",
        r"SELECT r'\', R'a;b'",
        "SELECT r'\\', 'a;b'",
        "SELECT `a;b` FROM `x``;y`",
        "SELECT bar'x;y'",
        "SELECT '-- no comment;', \"/* nor this;\"",
        "SELECT 1 /* a; /* nested; */ b; */ + 1",
        "SELECT 1 -- with; a comment\n  + 1",
        "SELECT 1 -- continued; \\\n to; here\n  + 1",
        "SELECT /*+ COALESCE(1) */ 1",
        "SELECT 'line\n-- no comment;\nline'",
        "SELECT $$ a; $tag$ b; $$, $tag$ c; $$ $tag$",
        "SET hivevar:x=${y}",
        "SELECT 5 / 2 - -1, a.b[1] || '\N{SNOWMAN};' FROM t WHERE x ->> 'k;' = 1",
    ],
)
def test_a_semicolon_inside_a_text_name_or_comment_ends_nothing(statement: str) -> None:
    assert texts(f"SELECT 0;{statement};SELECT 9") == ["SELECT 0", statement, "SELECT 9"]


@given(
    st.lists(
        st.sampled_from(["'a;b'", '"--"', "`;`", "x", "1", "/* ; */", "r'\\'", "\n", " ", "(", "-", "''"]), min_size=1
    )
)
def test_statements_made_of_sound_pieces_come_back_whole(pieces: list[str]) -> None:
    statement = " ".join(["SELECT", *pieces]).strip()
    assert texts(f"{statement};\n{statement};") == [statement, statement]


def test_lines_that_are_only_a_comment_are_no_part_of_a_statement() -> None:
    sql = "-- first\nSELECT 1,\n  -- inner\n  2;\n-- second\n\n  -- third\nSELECT 3;\n-- last\n"
    found = split_statements(sql, "x.sql")
    assert [statement.text for statement in found] == ["SELECT 1,\n  2", "SELECT 3", ""]
    assert [statement.comments for statement in found] == [
        ((1, "-- first"),),
        ((5, "-- second"), (7, "-- third")),
        ((9, "-- last"),),
    ]
    assert [statement.line for statement in found][:2] == [2, 8]


def test_what_stands_between_delimiters_is_one_statement() -> None:
    sql = """\
SELECT 1
-- before
--QUERY-DELIMITER-START
BEGIN
  -- a line that is only a comment
  SELECT ';'; -- another
  SELECT 2;
END;
--QUERY-DELIMITER-END
SELECT 3; SELECT 4;
"""
    script = "BEGIN\n  SELECT ';'; -- another\n  SELECT 2;\nEND"
    found = split_statements(sql, "x.sql")
    assert [(statement.line, statement.text) for statement in found] == [
        (1, "SELECT 1"),
        (4, script),
        (10, "SELECT 3"),
        (10, "SELECT 4"),
    ]


def test_directives_before_delimiters_belong_to_the_statement_between_them() -> None:
    sql = "--FILES t\n--QUERY-DELIMITER-START\nBEGIN SELECT 1; END\n--QUERY-DELIMITER-END\n-- last\n"
    script, rest = split_statements(sql, "x.sql")
    assert script.comments == ((1, "--FILES t"),)
    assert rest.comments == ((5, "-- last"),)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT 1;\nSELECT 'open;\n", "x.sql:2: the text or name that begins with ' never ends"),
        ("SELECT `open;", "x.sql:1: the text or name that begins with ` never ends"),
        ("SELECT 1;\n\nSELECT /* a /* b */ 2;", "x.sql:3: the comment that begins with /* never ends"),
        ("SELECT\n--FILES t\n1;", "x.sql:2: --FILES stands inside a statement"),
        (
            "SELECT 1;\nBEGIN\n  SELECT 1;\nEND;",
            "x.sql:2: a SQL script (BEGIN … END) stands between --QUERY-DELIMITER-START",
        ),
        ("/* why */ begin select 1; end", "x.sql:1: a SQL script (BEGIN … END) stands between --QUERY-DELIMITER-START"),
        ("main: BEGIN SELECT 1; END", "x.sql:1: a SQL script (BEGIN … END) stands between --QUERY-DELIMITER-START"),
        (
            "SELECT 1;\n--QUERY-DELIMITER-START\nSELECT 1;",
            "x.sql:2: --QUERY-DELIMITER-START has no --QUERY-DELIMITER-END",
        ),
        ("SELECT 1;\n--QUERY-DELIMITER-END\n", "x.sql:2: --QUERY-DELIMITER-END has no --QUERY-DELIMITER-START"),
        (
            "--QUERY-DELIMITER-START\nSELECT 1\n--QUERY-DELIMITER-START\n",
            "x.sql:3: --QUERY-DELIMITER-START stands before its",
        ),
        ("--QUERY-DELIMITER-START\n-- why\n--QUERY-DELIMITER-END\n", "x.sql:3: there is no statement between"),
        (
            "--QUERY-DELIMITER-START\nBEGIN\n--FILES t\nEND\n--QUERY-DELIMITER-END",
            "x.sql:3: --FILES stands inside a statement",
        ),
    ],
)
def test_what_cannot_be_split_is_refused_with_its_line(sql: str, message: str) -> None:
    with pytest.raises(SuiteError) as refused:
        split_statements(sql, "x.sql")
    assert str(refused.value).startswith(message)
