"""The isolation specs of sql-tests/isolation: statements of several sessions, held and continued step by step."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid_sqltest.runner import is_recording, run_file
from hive_acid_sqltest.suite import SuiteFile, find_suite
from support.held_sessions import open_held_sessions
from support.polling import eventually

SUITE = Path(__file__).parents[3] / "sql-tests" / "isolation"


@pytest.mark.parametrize("file", find_suite(SUITE), ids=lambda file: file.name)
def test_sessions_that_meet_come_out_as_recorded(file: SuiteFile, spark: SparkSession, client: ThriftMetastore) -> None:
    with open_held_sessions(spark, client) as sessions:
        report = run_file(file, sessions, is_recording())
    assert report.is_good, report.text
    assert eventually(lambda: client.held_locks() == []), client.held_locks()
