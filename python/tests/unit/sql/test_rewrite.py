"""Canonical statements become row-change queries; the pairs are in row_changes.sql."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.errors import HiveAcidError
from hive_acid.sql.canonical import rewrite_statement
from hive_acid.sql.row_changes import TargetColumns
from hive_acid.wire.row_writes import RowWrites

MERGE = "MERGE INTO __target USING __source ON __e0"


def load_pairs() -> list[tuple[str, str]]:
    """Statements by twos, the second as sqlglot prints it prettily; lines that begin with -- are comments."""
    text = (Path(__file__).parent / "row_changes.sql").read_text()
    body = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    statements = [statement.strip() for statement in body.split(";") if statement.strip()]
    return list(zip(statements[::2], statements[1::2], strict=True))


@pytest.mark.parametrize(("statement", "query"), load_pairs())
def test_a_canonical_statement_becomes_its_row_change_query(statement: str, query: str) -> None:
    columns = TargetColumns(data=("a", "Odd `name") if "Odd" in statement else ("a",))
    assert rewrite_statement(statement, columns).query == sqlglot.parse_one(query, dialect="spark").sql("spark")


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM other WHERE __e1",
        "DELETE FROM __target WHERE id IN (SELECT id FROM other)",
        "DROP TABLE __target",
        "MERGE INTO __target USING other ON __e0 WHEN MATCHED THEN DELETE",
        "SELECT 1",
        "DELETE FROM",
        "",
        "DELETE FROM __target; DROP TABLE __target",
    ],
)
def test_what_is_no_canonical_statement_is_refused_by_name(text: str) -> None:
    with pytest.raises(HiveAcidError) as caught:
        rewrite_statement(text)
    assert caught.value.getCondition() == "HIVE_ACID_INTERNAL"


def test_rows_of_a_partitioned_table_carry_where_they_lie() -> None:
    columns = TargetColumns(partition=("d", "Odd `key"))
    assert rewrite_statement("DELETE FROM __target WHERE __e1", columns).query == (
        "SELECT CAST(2 AS TINYINT) AS __change, __target.ROW__ID AS __row_id, `__target`.`d` AS `__from_d`, "
        "`__target`.`Odd ``key` AS `__from_Odd ``key` FROM __target WHERE __e1"
    )


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE __target SET `b` = __e0",
        "UPDATE __target SET `b` = __e0, `a` = __e1",
        "UPDATE __target SET `a` = __e0",
        "UPDATE __target SET `a` = __e0, `b` = __e1, `d` = __e2, `e` = __e3",
        f"{MERGE} WHEN MATCHED THEN UPDATE SET `a` = __e1",
        f"{MERGE} WHEN NOT MATCHED THEN INSERT (`a`, `b`) VALUES (__e1, __e2)",
        f"{MERGE} WHEN NOT MATCHED THEN INSERT (`b`, `a`, `d`) VALUES (__e1, __e2, __e3)",
        f"{MERGE} WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET `b` = __e1, `a` = __e2",
    ],
)
def test_values_for_other_columns_or_in_another_order_are_refused(text: str) -> None:
    with pytest.raises(HiveAcidError) as caught:
        rewrite_statement(text, TargetColumns(("a", "b"), ("d",)))
    assert caught.value.getCondition() == "HIVE_ACID_INTERNAL"


PARTITIONED = TargetColumns(("a",), ("d",))
MOVED = (
    "LATERAL VIEW EXPLODE(IF(__change = CAST(1 AS TINYINT) AND NOT `__changes`.`__from_d` IS NOT DISTINCT FROM "
    "`__changes`.`d`, "
    "ARRAY(CAST(4 AS TINYINT), CAST(5 AS TINYINT)), ARRAY(__change))) __parts AS __part"
)


@pytest.mark.parametrize(
    ("statement", "writes", "stays"),
    [
        ("INSERT INTO __target SELECT * FROM __source", RowWrites.INSERTS, False),
        ("INSERT INTO __target REPLACE WHERE __e0 SELECT * FROM __source", RowWrites.MIXED, False),
        (
            "INSERT INTO __target REPLACE WHERE EXISTS (SELECT 1 FROM __source WHERE __e0) "
            "SELECT __e1 AS `a`, __e2 AS `d` FROM __source",
            RowWrites.MIXED,
            False,
        ),
        ("DELETE FROM __target WHERE __e0", RowWrites.DELETES, True),
        ("UPDATE __target SET `a` = __e0", RowWrites.UPDATES, True),
        ("UPDATE __target SET `a` = __e0, `d` = __e1", RowWrites.MIXED, False),
        (f"{MERGE} WHEN NOT MATCHED THEN INSERT (`a`, `d`) VALUES (__e1, __e2)", RowWrites.INSERTS, False),
        (f"{MERGE} WHEN MATCHED THEN DELETE", RowWrites.DELETES, True),
        (f"{MERGE} WHEN MATCHED AND __e1 THEN DELETE", RowWrites.MIXED, True),
        (f"{MERGE} WHEN MATCHED THEN UPDATE SET `a` = __e1", RowWrites.MIXED, True),
        (f"{MERGE} WHEN MATCHED THEN UPDATE SET `a` = __e1, `d` = __e2", RowWrites.MIXED, False),
        (f"{MERGE} WHEN NOT MATCHED BY SOURCE THEN UPDATE SET `a` = __e1, `d` = __e2", RowWrites.MIXED, False),
        (
            f"{MERGE} WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (`a`, `d`) VALUES (__e1, __e2)",
            RowWrites.MIXED,
            False,
        ),
    ],
)
def test_a_query_tells_what_it_writes_and_whether_that_can_lie_in_other_partitions(
    statement: str, writes: RowWrites, stays: bool
) -> None:
    rewritten = rewrite_statement(statement, PARTITIONED)
    assert (rewritten.writes, rewritten.stays) == (writes, stays)
    assert ("LATERAL VIEW" in rewritten.query) == ("`d` = " in statement), "only what is assigned can move"


def test_new_rows_of_a_partitioned_table_come_from_no_partition() -> None:
    statement = "INSERT INTO __target REPLACE WHERE __e0 SELECT * FROM __source"
    deletes, _, inserts = rewrite_statement(statement, PARTITIONED).query.partition(" UNION ALL ")
    assert deletes == (
        "SELECT CAST(2 AS TINYINT) AS __change, __target.ROW__ID AS __row_id, `__target`.`d` AS `__from_d`, "
        "IF(FALSE, `__target`.`a`, NULL) AS `a`, IF(FALSE, `__target`.`d`, NULL) AS `d` FROM __target WHERE __e0"
    )
    assert inserts.endswith(" AS __row_id, NULL, __source.* FROM __source")


def kept(*names: str) -> str:
    """Columns of the rows that may have become two, which are named with their table."""
    return ", ".join(f"`__changes`.`{name}`" for name in names)


HEAD = "SELECT __part AS __change, IF(__part = CAST(5 AS TINYINT), NULL, __row_id) AS __row_id, "


def test_an_update_of_a_partition_column_splits_rows_that_move() -> None:
    assert rewrite_statement("UPDATE __target SET `a` = __e0, `d` = __e1 WHERE __e2", PARTITIONED).query == (
        f"{HEAD}{kept('__from_d', 'a', 'd')} "
        "FROM (SELECT CAST(1 AS TINYINT) AS __change, __target.ROW__ID AS __row_id, `__target`.`d` AS `__from_d`, "
        f"__e0 AS `a`, __e1 AS `d` FROM __target WHERE __e2) AS __changes {MOVED}"
    )


BUCKETED = TargetColumns.build(("a", "k"), ("d",), (), {"k": "int"}, ("a", "k"))


def test_an_update_of_a_bucketing_column_splits_rows_for_which_it_changes() -> None:
    update = rewrite_statement("UPDATE __target SET `a` = __e0, `k` = __e1 WHERE __e2", BUCKETED)
    assert (update.writes, update.stays) == (RowWrites.MIXED, True)
    same = [f"{kept(old)} IS NOT DISTINCT FROM {kept(new)}" for old, new in (("__from_d", "d"), ("__was_k", "k"))]
    assert update.query == (
        f"{HEAD}{kept('__from_d', 'a', 'k', 'd')} "
        "FROM (SELECT CAST(1 AS TINYINT) AS __change, __target.ROW__ID AS __row_id, `__target`.`d` AS `__from_d`, "
        "`__target`.`k` AS `__was_k`, __e0 AS `a`, __e1 AS `k`, `__target`.`d` AS `d` FROM __target WHERE __e2) "
        "AS __changes LATERAL VIEW EXPLODE(IF(__change = CAST(1 AS TINYINT) AND NOT "
        f"({' AND '.join(same)}), ARRAY(CAST(4 AS TINYINT), CAST(5 AS TINYINT)), ARRAY(__change))) __parts AS __part"
    )
    merge = f"{MERGE} WHEN MATCHED THEN UPDATE SET `a` = __e1, `k` = __e2"
    merged = rewrite_statement(merge, BUCKETED)
    assert (merged.writes, merged.stays) == (RowWrites.MIXED, True)
    assert "`__was_k` IS NOT DISTINCT FROM `__changes`.`k`" in merged.query
    merged = rewrite_statement(
        f"{merge} WHEN NOT MATCHED THEN INSERT (`a`, `k`, `d`) VALUES (__e3, __e4, __e5)", BUCKETED
    )
    assert not merged.stays


@pytest.mark.parametrize("type_", ["float", "double", "map<int,int>", "array<double>", "struct<double:int,m:float>"])
def test_columns_whose_equal_values_may_have_different_hashes_move_every_updated_row(type_: str) -> None:
    columns = TargetColumns.build(("a", "k"), ("d",), (), {"k": type_}, ("k",))
    for text in (
        "UPDATE __target SET `a` = __e0, `k` = __e1",
        f"{MERGE} WHEN MATCHED THEN UPDATE SET `a` = __e1, `k` = __e2",
    ):
        query = rewrite_statement(text, columns).query
        assert "EXPLODE(IF(__change = CAST(1 AS TINYINT), ARRAY(" in query
        assert "__was_" not in query


def test_no_row_moves_where_no_bucketing_column_is_assigned_and_no_field_is_taken_for_a_type() -> None:
    columns = TargetColumns.build(("a", "k"), (), (), {"k": "int"}, ("a",))
    assert rewrite_statement("UPDATE __target SET `a` = __e0, `k` = __e1", columns).writes is RowWrites.UPDATES
    columns = TargetColumns.build(("k",), (), (), {"k": "struct<double:int,map:string>"}, ("k",))
    assert not columns.always_moves


def test_a_moved_row_keeps_the_value_of_a_column_that_is_called_like_an_expression() -> None:
    """A name alone would stand for what is assigned to `a`."""
    columns = TargetColumns(("a", "__e0"), ("d",))
    text = rewrite_statement("UPDATE __target SET `a` = __e0, `__e0` = __e1, `d` = __e2", columns).query
    outer, inner = text.split(" FROM (")
    assert outer.endswith("`__changes`.`a`, `__changes`.`__e0`, `__changes`.`d`")
    assert "__e0 AS `a`, __e1 AS `__e0`, __e2 AS `d`" in inner


@given(st.sets(st.from_regex(r"_{0,4}[a-z]{0,2}", fullmatch=True).filter(bool)))
def test_names_of_the_query_are_none_of_the_columns(names: set[str]) -> None:
    columns = TargetColumns(("a",), ("d",), tuple(sorted(names)))
    text = rewrite_statement(f"{MERGE} WHEN MATCHED THEN UPDATE SET `a` = __e1, `d` = __e2", columns).query
    own = {alias.strip("`") for alias in re.findall(r" AS (`[^`]+`|\w+)", text)} - {"a", "d", "TINYINT"}
    assert not own & names
    assert all(name.startswith("__") for name in own)
