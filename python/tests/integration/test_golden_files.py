"""The golden files of sql-tests, run by the runner that users have for theirs.

With SPARK_GENERATE_GOLDEN_FILES=1 they are recorded anew instead of compared.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.thrift_client import ThriftMetastore
from hive_acid.metastore.types import TransactionState
from hive_acid.testing.command import REGENERATE
from hive_acid.testing.runner import check_file, update_file
from hive_acid.testing.spark_session import SparkSessions
from hive_acid.testing.suite import SuiteFile, find_suite

SUITE = Path(__file__).parents[3] / "sql-tests"
SEED = random.SystemRandom().randrange(1_000_000)
FILES = find_suite(SUITE)
random.Random(SEED).shuffle(FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_golden_file_comes_out_as_it_was_recorded(
    file: SuiteFile, spark: SparkSession, client: ThriftMetastore
) -> None:
    print(f"seed of the order: {SEED}")  # noqa: T201 (shown when it fails)
    work = update_file if os.environ.get(REGENERATE) == "1" else check_file
    report = work(file, SparkSessions(spark))
    assert report.is_good, report.text
    assert [info for info in client.transactions() if info.state is TransactionState.OPEN] == []


def test_the_session_of_the_caller_is_left_as_it_was(spark: SparkSession) -> None:
    session = SparkSessions(spark).open((("spark.sql.session.timeZone", "Asia/Kathmandu"),))
    session.run("CREATE TEMPORARY VIEW only_there AS SELECT 1 AS id")
    assert session.run("SELECT TIMESTAMP '2024-01-01 00:00:00' AS t").rows == ("2024-01-01 00:00:00",)
    assert spark.conf.get("spark.sql.session.timeZone") != "Asia/Kathmandu"
    assert not spark.catalog.tableExists("only_there")
    active = SparkSession.getActiveSession()
    assert active is not None
    assert active.conf.get("spark.sql.session.timeZone") != "Asia/Kathmandu"
