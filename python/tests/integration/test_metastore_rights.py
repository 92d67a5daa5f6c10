"""A metastore that knows rights: what it denies is a named error, and the table stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from support.drivers import open_transactions
from support.metastore_releases import started_release
from support.secured.metastore import environment
from support.session_process import SessionProcess, StatementFailed

pytestmark = pytest.mark.slow
_SECURITY = "org.apache.hadoop.hive.ql.security"
BY_STORAGE = {
    "metastore.pre.event.listeners": f"{_SECURITY}.authorization.AuthorizationPreEventListener",
    "hive.security.metastore.authorization.manager": f"{_SECURITY}.authorization.StorageBasedAuthorizationProvider",
    "hive.security.metastore.authenticator.manager": f"{_SECURITY}.HadoopDefaultMetastoreAuthenticator",
}
TABLES = ("readable", "closed")
READABLE = TableName("default", "readable")


@pytest.fixture(scope="module", params=["3.1.3", "4.0.0"])
def metastore(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMetastore]:
    """With two tables of its owner's, one of which nobody else may read."""
    folder = tmp_path_factory.mktemp("rights")
    with started_release(request.param, folder / "metastore", BY_STORAGE) as started:
        started.warehouse.chmod(0o755)
        with SessionProcess(folder / "owner", started.uri, started.warehouse) as owner:
            for name in TABLES:
                owner.sql(f"CREATE TABLE {name} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
                owner.sql(f"INSERT INTO {name} VALUES (1)")
                (started.warehouse / name).chmod(0o700 if name == "closed" else 0o755)
            with closing(ThriftMetastore(started.uri)) as client:  # an aborted write ID below others
                txn_id = client.open_transaction("somebody", "elsewhere", "their tool")
                client.allocate_write_id(txn_id, READABLE)
                asked = [LockComponent(READABLE, LockKind.SHARED_READ, OperationKind.INSERT)]
                client.lock(txn_id, asked, "somebody", "elsewhere", "their tool")  # keeps it known
                client.abort(txn_id)
            owner.sql("INSERT INTO readable VALUES (2)")
        yield started


def test_what_is_denied_is_named_and_changes_nothing(metastore: EmbeddedMetastore, tmp_path: Path) -> None:
    with closing(ThriftMetastore(metastore.uri)) as client:
        before = client.valid_write_ids([READABLE], None)
    with environment({"HADOOP_USER_NAME": "mallory"}):
        other = SessionProcess(tmp_path / "other", metastore.uri, metastore.warehouse)
    with other:
        assert other.sql("SELECT * FROM readable ORDER BY id") == [(1,), (2,)]
        denied = (
            "SELECT * FROM closed",
            "DELETE FROM closed",
            "INSERT INTO closed VALUES (2)",
            "INSERT OVERWRITE closed VALUES (2)",
            "UPDATE closed SET id = 2",
            "MERGE INTO closed t USING readable s ON t.id = s.id WHEN MATCHED THEN DELETE",
            "MERGE INTO readable t USING closed s ON t.id = s.id WHEN MATCHED THEN DELETE",
            "INSERT INTO readable SELECT * FROM closed",
            "TRUNCATE TABLE closed",
            "ALTER TABLE closed COMPACT 'major'",
            "ALTER TABLE closed ADD COLUMNS (more INT)",
            "DROP TABLE closed",
            "CREATE TABLE mine STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT * FROM readable",
            "ALTER TABLE readable SET TBLPROPERTIES ('a'='b')",
            "ALTER TABLE readable RENAME TO another",
            "DROP TABLE readable",
            "CREATE TABLE mine (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
        )
        for text in denied:
            with pytest.raises(StatementFailed) as caught:
                other.sql(text)
            assert caught.value.condition == "HIVE_ACID_METASTORE_DENIED", caught.value.text
            assert caught.value.state == "42501"
            assert "mallory" in caught.value.text
            # 3.1 forgets a table's write IDs when it denies a DROP
            assert other.sql("SELECT * FROM readable ORDER BY id") == [(1,), (2,)], text
    with closing(ThriftMetastore(metastore.uri)) as client:
        assert not open_transactions(client)
        assert client.valid_write_ids([READABLE], None) == before
    with SessionProcess(tmp_path / "owner", metastore.uri, metastore.warehouse) as owner:
        assert [owner.sql(f"SELECT * FROM {name} ORDER BY id") for name in TABLES] == [[(1,), (2,)], [(1,)]]
        owner.sql("INSERT INTO readable VALUES (3)")
        assert owner.sql("SELECT * FROM readable ORDER BY id") == [(1,), (2,), (3,)]


def test_a_database_that_is_not_empty_is_not_dropped_and_its_tables_keep_their_rows(
    metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    """A metastore of 3.1.3 that is asked refuses, and forgets the write IDs of all tables of the database."""
    with SessionProcess(tmp_path / "owner", metastore.uri, metastore.warehouse) as owner:
        owner.sql("CREATE DATABASE sales")
        owner.sql("CREATE TABLE sales.t (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        owner.sql("INSERT INTO sales.t VALUES (1)")
        for text in ("DROP DATABASE sales", "DROP SCHEMA IF EXISTS sales RESTRICT"):
            with pytest.raises(StatementFailed) as caught:
                owner.sql(text)
            assert (caught.value.condition, caught.value.state) == ("SCHEMA_NOT_EMPTY", "2BP01")
            assert owner.sql("SELECT * FROM sales.t") == [(1,)]
        owner.sql("DROP DATABASE sales CASCADE")
        owner.sql("CREATE DATABASE sales")
        owner.sql("DROP DATABASE sales")
