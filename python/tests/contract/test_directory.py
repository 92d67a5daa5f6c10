"""What every real metastore tells of its databases and tables, for a catalog of Spark's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.wire.catalogs import DescribedColumn
from hive_acid_catalogs.directory import Directory
from support.metastore_setup import DATABASE_PROPERTIES, ThriftSetup

ORC = "org.apache.hadoop.hive.ql.io.orc"


@pytest.fixture
def directory(real: ThriftSetup) -> Iterator[Directory]:
    with closing(Directory(real.metastore.uri)) as directory:
        yield directory


def test_databases_and_tables_are_named(real: ThriftSetup, directory: Directory) -> None:
    real.create_table("second")
    real.create_table("First")
    assert {"default", real.database} <= set(directory.database_names())
    assert directory.table_names_in(real.database) == ["first", "second"]


def test_a_database_is_described_in_any_case(real: ThriftSetup, directory: Directory) -> None:
    found = directory.described_database(real.database.upper())
    assert found is not None
    assert found.name == real.database
    if real.metastore.line is MetastoreLine.HIVE_4:
        assert str(found.location).endswith(f"/{real.database}.db")
        assert DATABASE_PROPERTIES.items() <= found.properties.items()


def test_a_table_is_described(real: ThriftSetup, directory: Directory) -> None:
    name = real.create_table("described", partition_columns=["D"])
    found = directory.described_table(name)
    assert found is not None
    assert (found.table, found.kind, found.owner) == (name, "MANAGED_TABLE", "tester")
    assert found.columns == (DescribedColumn("id", "bigint", None), DescribedColumn("v", "string", None))
    assert found.partition_columns == (DescribedColumn("d", "string", None),)
    assert (found.bucket_columns, found.bucket_count, found.sort_columns) == ((), 0, ())
    assert (found.input_format, found.output_format) == (f"{ORC}.OrcInputFormat", f"{ORC}.OrcOutputFormat")
    assert found.serde == f"{ORC}.OrcSerde"
    assert found.location == real.metastore.table(name).location
    assert found.created_s == real.metastore.table(name).created_s > 0
    assert found.properties["transactional"] == "true"


def test_what_is_not_there_is_none(real: ThriftSetup, directory: Directory) -> None:
    assert directory.described_database("nowhere") is None
    assert directory.described_table(TableName(real.database, "nowhere")) is None
    assert directory.described_table(TableName("nowhere", "nowhere")) is None
