"""A plain client of Spark Connect on a server that has the settings alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from hive_acid.spark_lines import is_before
from support.connect_client import find_client, run_client
from support.drivers import open_transactions, wait_until
from support.spark_lines import since
from support.spark_programs import started_connect_server

pytestmark = pytest.mark.slow
# errors of the client of 3.5 have a text alone
CONDITION = r're.search(r"\[([\w.]+)\]", str(error))[1]' if is_before("4.0") else "error.getCondition()"
STATE = r're.search(r"SQLSTATE: (\w+)", str(error))[1]' if is_before("4.0") else "error.getSqlState()"
STATEMENTS = """
import re
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
spark.sql("CREATE TABLE {table} (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
spark.sql("INSERT INTO {table} SELECT int(id), 0 FROM range(10)")
print(*spark.sql("UPDATE {table} SET v = 1 WHERE id < :end", args={{"end": 3}}).first())
print(*spark.sql("DELETE FROM {table} WHERE id = ?", args=[9]).first())
rows = spark.range(20, 21).selectExpr("int(id) AS id", "5 AS v")
rows.writeTo("{table}").append()
rows.write.insertInto("{table}")
rows.write.mode("append").saveAsTable("{table}")
print(*spark.table("{table}").selectExpr("count(*)", "sum(v)").first())
print(*spark.sql("SELECT min(ROW__ID.rowid) FROM {table}").first())
spark.conf.set("spark.hiveacid.guard.maxRows", "1")
for text in ("DELETE FROM {table}", "ABORT TRANSACTIONS", "MSCK REPAIR TABLE {table}"):
    try:
        spark.sql(text).collect()
    except PySparkException as error:
        print({condition}, {state})
spark.stop()
"""

MERGED = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import expr

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
source = spark.range(2).selectExpr("int(id) AS id", "100 AS w").alias("s")
source.mergeInto("{table}", expr("{table}.id = s.id")).whenMatched().update({{"v": expr("s.w")}}).merge()
print(*spark.table("{table}").selectExpr("count(*)", "sum(v)").first())
spark.stop()
"""

TRANSACTIONS = """
import re
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

def connect():
    return SparkSession.builder.remote("sc://127.0.0.1:{port}").create()

spark, reader = connect(), connect()
spark.sql("CREATE TABLE {table} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
spark.sql("START TRANSACTION")
spark.sql("INSERT INTO {table} VALUES (1), (2)")
spark.range(3, 5).selectExpr("int(id) AS id").writeTo("{table}").append()
print(spark.table("{table}").count(), reader.table("{table}").count())
spark.sql("COMMIT")
print(reader.table("{table}").count())
spark.sql("START TRANSACTION")
spark.sql("DELETE FROM {table}")
spark.sql("ROLLBACK")
print(reader.table("{table}").count())
try:
    reader.sql("ROLLBACK")
except PySparkException as error:
    print({condition}, {state})
spark.sql("START TRANSACTION")
spark.sql("DELETE FROM {table} WHERE id = 1")
reader.stop()
spark.stop()
"""

INTERRUPTED = """
import re, threading
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
threading.Timer(4, spark.interruptAll).start()
try:
    spark.sql("UPDATE {table} SET v = 9").collect()
except PySparkException as error:
    print({condition})
print(*spark.sql("SELECT sum(v) FROM {table}").first())
spark.stop()
"""


@pytest.fixture(scope="module")
def port(metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a server answers."""
    with started_connect_server(metastore, tmp_path_factory.mktemp("connect")) as (_, chosen):
        yield chosen


def new_name() -> str:
    return f"connect_{uuid.uuid4().hex[:10]}"


def test_statements_writes_and_errors_of_a_plain_client(port: int, tmp_path: Path, client: ThriftMetastore) -> None:
    script = tmp_path / "statements.py"
    script.write_text(STATEMENTS.format(port=port, condition=CONDITION, state=STATE, table=new_name()))
    assert run_client(script, find_client()) == [
        "3",
        "1",
        "12 18",
        "0",
        "HIVE_ACID_TOO_MANY_ROWS 54000",
        "HIVE_ACID_SYNTAX_ERROR 42601",
        "HIVE_ACID_UNSUPPORTED_STATEMENT.REPAIR 0A000",
    ]
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@since("4.0", "the client ends its session on the server")
def test_a_transaction_is_of_its_client_and_undone_when_that_ends(
    port: int, tmp_path: Path, client: ThriftMetastore
) -> None:
    table = TableName("default", new_name())
    script = tmp_path / "transactions.py"
    script.write_text(TRANSACTIONS.format(port=port, condition=CONDITION, state=STATE, table=table))
    assert run_client(script, find_client()) == ["4 0", "4", "4", "HIVE_ACID_TRANSACTION_STATE.NONE 25000"]
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@since("4.0", "mergeInto")
def test_rows_are_merged_by_a_plain_client(port: int, tmp_path: Path) -> None:
    script, table = tmp_path / "statements.py", new_name()
    script.write_text(STATEMENTS.format(port=port, condition=CONDITION, state=STATE, table=table))
    run_client(script, find_client())
    script.write_text(MERGED.format(port=port, table=table))
    assert run_client(script, find_client()) == ["12 216"]


def test_a_statement_that_is_interrupted_while_it_waits_leaves_nothing(
    port: int, tmp_path: Path, client: ThriftMetastore
) -> None:
    table = TableName("default", new_name())
    script = tmp_path / "statements.py"
    script.write_text(STATEMENTS.format(port=port, condition=CONDITION, state=STATE, table=table))
    run_client(script, find_client())
    interrupted = tmp_path / "interrupted.py"
    interrupted.write_text(INTERRUPTED.format(port=port, condition=CONDITION, table=table))
    who = ("somebody", "elsewhere", "their tool")
    holder = client.open_transaction(*who)
    client.allocate_write_id(holder, table)
    client.lock(holder, [LockComponent(table, LockKind.EXCL_WRITE, OperationKind.UPDATE, None)], *who)

    def waiting() -> list[int | None]:
        return [lock.txn_id for lock in client.held_locks(table) if lock.state is LockState.WAITING]

    with ThreadPoolExecutor(1) as threads:
        printed = threads.submit(run_client, interrupted, find_client())
        wait_until(lambda: bool(waiting()), "it waits", 60)
        wait_until(lambda: not waiting(), "it waits no longer", 60)
        client.abort(holder)
        assert printed.result(60) == ["OPERATION_CANCELED", "18"]
    wait_until(lambda: not open_transactions(client), "no transaction is left")
