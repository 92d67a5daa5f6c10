"""Whoever Hadoop takes for the user owns what is made, and is named in locks and transactions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.model.table import TableName
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from support.session_process import SessionProcess
from support.thrift_proxy import ThriftProxy

ACID = "(id INT) STORED AS ORC TBLPROPERTIES ('transactional' = 'true')"
DATABASE = "made_by_etl"


@pytest.fixture
def session(metastore: EmbeddedMetastore, proxy: ThriftProxy, tmp_path: Path) -> Iterator[SessionProcess]:
    """A session of the user `etl`, with the same metastore as a catalog of ours."""
    key = "spark.sql.catalog.lake"
    conf = {key: "hiveacid.Catalog", f"{key}.hive.metastore.uris": proxy.uri}
    variables = {"HADOOP_USER_NAME": "etl"}
    with SessionProcess(tmp_path / "spark", proxy.uri, metastore.warehouse, conf, variables) as session:
        session.sql(f"CREATE DATABASE {DATABASE}")
        yield session
        session.sql(f"DROP DATABASE {DATABASE} CASCADE")


@pytest.mark.beyond_the_gate("`unit/spark/test_login.py`")
def test_hadoops_user_owns_tables_and_locks(
    metastore: EmbeddedMetastore, session: SessionProcess, proxy: ThriftProxy
) -> None:
    client = CatalogMetastore(metastore.uri)
    for name, catalog in (("own", "spark_catalog"), ("other", "lake")):
        session.sql(f"CREATE TABLE {catalog}.{DATABASE}.{name} {ACID}")
        described = client.described_table(TableName(DATABASE, name))
        assert described is not None
        assert described.owner == "etl"
        commit = proxy.hold("commit_txn")
        running = session.submit(f"INSERT INTO {catalog}.{DATABASE}.{name} VALUES (1)")
        commit.wait()
        assert {lock.user for lock in client.held_locks(TableName(DATABASE, name))} == {"etl"}
        commit.release()
        running.result(60)
    client.close()
