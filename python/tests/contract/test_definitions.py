"""What every real metastore makes and drops for a catalog of Spark's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.errors.outcome import StatementOutcome, find_outcome
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableKind, TableName
from hive_acid.wire.catalogs import DescribedColumn
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable
from support.metastore_setup import ThriftSetup

ORC = "org.apache.hadoop.hive.ql.io.orc"


@pytest.fixture
def metastore(real: ThriftSetup) -> Iterator[CatalogMetastore]:
    with closing(CatalogMetastore(real.metastore.uri)) as metastore:
        yield metastore


def new_table(database: str) -> DescribedTable:
    return DescribedTable(
        table=TableName(database, "made"),
        kind="MANAGED_TABLE",
        owner="ada",
        created_s=0,
        columns=(DescribedColumn("id", "bigint", "the key"), DescribedColumn("v", "varchar(9)", None)),
        partition_columns=(DescribedColumn("d", "date", None),),
        bucket_columns=("id",),
        bucket_count=3,
        sort_columns=(),
        location=None,
        input_format=f"{ORC}.OrcInputFormat",
        output_format=f"{ORC}.OrcOutputFormat",
        serde=f"{ORC}.OrcSerde",
        serde_properties={"a": "b"},
        properties={"transactional": "true", "bucketing_version": "2", "comment": "made here"},
    )


def test_a_table_is_what_was_asked_for_and_transactional(real: ThriftSetup, metastore: CatalogMetastore) -> None:
    asked = new_table(real.database)
    metastore.create_table(asked)
    found = metastore.described_table(asked.table)
    assert found is not None
    assert asked.properties.items() <= found.properties.items()
    if metastore.line is MetastoreLine.HIVE_3:  # 4.x keeps none of a managed table
        assert asked.serde_properties.items() <= found.serde_properties.items()
    assert found.location
    assert found.location.endswith("/made")
    unlike = {"properties", "serde_properties", "location", "created_s"}
    same = {name: getattr(found, name) for name in unlike}
    assert replace(asked, **same) == found
    assert TableKind.of(found.properties) is TableKind.FULL_ACID


def test_a_table_that_is_there_is_not_made_again(real: ThriftSetup, metastore: CatalogMetastore) -> None:
    metastore.create_table(new_table(real.database))
    with pytest.raises(HiveAcidError) as caught:
        metastore.create_table(new_table(real.database))
    assert find_outcome(caught.value) is StatementOutcome.NOTHING_CHANGED


@pytest.mark.parametrize("purges", [False, True])
def test_a_table_that_was_dropped_is_gone(real: ThriftSetup, metastore: CatalogMetastore, *, purges: bool) -> None:
    asked = new_table(real.database)
    metastore.create_table(asked)
    metastore.drop_table(asked.table, purges=purges)
    assert metastore.described_table(asked.table) is None
    with pytest.raises(HiveAcidError) as caught:
        metastore.drop_table(asked.table, purges=purges)
    assert caught.value.main_condition == "HIVE_ACID_TABLE_NOT_FOUND"
    metastore.create_table(asked)


def test_a_database_is_made_and_dropped(real: ThriftSetup, metastore: CatalogMetastore) -> None:
    name = f"{real.database}_more"
    metastore.create_database(DescribedDatabase(name.upper(), "more", None, "ada", {"a": "b"}))
    found = metastore.described_database(name)
    assert found is not None
    if metastore.line is MetastoreLine.HIVE_4:
        assert (found.comment, found.owner, found.properties["a"]) == ("more", "ada", "b")
    metastore.create_table(new_table(name))
    with pytest.raises(HiveAcidError) as caught:
        metastore.drop_database(name, cascades=False)
    assert find_outcome(caught.value) is StatementOutcome.NOTHING_CHANGED
    assert metastore.table_names_in(name) == ["made"]
    metastore.drop_database(name, cascades=True)
    assert metastore.described_database(name) is None
