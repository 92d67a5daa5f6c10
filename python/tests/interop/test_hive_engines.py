"""What the real Hive engines do by themselves: the ground on which the tests with Spark stand."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyarrow import orc

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from interop.all_types import COLUMNS, HIVE_ROW, VALUES
from interop.hive_engine import HiveEngine, HiveError
from interop.hive_table import HiveTable, RowId, acid_table

pytestmark = pytest.mark.interop

BUCKET_0 = 536870912
BUCKET_0_STATEMENT_1 = 536870913


def acid_rows(path: Path) -> list[tuple[int, ...]]:
    """The five ACID columns of each row of a file, as pyarrow reads them."""
    columns = ["operation", "originalTransaction", "bucket", "rowId", "currentTransaction"]
    table = orc.read_table(path, columns=columns)
    return list(zip(*(table.column(name).to_pylist() for name in columns), strict=True))


def test_hive_reads_every_type_plain_and_vectorised_alike(hive: HiveEngine) -> None:
    table = acid_table(hive, "all_types", COLUMNS)
    hive.sql(f"INSERT INTO all_types SELECT {VALUES}")
    assert table.rows_plain() == [HIVE_ROW]
    assert table.rows_vectorised("id") == [HIVE_ROW]
    assert table.rows_by_row_job("id") == [HIVE_ROW]


def test_a_null_of_every_type_is_none(hive: HiveEngine) -> None:
    table = acid_table(hive, "nulls", COLUMNS)
    hive.sql("INSERT INTO nulls (id) SELECT 1")
    assert table.rows_plain() == table.rows_vectorised("id") == [(1, *[None] * (len(HIVE_ROW) - 1))]


def test_files_of_insert_update_and_delete_hold_the_rows_that_hives_documentation_shows(hive: HiveEngine) -> None:
    table = acid_table(hive, "tutorial", "a INT, b STRING")
    table.insert("(1, 'one')", "(2, 'two')")
    hive.sql("UPDATE tutorial SET b = 'zwei' WHERE a = 2")
    table.delete("a = 1")
    suffix, statement, bucket = ("", 0, BUCKET_0) if hive.version == "3.1.3" else ("_0", 1, BUCKET_0_STATEMENT_1)
    assert table.files() == [
        f"delete_delta_0000002_0000002_0000/bucket_00000{suffix}",
        f"delete_delta_0000003_0000003_0000/bucket_00000{suffix}",
        f"delta_0000001_0000001_0000/bucket_00000{suffix}",
        f"delta_0000002_0000002_000{statement}/bucket_00000{suffix}",
    ]
    assert [acid_rows(table.location() / name) for name in table.files()] == [
        [(2, 1, BUCKET_0, 1, 2)],
        [(2, 1, BUCKET_0, 0, 3)],
        [(0, 1, BUCKET_0, 0, 1), (0, 1, BUCKET_0, 1, 1)],
        [(0, 2, bucket, 0, 2)],
    ]
    assert table.row_ids("a") == table.row_ids("a", vectorised=True) == {(2,): RowId(2, bucket, 0)}


def test_major_compaction_keeps_rows_and_row_ids_and_leaves_one_base(hive: HiveEngine) -> None:
    table = acid_table(hive, "compacted", "a INT")
    table.insert("(1)", "(2)")
    table.insert("(3)")
    table.delete("a = 1")
    before = table.row_ids("a")
    compaction = table.compact_major()
    assert (compaction["tabname"], compaction["type"], compaction["state"]) == ("compacted", "MAJOR", "succeeded")
    (base,) = table.files()
    assert base.startswith("base_0000003")
    assert table.rows_vectorised("a") == [(2,), (3,)]
    assert table.row_ids("a") == table.row_ids("a", vectorised=True) == before
    table.insert("(4)")
    table.compact_major()
    assert sorted(table.rows_plain()) == [(2,), (3,), (4,)]


def test_one_partition_is_compacted_and_the_other_stays(hive: HiveEngine) -> None:
    table = acid_table(hive, "by_day", "a INT", partitioned_by="day DATE")
    table.insert("(1, '2020-01-01')", "(2, '2020-01-01')", "(3, '2020-01-02')")
    table.delete("day = '2020-01-01' AND a = 1")
    table.compact_major("day='2020-01-01'")
    compacted, untouched = table.files()
    assert compacted.startswith("day=2020-01-01/base_0000002")
    assert untouched.startswith("day=2020-01-02/delta_0000001_0000001_0000")
    assert table.rows_vectorised("a") == [(2, "2020-01-01"), (3, "2020-01-02")]


def test_a_read_that_hive_does_not_vectorise_is_refused(hive: HiveEngine) -> None:
    hive.sql("CREATE TABLE text_rows (a INT) STORED AS TEXTFILE")
    with pytest.raises(AssertionError, match="not a vectorised job"):
        HiveTable(hive, "text_rows").rows_vectorised("a")


def test_our_client_reaches_the_engines_metastore(hive: HiveEngine) -> None:
    acid_table(hive, "shared_with_us", "a INT").insert("(1)")
    client = ThriftMetastore(hive.metastore_uri)
    try:
        table = client.table(TableName("default", "shared_with_us"))
        assert table.name == TableName("default", "shared_with_us")
        txn_id = client.open_transaction("interop", "localhost", "test")
        write_id = client.allocate_write_id(txn_id, table.name)
        client.abort(txn_id)
    finally:
        client.close()
    assert write_id == 2
    assert hive.sql("!writeids default.shared_with_us").rows == [("default.shared_with_us:2:9223372036854775807::2",)]


def test_a_statement_that_fails_says_why_and_leaves_the_engine_alive(hive: HiveEngine) -> None:
    with pytest.raises(HiveError, match="Table not found"):
        hive.sql("INSERT INTO no_such_table VALUES (1)")
    assert hive.sql("SELECT 'line one\\nline two'").rows == [("line one\nline two",)]


def test_the_engine_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from interop.hive_engine import HiveEngine\n"
        "with HiveEngine.started('3.1.3', pathlib.Path(sys.argv[1])) as engine:\n"
        "    print(engine.process_id, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", program, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as parent:
        assert parent.stdout
        engine = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    limit = time.monotonic() + 20
    while _runs(engine):
        assert time.monotonic() < limit, f"process {engine} still runs"
        time.sleep(0.1)


def _runs(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True
