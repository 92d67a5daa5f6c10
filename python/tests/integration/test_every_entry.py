"""One list of statements comes to the same by each entry: the matrix of the README, its refusals too."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from support.drivers import open_transactions, wait_until
from support.entries import ENTRIES, Entry
from support.one_list import ROWS, expected_failures, texts

pytestmark = pytest.mark.slow


@pytest.fixture
def database(spark: SparkSession) -> Iterator[str]:
    """The name of a new one."""
    name = f"entry_{uuid.uuid4().hex[:10]}"
    yield name
    spark.sql("USE default")
    spark.sql(f"DROP DATABASE IF EXISTS {name} CASCADE")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_statements_come_to_the_same_by_each_entry(
    metastore: EmbeddedMetastore,
    spark: SparkSession,
    client: ThriftMetastore,
    database: str,
    tmp_path: Path,
    entry: Entry,
) -> None:
    assert entry(metastore, tmp_path, texts(database)) == expected_failures()
    spark.sql(f"USE {database}")
    assert {query: list(map(tuple, spark.sql(query).collect())) for query in ROWS} == ROWS
    wait_until(lambda: not open_transactions(client), "no transaction is left")
