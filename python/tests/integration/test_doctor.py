"""`hive-acid doctor` and `hive-acid initiator` on a real metastore and real files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hive_acid.errors import HiveAcidError
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.names import OVERWRITE_FILE
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid.wire.storage import FileVersion
from hive_acid_ops.doctor.finding import Finding, FindingKind
from hive_acid_ops.doctor.findings import Doctor, treat
from integration.conftest import Tables
from support.metastore_releases import started_release
from support.metastore_setup import thrift_setup
from support.session_process import SessionProcess

Kind = FindingKind
CUT = "HIVE_ACID_CORRUPT_FILE.UNREADABLE"
INITIATOR_OFF = {"metastore.compactor.initiator.on": "false", "hive.compactor.initiator.on": "false"}


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def doctor_of(spark: SparkSession) -> Doctor:
    attachment = attach(spark)
    return Doctor(attachment.metastore, attachment.file_system, now_ms)


def examine(spark: SparkSession, name: TableName) -> list[Finding]:
    """What is found in the table; the metastore may have old transactions of other tests."""
    return [finding for finding in doctor_of(spark).examine(name) if finding.table == name]


def begin(client: ThriftMetastore, name: TableName) -> tuple[int, int]:
    """A transaction of another process that writes, and its write ID."""
    txn_id = client.open_transaction("ada", "here", "a process")
    write_id = client.allocate_write_id(txn_id, name)
    client.lock(txn_id, [LockComponent(name, LockKind.SHARED_READ, OperationKind.INSERT)], "ada", "here", "a process")
    return txn_id, write_id


def leave_behind(root: Path, txn_id: int, write_id: int) -> list[Path]:
    """Staging and the base of an overwrite, as a process leaves them that is killed just before it commits."""
    staging = root / f".hive-acid-staging-{txn_id}-0123abcd"
    base = root / f"base_{write_id:07d}"
    for folder in (staging / base.name, base):
        folder.mkdir(parents=True)
        shutil.copy(next(root.glob("delta_*/bucket_00000")), folder)
        (folder / OVERWRITE_FILE).write_text(str(txn_id))
    return [staging, base]


def test_what_an_open_transaction_has_written_is_never_removed_and_what_an_aborted_one_has_left_is(
    tables: Tables, client: ThriftMetastore
) -> None:
    name = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    txn_id, write_id = begin(client, name)
    left = leave_behind(tables.location("t"), txn_id, write_id)
    doctor, files = doctor_of(tables.spark), attach(tables.spark).file_system
    assert examine(tables.spark, name) == []
    assert not any(treat(files, finding, is_dry_run=False).is_done for finding in doctor.examine(name))
    assert all(path.exists() for path in left)

    client.abort(txn_id)
    found = examine(tables.spark, name)
    assert [(each.kind, each.path) for each in found] == [
        (Kind.ORPHAN_STAGING, f"file:{left[0]}"),
        (Kind.ABORTED_OVERWRITE, f"file:{left[1]}"),
    ]
    for finding in found:
        treat(files, finding, is_dry_run=True)
    assert all(path.exists() for path in left)
    for finding in found:
        assert treat(files, finding, is_dry_run=False).is_done
    assert not any(path.exists() for path in left)
    assert examine(tables.spark, name) == []
    assert tables.sql("SELECT * FROM t ORDER BY id") == [(1, "one"), (2, "two")]


@pytest.mark.parametrize("length_bytes", [0, 64])
def test_a_delete_file_that_was_cut_short_is_told_with_its_write_id(tables: Tables, length_bytes: int) -> None:
    name = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    tables.sql("DELETE FROM t WHERE id = 1")
    assert examine(tables.spark, name) == []
    (path,) = tables.location("t").glob("delete_delta_*/bucket_00000")
    path.write_bytes(path.read_bytes()[:length_bytes])
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    (finding,) = examine(tables.spark, name)
    assert (finding.kind, finding.path) == (Kind.UNREADABLE, f"file:{path}")
    assert "its write ID 2 is committed" in finding.detail


def test_files_and_folders_that_are_none_of_the_tables_are_told(tables: Tables, client: ThriftMetastore) -> None:
    name = tables.create("p", more="PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO p VALUES (1, 'one', 'a/b'), (2, 'two', 'c')")
    root = tables.location("p")
    assert examine(tables.spark, name) == []
    bucket = next(root.glob("d=c/delta_*/bucket_00000"))
    shutil.copytree(bucket.parent.parent, root / "d=new")
    shutil.copy(bucket, root / "d=c" / "part-00000-4711.c000.snappy.orc")
    (root / "_SUCCESS").touch()
    (root / ".spark-staging-4711").mkdir()
    shutil.rmtree(root / "d=a%2Fb")
    assert sorted((each.kind.value, each.partition) for each in examine(tables.spark, name)) == [
        ("folder-without-partition", "d=new"),
        ("foreign-staging", None),
        ("partition-without-folder", "d=a%2Fb"),
        ("spark-marker", None),
        ("stray-files", "d=c"),
    ]


def test_a_footer_that_cannot_be_read_and_a_file_that_has_gone_are_errors_of_ours(tables: Tables) -> None:
    """The doctor takes them for its findings; as errors of Spark's they would break it off."""
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'one')")
    path = next(tables.location("t").glob("delta_*/bucket_00000"))
    path.write_bytes(path.read_bytes()[:100])
    files = attach(tables.spark).file_system
    found = path.stat()
    for name, condition in [(f"file:{path}", CUT), (f"file:{path}.gone", "HIVE_ACID_SNAPSHOT_UNAVAILABLE")]:
        with pytest.raises(HiveAcidError) as raised:
            files.row_counts("t", [FileVersion(name, found.st_size, found.st_mtime_ns // 1_000_000)])
        assert raised.value.getCondition() == condition


def run_command(*arguments: str, folder: Path) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of `hive-acid`, and the JSON lines that it printed."""
    command = [sys.executable, "-m", "hive_acid.cli", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module", params=["3.1.3", "4.1.0"])
def quiet(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMetastore]:
    """A metastore without an Initiator."""
    folder = tmp_path_factory.mktemp("quiet")
    with started_release(request.param, folder, INITIATOR_OFF) as started:
        yield started


@pytest.mark.slow
def test_compactions_are_asked_for_by_the_command_and_after_a_write(quiet: EmbeddedMetastore, tmp_path: Path) -> None:
    conf = {"spark.hiveacid.compaction.afterWrite": "true"}
    with (
        closing(ThriftMetastore(quiet.uri)) as client,
        thrift_setup(quiet.uri) as setup,
        SessionProcess(tmp_path / "spark", quiet.uri, quiet.warehouse, conf) as session,
    ):
        low = {"transactional": "true", "compactorthreshold.hive.compactor.delta.num.threshold": "1"}
        asked, left = setup.create_table("asked", parameters=low), setup.create_table("left_alone")
        parts = setup.create_table("parts", partition_columns=["d"], parameters=low)
        for table in (asked, left):
            session.sql(f"INSERT INTO {table} VALUES (1, 'a')")
            session.sql(f"INSERT INTO {table} VALUES (2, 'b')")
        assert [(i.table, i.partition, i.kind) for i in client.compactions()] == [(asked, None, CompactionKind.MAJOR)]

        session.sql("SET spark.hiveacid.compaction.afterWrite=false")
        for _ in range(2):
            session.sql(f"INSERT INTO {parts} VALUES (1, 'a', 'x')")
        session.sql(f"INSERT INTO {parts} VALUES (1, 'a', 'y')")
        arguments = ("--metastore", quiet.uri, "--database", setup.database, "--once", "--json")
        code, lines = run_command("initiator", *arguments, "--dry-run", folder=tmp_path)
        assert code == 0
        assert [(line["table"], line["partition"], line["action"]) for line in lines] == [
            ("asked", None, "passed over"),
            ("left_alone", None, "not needed"),
            ("parts", "d=x", "would request"),
            ("parts", "d=y", "not needed"),
        ]
        code, (findings,) = run_command("doctor", str(parts), "--metastore", quiet.uri, "--json", folder=tmp_path)
        assert (code, [(f["kind"], f["partition"]) for f in findings["findings"]]) == (1, [("delta-pile-up", "d=x")])
        assert run_command("initiator", *arguments, folder=tmp_path)[0] == 0
        assert [(i.table, i.partition) for i in client.compactions()] == [(parts, "d=x"), (asked, None)]


@pytest.mark.slow
def test_doctor_looks_at_all_tables(
    metastore: EmbeddedMetastore, tables: Tables, client: ThriftMetastore, tmp_path: Path
) -> None:
    name = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'one')")
    txn_id, write_id = begin(client, name)
    left = leave_behind(tables.location("t"), txn_id, write_id)
    client.abort(txn_id)
    code, (answer,) = run_command(
        "doctor", "--fix", "--dry-run", "--json", "--metastore", metastore.uri, folder=tmp_path
    )
    found = [finding for finding in answer["findings"] if finding["database"] == tables.database]
    assert (code, [finding["kind"] for finding in found]) == (1, ["orphan-staging", "aborted-overwrite"])
    assert not any(finding["fixed"] for finding in found)
    assert all(path.exists() for path in left)
    code, (answer,) = run_command("doctor", str(name), "--fix", "--json", "--metastore", metastore.uri, folder=tmp_path)
    assert all(f["fixed"] for f in answer["findings"] if f["table"] == "t")
    assert not any(path.exists() for path in left)
    assert tables.sql("SELECT * FROM t") == [(1, "one")]


@pytest.mark.slow
def test_the_initiator_stands_back_beside_the_metastores_own(tmp_path: Path) -> None:
    initiator_on = dict.fromkeys(INITIATOR_OFF, "true")
    with EmbeddedMetastore.start(settings=initiator_on) as metastore:
        command = ["initiator", "--once", "--metastore", metastore.uri]
        done = subprocess.run(
            [sys.executable, "-m", "hive_acid.cli", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=tmp_path,
        )
    assert (done.returncode, "Initiator of its own" in done.stdout) == (0, True)
