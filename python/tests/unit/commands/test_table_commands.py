"""`hive-acid files`, `describe`, `compact`, `doctor`, `history`: without Spark, on files of this disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc

from hive_acid.cli import main
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.protocol import Metastore
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid_ops.commands import compact, warehouse
from support.statements import TABLE, World, build_table

PLACE = ["--metastore", "thrift://nowhere:1"]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A table with a committed delta of three rows."""
    world = World()
    location = tmp_path / "t"
    world.memory.add_table(build_table(location=f"file:{location}", parameters={"transactional": "true"}))
    txn_id = world.metastore.open_transaction("ann", "there", "agent")
    assert world.metastore.allocate_write_id(txn_id, TABLE) == 1
    world.metastore.commit(txn_id)
    (location / "delta_0000001_0000001_0000").mkdir(parents=True)
    orc.write_table(pa.table({"id": [1, 2, 3]}), location / "delta_0000001_0000001_0000" / "bucket_00000")

    @contextmanager
    def opened(_: str) -> Iterator[Metastore]:
        yield world.metastore

    def no_spark(*_: object) -> None:
        raise AssertionError("a Spark was started")

    @contextmanager
    def opened_with_storage(_: str, open_storage: Callable[[], FileSystem]) -> Iterator[tuple[Metastore, FileSystem]]:
        yield world.metastore, open_storage()

    monkeypatch.setattr(compact, "open_metastore", opened)
    monkeypatch.setattr(warehouse, "open_tables", opened_with_storage)
    monkeypatch.setattr("hive_acid.api.sessions.job_session", no_spark)
    return world


def test_files_are_told_as_text_as_json_and_as_a_page(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["files", "db.t", *PLACE]) == 0
    assert "delta_0000001_0000001_0000" in capsys.readouterr().out
    assert main(["files", "db.t", "--json", *PLACE]) == 0
    assert len(json.loads(capsys.readouterr().out)["partitions"][0]["folders"]) == 1
    assert main(["files", "db.t", "--html", str(tmp_path / "page.html"), *PLACE]) == 0
    assert capsys.readouterr().out == ""
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_a_partition_of_a_flat_table_is_a_failure(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["files", "db.t", "--partition", "d=1", *PLACE]) == 2
    assert "HIVE_ACID_UNSUPPORTED_TABLE" in capsys.readouterr().err


def test_a_table_is_described_with_its_rows(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "db.t", "--json", *PLACE]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["files"], told["deltas"], told["latest_write_id"]) == (3, 1, 1, 1)
    assert main(["describe", "db.t", *PLACE]) == 0
    assert "3, by the files' footers" in capsys.readouterr().out


def test_a_compaction_is_asked_for_once(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compact", "db.t", "--minor", *PLACE]) == 0
    assert "a worker does it: hive-acid worker" in capsys.readouterr().out
    assert [info.kind for info in world.memory.compactions()] == [CompactionKind.MINOR]
    assert main(["compact", "db.t", "--json", *PLACE]) == 0
    (row,) = json.loads(capsys.readouterr().out)["partitions"]
    assert (row["accepted"], len(world.memory.compactions())) == (False, 1)


def test_a_table_that_is_well_is_said_to_be(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "db.t", *PLACE]) == 0
    assert capsys.readouterr().out == "db.t is well: nothing found\n"


def test_the_history_is_told(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "db.t", *PLACE]) == 0
    assert capsys.readouterr().out.startswith("write ID 1 ")


def test_storage_that_only_spark_reaches_is_named_with_the_option(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.memory.add_table(build_table(location="abfs://c@account/t", parameters={"transactional": "true"}))
    for command in (["files"], ["describe"], ["history"]):
        assert main([*command, "db.t", *PLACE]) == 2
        assert "Add --spark" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["files", "describe", "compact", "doctor", "history"])
def test_an_address_is_looked_at_before_anything_starts(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "db.t", "--metastore", "nowhere:9083"]) == 2
    assert "HIVE_ACID_CONFIGURATION" in capsys.readouterr().err


def test_a_metastore_that_was_left_running_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    @contextmanager
    def opened(uris: str) -> Iterator[Metastore]:
        asked.append(uris)
        yield world.metastore

    monkeypatch.setattr(compact, "open_metastore", opened)
    monkeypatch.setattr("hive_acid_local.detached.find_left_running", lambda: "thrift://127.0.0.1:4711")
    for name in ("SPARK_CONF_DIR", "HIVE_CONF_DIR", "HADOOP_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert main(["compact", "db.t"]) == 0
    assert asked == ["thrift://127.0.0.1:4711"]
