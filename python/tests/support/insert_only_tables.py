"""Insert-only transactional tables of any format, and the refusal of a statement there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from hive_acid.errors import UnsupportedOperation

if TYPE_CHECKING:
    from integration.conftest import Tables

INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
WRITTEN = ["ORC", "PARQUET"]
"""The formats in which we write them."""


def create(tables: Tables, name: str, form: str, columns: str = "id INT, name STRING", more: str = "") -> None:
    """Makes an insert-only table of a format."""
    tables.sql(f"CREATE TABLE {name} ({columns}) {more} STORED AS {form} {INSERT_ONLY}")


def refusal(run: Any) -> str:
    """The error's text. Fails if nothing refuses the table."""
    with pytest.raises((AnalysisException, UnsupportedOperation)) as caught:
        run()
    assert caught.value.getCondition().partition(".")[0] == "HIVE_ACID_UNSUPPORTED_TABLE"
    return str(caught.value)
