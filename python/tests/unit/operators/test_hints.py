"""A statement of another engine is known by its words, and its error tells what is written here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hive_acid
from hive_acid_ops import hints
from hive_acid_ops.hints import find_hint

CONDITION = "HIVE_ACID_UNKNOWN_STATEMENT"
MESSAGES = json.loads((Path(hive_acid.__file__).parent / "errors/conditions.json").read_text("utf-8"))[CONDITION]


@pytest.mark.parametrize(
    ("text", "name", "statement", "table"),
    [
        ("RESTORE TABLE a.b TO VERSION AS OF 1", "RESTORE", "RESTORE TABLE", ("a", "b")),
        ("restore `a b`.`c` to timestamp as of 'x'", "RESTORE", "RESTORE", ("a b", "c")),
        ("OPTIMIZE t ZORDER BY (id)", "OPTIMIZE", "OPTIMIZE", ("t",)),
        ("CREATE OR REPLACE TABLE c SHALLOW CLONE db.t", "CLONE", "CREATE … CLONE", ("db", "t")),
        ("DELETE t WHERE id = 1", "DELETE_WITHOUT_FROM", "DELETE", ("t",)),
        ("DELETE FROM t, s WHERE t.id = s.id", "DELETE_USING", "DELETE FROM", ("t",)),
        ("DELETE FROM t USING s WHERE t.id = s.id", "DELETE_USING", "DELETE FROM … USING", ("t",)),
        ("DELETE FROM t WHERE id IN (SELECT id FROM s LIMIT 1) LIMIT 2", "DELETE_LIMIT", "DELETE FROM … LIMIT", ("t",)),
        ("UPDATE t SET a = s.a FROM s WHERE t.id = s.id", "UPDATE_FROM", "UPDATE … FROM", ("t",)),
        ("UPDATE t x SET (a, b) = (SELECT 1, 2)", "UPDATE_LISTS", "UPDATE … SET", ("t",)),
        ("INSERT INTO TABLE t VALUES (1) ON CONFLICT DO NOTHING", "UPSERT", "INSERT INTO TABLE … ON CONFLICT", ("t",)),
        ("MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE RETURNING 1", "RETURNING", None, ("t",)),
        ("ALTER TABLE t PARTITION (p = 1) CONCATENATE", "CONCATENATE", "ALTER TABLE … CONCATENATE", ("t",)),
        ("ALTER TABLE t ADD more INT", "ADD_COLUMNS", "ALTER TABLE … ADD", ("t",)),
        ("GRANT SELECT, INSERT ON TABLE t TO USER x", "GRANT", "GRANT … ON TABLE", ("t",)),
        ("SELECT * FROM t WHERE id = 1 FOR UPDATE", "FOR_UPDATE", "SELECT … FROM … FOR UPDATE", ("t",)),
        ("INSERT INTO t AS x REPLACE ON x.a = 1 SELECT 1", "INSERT_REPLACE", "INSERT INTO … REPLACE ON", ("t",)),
        ("END;", "TRANSACTION", "END", ()),
        ("ROLLBACK TO SAVEPOINT a", "TRANSACTION", "ROLLBACK TO", ()),
        ("UNDROP TABLE t", "UNDROP", "UNDROP TABLE", ()),
    ],
)
def test_a_statement_of_another_engine_is_known_with_its_table(
    text: str, name: str, statement: str | None, table: tuple[str, ...]
) -> None:
    found = find_hint(text)

    assert found is not None
    assert (found.condition, found.table) == (f"{CONDITION}.{name}", table)
    assert statement is None or found.statement == statement


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "SELECT FROM WHERE",
        "DELETE FROM t WHERE id IN (SELECT id FROM s LIMIT 1) ANDD",
        "DELETE FROM t WHERE a = 'LIMIT' ANDD",
        "UPDATE t SET a = 1 WHERE b IS DISTINCT FROM c ANDD",
        "UPDATE t SET a = (SELECT a FROM s) WHEREE",
        "ALTER TABLE t ADD COLUMNS (a INTT)",
        "CREATE TABLE t (id INT PRIMARY KEY DISABLE) USING orc",
        "BEGIN SELECT 1; ENDD",
        "TRUNCATE TABLE t PARTITION",
        "DELETE FROM 'an unended text",
    ],
)
def test_a_mistake_in_a_statement_that_there_is_keeps_sparks_error(text: str) -> None:
    assert find_hint(text) is None


def test_each_of_them_has_a_message_and_no_message_is_of_none() -> None:
    assert set(hints._FORMS) == set(MESSAGES["subClass"])


def test_a_message_names_the_table_only_if_each_of_its_statements_does() -> None:
    for name, forms in hints._FORMS.items():
        if "<table>" in MESSAGES["subClass"][name]["message"]:
            assert all("{table}" in form for form in forms), name
