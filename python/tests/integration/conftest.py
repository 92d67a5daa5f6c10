"""One embedded metastore and one Spark session for all integration tests; a database of its own for each test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.compaction.queue.worker import Worker
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest
from hive_acid.metastore.types import TransactionInfo, TransactionState
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from support.other_metastore import Other, started_other
from support.spark_lines import FAILED_JOB
from support.spark_settings import SHORT_LIVED
from support.thrift_proxy import ThriftProxy


@pytest.fixture(scope="session")
def metastore() -> Iterator[EmbeddedMetastore]:
    with EmbeddedMetastore.start() as started:  # in a temporary folder, whose database waits for no disk
        yield started


@pytest.fixture(scope="session")
def spark(metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    builder = (
        SparkSession.builder.master("local[2]")
        .config(map=dict(SHORT_LIVED))
        .config("spark.local.dir", str(tmp_path_factory.mktemp("spark")))
        .config("spark.sql.warehouse.dir", metastore.warehouse.as_uri())
    )
    session = hive_acid.configure(builder, metastore=metastore.uri).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def proxy(metastore: EmbeddedMetastore) -> Iterator[ThriftProxy]:
    """A way to the metastore on which calls can be held and lost."""
    with ThriftProxy(metastore.uri) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def client(metastore: EmbeddedMetastore) -> Iterator[ThriftMetastore]:
    """An observer of the metastore that is not the session's own client."""
    observer = ThriftMetastore(metastore.uri)
    yield observer
    observer.close()


@dataclass
class Tables:
    """A test's own database, which is the session's current one."""

    spark: SparkSession
    client: ThriftMetastore
    database: str

    def sql(self, text: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Rows of a statement, as tuples."""
        return [tuple(row) for row in self.spark.sql(text, *args, **kwargs).collect()]

    def create(self, name: str, columns: str = "id INT, name STRING", more: str = "") -> TableName:
        """A transactional table."""
        self.sql(f"CREATE TABLE {name} ({columns}) {more} STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        return TableName(self.database, name)

    def location(self, name: str) -> Path:
        """The table's folder."""
        return Path(self.client.table(TableName(self.database, name)).location.removeprefix("file:"))

    def in_catalog(self, catalog: str, name: str) -> str:
        """A table of the same database in another catalog, by its whole name."""
        return f"{catalog}.{self.database}.{name}"

    def files(self, name: str) -> list[str]:
        """Folders and data files below the table, as `folder/file`; hidden ones but staging are left out."""
        root = self.location(name)
        found = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
        return [str(path) for path in found if not path.name.startswith((".", "_"))]

    @contextmanager
    def short_waits(self) -> Iterator[None]:
        """Statements of the session wait half a second for a lock."""
        self.spark.conf.set("spark.hiveacid.lock.timeoutMs", "500")
        try:
            yield
        finally:
            self.spark.conf.unset("spark.hiveacid.lock.timeoutMs")

    def open_transactions(self) -> list[TransactionInfo]:
        """What any client has open."""
        return [info for info in self.client.transactions() if info.state is TransactionState.OPEN]


def refusal(tables: Tables, statement: str) -> str | None:
    """The condition that the statement ends with. Fails if it ends well.

    None: a job failed by an error of Spark's, whose name the lines before 4.0 do not tell.
    """
    with pytest.raises(FAILED_JOB) as caught:
        tables.sql(statement)
    return caught.value.getCondition() if isinstance(caught.value, PySparkException) else None


def drop_temporary_views(spark: SparkSession) -> None:
    """They are the session's, which goes on: the next test would find them under names of its own."""
    views = spark._jsparkSession.sessionState().catalog().listLocalTempViews("*")
    for index in range(views.size()):
        spark.catalog.dropTempView(views.apply(index).table())


@contextmanager
def new_tables(spark: SparkSession, client: ThriftMetastore) -> Iterator[Tables]:
    """A database of its own, for as long as the context lasts."""
    database = f"test_{uuid.uuid4().hex[:10]}"
    spark.sql(f"CREATE DATABASE {database}")
    try:
        yield Tables(spark, client, database)
    finally:
        spark.sql(f"DROP DATABASE {database} CASCADE")


@contextmanager
def used(tables: Tables) -> Iterator[Tables]:
    """Names without a database mean those of `tables`; temporary views are gone afterwards."""
    tables.spark.sql(f"USE {tables.database}")
    try:
        yield tables
    finally:
        drop_temporary_views(tables.spark)
        tables.spark.sql("USE default")


@pytest.fixture
def tables(spark: SparkSession, client: ThriftMetastore) -> Iterator[Tables]:
    with new_tables(spark, client) as tables, used(tables):
        yield tables


@pytest.fixture(scope="module")
def tables_of_module(request: pytest.FixtureRequest, spark: SparkSession, client: ThriftMetastore) -> Iterator[Tables]:
    with new_tables(spark, client) as tables:
        with used(tables):
            request.module.fill(tables)
        yield tables


@pytest.fixture
def filled(tables_of_module: Tables) -> Iterator[Tables]:
    """One database for all tests of a module that only read or are refused: with what its function `fill` makes."""
    with used(tables_of_module):
        yield tables_of_module


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Other]:
    """Another metastore, with an application that is at home there. A session keeps a catalog that it has met."""
    with started_other(tmp_path_factory.mktemp("other")) as started:
        yield started


@pytest.fixture
def lake(spark: SparkSession, tables: Tables, other: Other) -> Iterator[Other]:
    """It as the catalog `lake`, with an empty database of the same name as that of `tables`."""
    for key, value in other.catalog_settings.items():
        spark.conf.set(key, value)
    other.sql(f"CREATE DATABASE {tables.database}")
    other.sql(f"USE {tables.database}")
    yield other
    other.sql(f"DROP DATABASE {tables.database} CASCADE")


@dataclass
class Compactions:
    """Asks the queue for compactions, and has them done at once."""

    tables: Tables
    worker: Worker
    pool: str

    def run(
        self, table: TableName, kind: CompactionKind, partition: str | None = None, buckets: int | None = None
    ) -> CompactionOutcome:
        """What became of it."""
        request = CompactionRequest(table, kind, partition, pool=self.pool, user="tester", buckets=buckets)
        assert self.tables.client.request_compaction(request).accepted
        outcome = self.worker.run_next(self.pool)
        assert outcome is not None
        return outcome

    def last(self, table: TableName) -> CompactionInfo:
        """The latest entry of the queue for the table."""
        return max((info for info in self.tables.client.compactions() if info.table == table), key=lambda info: info.id)


@pytest.fixture
def compactions(tables: Tables, spark: SparkSession) -> Iterator[Compactions]:
    pool = f"pool_{uuid.uuid4().hex[:8]}"
    yield Compactions(tables, attach(spark).build_worker(f"testhost-{pool}"), pool)


@pytest.fixture
def flat(tables: Any) -> TableName:
    """A table with the rows (1, 'a') and (2, 'b')."""
    name: TableName = tables.create("flat")
    tables.sql("INSERT INTO flat VALUES (1, 'a'), (2, 'b')")
    return name


@pytest.fixture
def outside(spark: SparkSession) -> SparkSession:
    """Another session of the same application."""
    return spark.newSession()


def rows(spark: SparkSession, table: TableName) -> list[tuple[Any, ...]]:
    """The rows that a session sees, sorted."""
    return sorted(tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect())
