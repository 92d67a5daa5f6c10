"""What users of other engines type works, or an error names what is not there and what to write instead.

The statements are the golden files `typed_*.sql`, one for each engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

RESULTS = sorted((Path(__file__).parents[3] / "sql-tests/results").glob("typed_*.sql.out"))
CLEAR_IN_SPARK = {
    "DATA_SOURCE_NOT_FOUND": "names the format that is not installed",
    "NOT_SUPPORTED_CHANGE_COLUMN": "names the table, the column and both types",
    "PARTITIONS_NOT_FOUND": "names the column that is no partition column",
    "TABLE_OR_VIEW_NOT_FOUND": "names the table that is not there, as `t.history` or `delta.t`",
    "UNRESOLVABLE_TABLE_VALUED_FUNCTION": "names the function that is not there",
    "UNSUPPORTED_DATATYPE": "names the type",
    "UNSUPPORTED_FEATURE.CREATE_PIPELINE_DATASET_QUERY_EXECUTION": "says that it belongs to a pipeline",
    "UNSUPPORTED_FEATURE.TABLE_OPERATION": "of CREATE TABLE with a constraint: names it",
    "UNSUPPORTED_FEATURE.TIME_TRAVEL": "names the table that cannot travel",
    "UNSUPPORTED_INSERT_WITH_SCHEMA_EVOLUTION": "names the clause",
    "UNSUPPORTED_PARTITION_TRANSFORM": "names the transform",
    "UNSUPPORTED_SHOW_CREATE_TABLE.ON_TRANSACTIONAL_HIVE_TABLE": "tells to add AS SERDE",
    "_LEGACY_ERROR_TEMP_0015": "says that TABLESAMPLE takes no buckets",
    "_LEGACY_ERROR_TEMP_3087": "names the property; the table is a plain one",
}
"""Spark's errors that say what is not there."""


def outcomes(path: Path) -> Iterator[tuple[str, str | None]]:
    """Each statement of a result with the condition of its error, None if it worked."""
    for block in path.read_text("utf-8").split("-- !query\n")[1:]:
        statement, _, output = block.partition("-- !query schema\n")
        error = re.search(r'"(?:errorClass|exception)" : "([^"]+)"', output)
        yield statement.strip(), error[1] if error else None


def test_four_engines_have_four_hundred_statements_together() -> None:
    counts = {path.name: len(list(outcomes(path))) for path in RESULTS}
    assert len(counts) == 4
    assert sum(counts.values()) >= 400


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_no_statement_ends_in_an_error_that_leaves_one_alone(path: Path) -> None:
    unclear = {
        statement: condition
        for statement, condition in outcomes(path)
        if condition and not condition.startswith("HIVE_ACID_") and condition not in CLEAR_IN_SPARK
    }
    assert unclear == {}


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_none_of_them_is_an_internal_error(path: Path) -> None:
    assert [statement for statement, condition in outcomes(path) if condition and "INTERNAL" in condition] == []
