"""No literal of any kind, and no name but those of tables and columns, survives in what is kept of a statement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.sql.redaction import redact

SECRET = "zyx987"
"""In every literal and comment of the generated statements, and nowhere else."""
NAMES = frozenset(("t", "s", "a", "b", "c", "d", "id", "name", "gone", "x", "café", "a`b", "2020", "a b"))
"""Names of tables and columns."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DELETE FROM t WHERE name = 'Ada' AND id > 1.5e3", "DELETE FROM t WHERE name = ? AND id > ?"),
        (
            "INSERT INTO t VALUES (-1, \"x\", X'1F', 2L, .5, 1BD, NULL)",
            "INSERT INTO t VALUES (-?, ?, ?, ?, .?, ?, NULL)",
        ),
        ("UPDATE t SET d = DATE'2020-01-01' + INTERVAL '1' DAY", "UPDATE t SET d = DATE? + INTERVAL ? DAY"),
        ("DELETE FROM t /* a /* b */ c */ WHERE -- why\n id = :id", "DELETE FROM t WHERE id = :id"),
        (
            r"DELETE FROM t WHERE a = r'\' AND b = 'it''s' OR c = 'it\'s'",
            "DELETE FROM t WHERE a = ? AND b = ?? OR c = ?",
        ),
        (
            "INSERT INTO `a``b`.`2020` PARTITION (d = '2020') TABLE s",
            "INSERT INTO `a``b`.`2020` PARTITION (d = ?) TABLE s",
        ),
        ("DELETE FROM t WHERE gone = true AND a <=> FALSE", "DELETE FROM t WHERE gone = ? AND a <=> ?"),
        (
            "INSERT INTO t SELECT a FROM s GROUP BY a ORDER  BY a DESC",
            "INSERT INTO t SELECT a FROM s GROUP BY a ORDER BY a DESC",
        ),
        ("INSERT INTO t SELECT 2020_sales, ?, café FROM s;", "INSERT INTO t SELECT ?, ?, café FROM s;"),
    ],
)
def test_a_statement_keeps_its_names_and_words(text: str, expected: str) -> None:
    assert redact(text, NAMES) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-- nothing",
        "DELETE FROM t WHERE a = 'no end",
        "SELECT $$it's secret$$, 'b'",
        "SELECT ${v}",
        "-- goes on \\\n secret\nDELETE FROM t",
    ],
)
def test_what_cannot_be_told_apart_is_nothing(text: str) -> None:
    assert redact(text, NAMES) is None


_BODY = st.text("ab \n;-/*(){}$%_?:é", max_size=4)
_INNER = st.tuples(_BODY, _BODY).map(SECRET.join)
_ESCAPED = st.sampled_from(["", r"\'", r"\"", r"\\", r"\n"])
_LITERALS = st.one_of(
    st.tuples(_INNER, _ESCAPED).map(lambda parts: "'" + "".join(parts) + "'"),
    st.tuples(_ESCAPED, _INNER).map(lambda parts: '"' + "".join(parts) + '"'),
    st.tuples(_INNER, st.sampled_from(["", "\\", "''"])).map(lambda parts: "r'" + "".join(parts) + "'"),
    st.tuples(_INNER, st.sampled_from(["", "\\"])).map(lambda parts: 'R"' + "".join(parts) + '"'),
    _INNER.map(lambda text: f"DATE '{text}'"),
    _INNER.map(lambda text: f"'a''{text}'"),
)
_NUMBERS = st.sampled_from(["987654", "987.654", ".987654", "987654L", "987654BD", "9.87654e3", "-987654", "X'987654'"])
_COMMENTS = st.sampled_from([f"-- {SECRET}'\n", f"/* {SECRET} ' \" */", f"/* /* {SECRET} */ '{SECRET}' */"])
_WORDS = st.sampled_from(["AND", "name", "=", "(", ")", ",", "`a b`", "CASE", "IN", "+", "->"])
_STATEMENTS = st.lists(st.one_of(_LITERALS, _NUMBERS, _COMMENTS, _WORDS), max_size=12).map(
    lambda parts: " ".join(["DELETE FROM t WHERE", *parts])
)


def assert_nothing_survives(text: str | None) -> None:
    assert text is None or (SECRET not in text and not any(character.isdigit() for character in text))


@given(_STATEMENTS)
def test_no_literal_and_no_comment_survives(text: str) -> None:
    redacted = redact(text, NAMES)
    assert_nothing_survives(redacted)
    if "\\\n" not in text:
        assert redacted is not None and redacted.startswith("DELETE FROM t WHERE")


