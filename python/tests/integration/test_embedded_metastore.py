"""The embedded metastore is Hive's own, is reached by nobody but its owner, and names what keeps it from starting."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hive_acid.compaction.services import has_initiator
from hive_acid.local import EmbeddedMetastore, LocalMetastoreError
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import TransactionState
from hive_acid_downloads.cache import cache_folder
from hive_acid_downloads.java import find_java
from hive_acid_local.artifacts import HIVE_VERSION
from hive_acid_local.probe import metastore_answers
from support.embedded_checks import mode_of, open_transaction, open_transactions, wait_until
from support.processes import count_threads

pytestmark = pytest.mark.beyond_the_gate("`unit/local`; seven of the tests")


@pytest.fixture(scope="module")
def temporary() -> Iterator[EmbeddedMetastore]:
    began = time.monotonic()
    with EmbeddedMetastore.start() as metastore:
        sys.stdout.write(f"started in {time.monotonic() - began:.1f} s\n")
        yield metastore


@pytest.mark.in_the_gate
def test_it_is_hive_4_0_0_on_postgresql(temporary: EmbeddedMetastore) -> None:
    with socket.create_connection(("127.0.0.1", temporary.port)) as connection:
        connection.sendall(b"\x80\x01\x00\x01\x00\x00\x00\x0agetVersion\x00\x00\x00\x01\x00")
        assert b"4.0.0" in connection.recv(200)
    assert set(temporary.process_ids) == {"supervisor", "metastore", "postgresql"}
    assert temporary.uri == f"thrift://127.0.0.1:{temporary.port}"
    assert temporary.warehouse.is_dir()
    assert b"Started the new metaserver" in temporary.log_path.read_bytes()


@pytest.mark.in_the_gate
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads Linux's /proc")
def test_it_starts_from_the_archive_of_its_classes(temporary: EmbeddedMetastore) -> None:
    if not (find_java().path.resolve().parents[1] / "lib" / "server" / "classes.jsa").exists():
        pytest.skip("this Java has no archive of its own classes, and can write none")
    mapped = Path(f"/proc/{temporary.process_ids['metastore']}/maps").read_text()
    assert re.search(r"metastore-4\.0\.0-\w+-classes-\w+\.jsa$", mapped, re.MULTILINE)


@pytest.mark.in_the_gate
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads Linux's /proc")
def test_it_listens_on_loopback_only(temporary: EmbeddedMetastore) -> None:
    sockets = {
        link.readlink().name
        for process_id in temporary.process_ids.values()
        for link in Path(f"/proc/{process_id}/fd").iterdir()
        if link.is_symlink()
    }
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                listening.append(fields[1].split(":")[0])
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert len(listening) >= 2
    assert set(listening) <= loopback


@pytest.mark.in_the_gate
def test_nobody_but_its_owner_may_look_into_its_folders(temporary: EmbeddedMetastore) -> None:
    for name in ("", "warehouse", "conf", "database", "tmp"):
        assert mode_of(temporary.folder / name) == 0o700, name


@pytest.mark.in_the_gate
def test_no_initiator_fills_a_queue_that_nobody_serves(temporary: EmbeddedMetastore) -> None:
    with closing(ThriftMetastore(temporary.uri)) as client:
        assert not has_initiator(client)
    told = "Compactor Initiator is turned Off"  # by the server's own threads, a moment after it answers
    wait_until(lambda: told in temporary.log_path.read_text(), "no Initiator is started")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads Linux's /proc")
def test_connections_that_come_and_go_leave_no_threads(temporary: EmbeddedMetastore) -> None:
    for _ in range(100):
        open_transactions(temporary.uri)
    assert count_threads(temporary.process_ids["metastore"]) < 100


def test_its_log_is_cut(tmp_path: Path) -> None:
    tmp_path.joinpath("hms.log").write_bytes(b"a year long\n" * 1_000_000)
    with EmbeddedMetastore.start(tmp_path) as metastore:
        assert metastore.log_path.stat().st_size < 1_000_000
        assert tmp_path.joinpath("hms.log.1").stat().st_size >= 12_000_000


def test_derby_serves_too_and_two_side_by_side_know_nothing_of_each_other(temporary: EmbeddedMetastore) -> None:
    with EmbeddedMetastore.start(database="derby") as second:
        assert set(second.process_ids) == {"supervisor", "metastore"}
        assert second.folder != temporary.folder
        assert second.port != temporary.port
        txn_id = open_transaction(second.uri)
        assert open_transactions(second.uri) == [txn_id]
        assert open_transactions(temporary.uri) == []
    assert metastore_answers(temporary.port)


def test_a_folder_in_use_is_refused_and_the_running_one_is_not_disturbed(temporary: EmbeddedMetastore) -> None:
    with pytest.raises(LocalMetastoreError) as raised:
        EmbeddedMetastore.start(temporary.folder)
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.FOLDER_IN_USE"
    assert metastore_answers(temporary.port)


def test_a_taken_port_is_refused_by_name(temporary: EmbeddedMetastore, tmp_path: Path) -> None:
    with pytest.raises(LocalMetastoreError) as raised:
        EmbeddedMetastore.start(tmp_path / "new", port=temporary.port)
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.PORT_TAKEN"
    assert raised.value.getMessageParameters() == {"port": str(temporary.port)}
    assert not (tmp_path / "new").exists()


def test_a_metastore_that_does_not_start_is_said_with_its_log_and_ends(tmp_path: Path) -> None:
    with pytest.raises(LocalMetastoreError) as raised:
        EmbeddedMetastore.start(tmp_path, settings={"metastore.thrift.bind.host": "no.such.host.invalid"})
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.PROGRAM_ENDED"
    assert raised.value.getMessageParameters()["log"] == str(tmp_path / "hms.log")
    assert "no.such.host.invalid" in raised.value.getMessageParameters()["tail"]
    assert "shut down" in (tmp_path / "postgresql.log").read_text()
    with pytest.raises(LocalMetastoreError) as mismatch:  # and so not FOLDER_IN_USE
        EmbeddedMetastore.start(tmp_path, database="derby")
    assert mismatch.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.FOLDER_MISMATCH"


def test_settings_are_obeyed_and_a_transaction_without_heartbeat_times_out(tmp_path: Path) -> None:
    settings = {"metastore.txn.timeout": "1s", "metastore.acid.housekeeper.interval": "200ms"}
    with EmbeddedMetastore.start(tmp_path, settings=settings) as metastore:
        txn_id = open_transaction(metastore.uri)
        assert txn_id in open_transactions(metastore.uri)
        with closing(ThriftMetastore(metastore.uri)) as client:
            wait_until(lambda: client.transaction_state(txn_id) is TransactionState.ABORTED, "it is aborted")


def link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


@pytest.fixture
def cache_copy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache with the same files as the user's, which the test may damage by replacing files."""
    EmbeddedMetastore.prefetch()
    shutil.copytree(cache_folder(), tmp_path / "cache", copy_function=link_or_copy, symlinks=True)
    monkeypatch.setenv("HIVE_ACID_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_damaged_files_of_the_cache_are_found_and_only_they_are_fetched_again(cache_copy: Path) -> None:
    jar = next(cache_copy.glob(f"metastore-{HIVE_VERSION}-*/commons-cli-*.jar"))
    templates = list(cache_copy.glob("template-postgresql-*/data/PG_VERSION"))  # earlier settings have left others
    good = jar.read_bytes()
    jar.unlink()
    jar.write_bytes(good[: len(good) // 2])
    for template in templates:
        template.unlink()
    told: list[str] = []
    with EmbeddedMetastore.start(progress=told.append) as metastore:
        assert metastore_answers(metastore.port)
    assert jar.read_bytes() == good
    assert sum(template.exists() for template in templates) == 1
    assert any("commons-cli" in line for line in told)
    assert any("1 of 1 files" in line or "0 of 1 files" in line for line in told)
    assert any(line.startswith("building the template") for line in told)


def test_without_a_network_the_missing_file_is_named(cache_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    next(cache_copy.glob(f"metastore-{HIVE_VERSION}-*/commons-cli-*.jar")).unlink()
    with socket.socket() as nobody_listens:
        nobody_listens.bind(("127.0.0.1", 0))
        port = nobody_listens.getsockname()[1]
        proxy = f"-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort={port}"
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", proxy)
        with pytest.raises(LocalMetastoreError) as raised:
            EmbeddedMetastore.start(progress=lambda _: None)
    assert raised.value.getCondition() == "HIVE_ACID_DOWNLOAD.NO_CONNECTION"
    assert raised.value.getMessageParameters()["files"].startswith("commons-cli-")
