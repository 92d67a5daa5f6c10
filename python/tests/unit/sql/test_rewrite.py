"""Canonical statements become row-change queries; the pairs are in row_changes.sql."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.sql import TargetColumns, rewrite_statement


def load_pairs() -> list[tuple[str, str]]:
    """Statements by twos; lines that begin with -- are comments."""
    text = (Path(__file__).parent / "row_changes.sql").read_text()
    body = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    statements = [statement.strip() for statement in body.split(";") if statement.strip()]
    return list(zip(statements[::2], statements[1::2], strict=True))


@pytest.mark.parametrize(("statement", "query"), load_pairs())
def test_a_canonical_statement_becomes_its_row_change_query(statement: str, query: str) -> None:
    assert rewrite_statement(statement).text == query


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM other WHERE __e1",
        "DELETE FROM __target WHERE id IN (SELECT id FROM other)",
        "DROP TABLE __target",
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
    assert rewrite_statement("DELETE FROM __target WHERE __e1", columns).text == (
        "SELECT CAST(2 AS TINYINT) AS __change, __target.ROW__ID AS __row_id, `__target`.`d` AS `__from_d`, "
        "`__target`.`Odd ``key` AS `__from_Odd ``key` FROM __target WHERE __e1"
    )