@given(_STATEMENTS, st.integers(0, 200))
def test_nor_does_the_beginning_of_one_in_a_text_that_was_cut_off(text: str, length: int) -> None:
    redacted = redact(text[:length], NAMES, is_whole=False)
    assert_nothing_survives(redacted)
    assert redacted is None or not any(part in redacted for part in ("zyx", "zy", "yx"))


@given(_STATEMENTS, st.integers(0, 200))
def test_nor_does_a_part_of_one_whatever_place_in_a_script_is_asked_for(text: str, position: int) -> None:
    assert_nothing_survives(redact(f"BEGIN {text}; {text}; END", NAMES, position))


def test_of_a_script_only_the_statement_at_the_place_is_kept() -> None:
    script = "BEGIN UPDATE t SET a = 1; IF x THEN DELETE FROM t WHERE b = ';'; END IF; END"
    assert redact(script, NAMES, script.index("UPDATE")) == "UPDATE t SET a = ?"
    assert redact(script, NAMES, script.index("DELETE")) == "DELETE FROM t WHERE b = ?"
    # the place is one in a text with the parameters' values
    assert redact("BEGIN DELETE FROM t WHERE a = :a; END", NAMES, 11) == "BEGIN DELETE FROM t WHERE a = :a; END"


def test_the_beginning_of_a_long_statement_is_kept() -> None:
    text = "INSERT INTO t VALUES " + ", ".join(f"({number}, 'it\\'s {number} -- x')" for number in range(1_000))
    for length in range(9_980, 10_000):
        redacted = redact(text[:length], NAMES, is_whole=False)
        assert redacted and redacted.startswith("INSERT INTO t VALUES (?, ?), (?, ?), ")
        assert_nothing_survives(redacted)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INSERT INTO t SELECT a AS `Martin King`, b AS King FROM s", "INSERT INTO t SELECT a AS _1, b AS _2 FROM s"),
        (
            "WITH Ada AS (TABLE s) INSERT INTO t SELECT ada.a FROM Ada",
            "WITH _1 AS (TABLE s) INSERT INTO t SELECT _1.a FROM _1",
        ),
        (
            "MERGE INTO T USING updates u ON t.ID = u.id WHEN MATCHED THEN UPDATE SET *",
            "MERGE INTO T USING _1 _2 ON t.ID = _2.id WHEN MATCHED THEN UPDATE SET *",
        ),
        ("DELETE FROM t WHERE a = :ann AND `a b` IS NOT NULL", "DELETE FROM t WHERE a = :_1 AND `a b` IS NOT NULL"),
        ("UPDATE t SET d = upper(lee(d)), c = `select`", "UPDATE t SET d = upper(_1(d)), c = _2"),
        ("INSERT INTO t SELECT `मोदी`.a FROM s `x``y`", "INSERT INTO t SELECT _1.a FROM s _2"),
    ],
)
def test_a_name_that_only_the_statement_has_is_numbered(text: str, expected: str) -> None:
    assert redact(text, NAMES) == expected


@pytest.mark.parametrize(
    "text",
    [
        "INSERT OVERWRITE TABLE t PARTITION (d) IF NOT EXISTS SELECT DISTINCT a, count(*) OVER (PARTITION BY b "
        "ORDER BY c DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM s LATERAL VIEW explode(b)",
        "MERGE INTO t USING s ON t.id <=> s.id WHEN MATCHED AND s.gone THEN DELETE WHEN NOT MATCHED BY SOURCE THEN "
        "UPDATE SET a = DEFAULT WHEN NOT MATCHED THEN INSERT (id) VALUES (CAST(s.a AS BIGINT))",
        "INSERT INTO t SELECT CASE WHEN a IN (b, c) THEN coalesce(a, current_date()) ELSE try_cast(b AS TIMESTAMP) END "
        "FROM s LEFT ANTI JOIN t USING (id) GROUP BY ROLLUP (a) HAVING max(b) LIKE c LIMIT ALL",
        "TRUNCATE TABLE t",
        "CREATE TABLE t PARTITIONED BY (a) CLUSTERED BY (b) SORTED BY (c) STORED AS ORC TBLPROPERTIES () AS TABLE s",
    ],
)
def test_words_of_sql_stay(text: str) -> None:
    assert redact(text, NAMES) == text
