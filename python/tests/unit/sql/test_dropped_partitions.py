"""Comparisons of a DROP PARTITION become one condition on partition columns."""

from __future__ import annotations

import pytest

from hive_acid.sql.dropped_partitions import find_partition_drop
from hive_acid.wire.rewriting import PartitionDrop


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALTER TABLE t DROP PARTITION (day > 'w')", PartitionDrop(("t",), "(day > 'w')", False, False)),
        (
            "alter table db.`t` drop if exists partition (day <= ',)', n <> 1), PARTITION (n = 7) PURGE;",
            PartitionDrop(("db", "t"), "(day <= ',)' AND n <> 1) OR (n = 7)", True, True),
        ),
    ],
)
def test_the_comparisons_of_a_clause_hold_together(text: str, expected: PartitionDrop) -> None:
    assert find_partition_drop(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ALTER TABLE t DROP COLUMN c",
        "ALTER TABLE t DROP PARTITION ()",
        "ALTER TABLE t DROP PARTITION (day > 'w'",
        "ALTER TABLE t DROP PARTITION (day > 'w') CASCADE",
    ],
)
def test_another_text_is_none(text: str) -> None:
    assert find_partition_drop(text) is None
