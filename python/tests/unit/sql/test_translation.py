"""A statement of another engine becomes one of Spark's that says the same, or is left to the hints."""

from __future__ import annotations

import re

import pytest

from hive_acid.sql.translation import translate
from hive_acid.wire.rewriting import Translation

T = ("t",)


@pytest.mark.parametrize(
    ("text", "expected", "table"),
    [
        ("TRUNCATE t;", "TRUNCATE TABLE t", T),
        ("truncate `a b`.t PARTITION (k = 1)", "TRUNCATE TABLE `a b`.t PARTITION (k = 1)", ("a b", "t")),
        (
            "DELETE FROM t USING s WHERE t.id = s.id",
            "MERGE INTO t USING s ON (t.id = s.id ) WHEN MATCHED THEN DELETE",
            T,
        ),
        (
            "EXPLAIN EXTENDED DELETE FROM db.t AS x USING (SELECT a, b FROM s WHERE a > 1) y WHERE x.a = y.a -- why",
            "EXPLAIN EXTENDED MERGE INTO db.t AS x USING (SELECT a, b FROM s WHERE a > 1) y ON (x.a = y.a ) "
            "WHEN MATCHED THEN DELETE",
            ("db", "t"),
        ),
        (
            "UPDATE t SET a = s.a, b = extract(YEAR FROM s.d), c = s.x IS NOT DISTINCT FROM s.y FROM s WHERE t.k = s.k",
            "MERGE INTO t USING s ON (t.k = s.k ) WHEN MATCHED THEN "
            "UPDATE SET a = s.a, b = extract(YEAR FROM s.d), c = s.x IS NOT DISTINCT FROM s.y",
            T,
        ),
        (
            "UPDATE t x SET (a, `b c`) = (b + 1, f(2, (SELECT 3))), (d) = (SELECT 4, 5) WHERE id = 1",
            "UPDATE t x SET a = b + 1, `b c` = f(2, (SELECT 3)), d = (SELECT 4, 5) WHERE id = 1",
            T,
        ),
        (
            "UPDATE t SET (a, b) = (s.a, 2) FROM s WHERE t.k = s.k",
            "MERGE INTO t USING s ON (t.k = s.k ) WHEN MATCHED THEN UPDATE SET a = s.a, b = 2",
            T,
        ),
    ],
)
def test_the_same_is_said_in_sparks_words(text: str, expected: str, table: tuple[str, ...]) -> None:
    found = translate(text)
    assert found is not None
    assert Translation(re.sub(r"\s+", " ", found.text), found.table) == Translation(expected, table)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "EXPLAIN",
        "TRUNCATE TABLE t CASCADE",
        "DELETE FROM t WHERE id = 1 LIMIT 2",
        "DELETE FROM t USING s",
        "DELETE FROM t USING s, u WHERE t.id = s.id",
        "DELETE FROM t USING s JOIN u ON s.id = u.id WHERE t.id = s.id",
        "DELETE FROM t USING s WHERE t.id = s.id RETURNING t.id",
        "DELETE FROM t USING s WHERE t.id = s.id LIMIT 1",
        "DELETE FROM t USING s WHERE",
        "DELETE FROM USING WHERE",
        "UPDATE t SET a = 1 FROM s",
        "UPDATE t SET a = 1 WHEREE b",
        "UPDATE t SET (a, b) = (SELECT 1, 2)",
        "UPDATE t SET (a, b) = (1)",
        "UPDATE t SET (a, b) = (1, )",
        "UPDATE t SET (a, b) = (1, 2) || c",
        "UPDATE t SET (a, b) = 1",
        "UPDATE t SET (a, b",
        "UPDATE t SET ,",
        "UPDATE t SET a = 1 WHERE b IS DISTINCT FROM c",
        "UPDATE t SET FROM s WHERE a = 1",
    ],
)
def test_what_a_merge_does_not_say_is_left_to_the_hints(text: str) -> None:
    assert translate(text) is None
