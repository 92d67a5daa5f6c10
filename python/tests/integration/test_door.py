"""Nobody but its owner and root gets into an embedded metastore, its database and its folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore, LocalMetastoreError
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from hive_acid_local.detached import find_running, start_detached, stop_detached
from hive_acid_local.probe import metastore_answers
from support.chaos.catalog_client import CatalogClient
from support.chaos.rows import Layout
from support.metastore_releases import EMBEDDED_VERSION, VERSIONS, started_version
from support.other_user import (
    DONE,
    NOBODY,
    SOMEBODY,
    act_as,
    ask,
    connect,
    describe,
    drop,
    enter_database,
    hurry,
    start_as,
)
from support.polling import eventually
from support.processes import find_listening, measure

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells whose a connection is"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user"),
]

REFUSED = "HIVE_ACID_METASTORE_LOGIN.OTHER_USER"
LIMIT_SECONDS = 30.0
MANY = 200
OTHERS = (VERSIONS[0], VERSIONS[-1])
"""The oldest and the newest."""


@pytest.fixture(
    scope="module", params=[EMBEDDED_VERSION, *(pytest.param(version, marks=pytest.mark.slow) for version in OTHERS)]
)
def metastore(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMetastore]:
    with started_version(request.param, tmp_path_factory.mktemp(request.param) / "metastore", {}) as started:
        yield started


@pytest.fixture
def table(metastore: EmbeddedMetastore) -> Iterator[str]:
    """The name of a transactional table with a file in its folder."""
    client = CatalogClient(metastore.uri)
    client.create("kept", Layout((("id", "INT"),), ()))
    folder = folder_of(metastore, "kept")
    folder.mkdir(exist_ok=True)
    (folder / "bucket_00000").write_bytes(b"rows")
    yield "kept"
    if client.exists("kept"):
        client.drop("kept")


def folder_of(metastore: EmbeddedMetastore, table: str) -> Path:
    with closing(ThriftMetastore(metastore.uri)) as client:
        return Path(client.table(TableName("default", table)).location.removeprefix("file:"))


def count_transactions(uri: str) -> int:
    with closing(ThriftMetastore(uri)) as client:
        return len(client.transactions())


@pytest.mark.parametrize("user", [NOBODY, SOMEBODY])
def test_another_user_is_refused_by_name_and_told_whose_it_is(metastore: EmbeddedMetastore, user: int) -> None:
    before = count_transactions(metastore.uri)
    told = act_as(user, ask, metastore.uri)
    assert told.startswith(REFUSED)
    assert f"this is the metastore of user 0, and user {user} asks" in told
    assert count_transactions(metastore.uri) == before


def test_another_user_can_neither_see_a_table_nor_drop_it_and_its_owner_can(
    metastore: EmbeddedMetastore, table: str
) -> None:
    folder = folder_of(metastore, table)
    assert act_as(NOBODY, describe, metastore.uri, table).startswith(REFUSED)
    assert "OTHER_USER" in act_as(NOBODY, drop, metastore.uri, table)
    assert (folder / "bucket_00000").read_bytes() == b"rows"
    assert folder_of(metastore, table) == folder
    assert act_as(0, describe, metastore.uri, table) == f"file:{folder}"
    assert act_as(0, drop, metastore.uri, table) == DONE
    assert not folder.exists()


@pytest.mark.beyond_the_gate("the other tests of the file; `unit/local/test_door.py`")
def test_who_sends_a_request_and_is_gone_before_the_answer_is_not_served(metastore: EmbeddedMetastore) -> None:
    """Older releases of Linux show a socket that was closed as root's."""
    before = count_transactions(metastore.uri)
    assert act_as(NOBODY, hurry, metastore.uri, "100") == DONE
    assert act_as(NOBODY, connect, metastore.uri, "1").count("OTHER_USER") == 1  # those before it have been looked at
    assert count_transactions(metastore.uri) == before


@pytest.mark.beyond_the_gate("the other tests of the file")
def test_hundreds_of_connections_leave_nothing_in_the_process(metastore: EmbeddedMetastore) -> None:
    process_id = metastore.process_ids["metastore"]
    act_as(NOBODY, connect, metastore.uri, "50")
    before = measure(process_id)
    answers = act_as(NOBODY, connect, metastore.uri, str(MANY))
    assert answers.count("OTHER_USER") == 1
    assert eventually(lambda: measure(process_id).files <= before.files + 10)
    assert measure(process_id).count_threads() <= before.count_threads() + 10


@pytest.mark.beyond_the_gate("the other tests of the file; `unit/local/test_door.py`")
def test_refusals_do_not_disturb_those_who_work(metastore: EmbeddedMetastore) -> None:
    flood = start_as(NOBODY, hurry, metastore.uri, str(MANY // 2))
    try:
        rounds = 0
        while flood.poll() is None or rounds < 5:
            with closing(ThriftMetastore(metastore.uri)) as client:
                txn_id = client.open_transaction("me", "here", "test")
                client.abort(txn_id)
            rounds += 1
    finally:
        flood.kill()
        flood.wait()
    assert flood.returncode == 0


def test_its_log_says_who_was_refused_once_for_each(metastore: EmbeddedMetastore) -> None:
    act_as(SOMEBODY, connect, metastore.uri, "20")
    said = metastore.log_path.read_text("utf-8", "replace")
    assert said.count(f"hive-acid: a connection of user {SOMEBODY} was refused") == 1


def test_the_database_behind_it_asks_every_user_for_a_password(tmp_path: Path) -> None:
    with EmbeddedMetastore.start(tmp_path, database="postgresql"):
        site = (tmp_path / "conf" / "metastore-site.xml").read_text()
        port = site.split("jdbc:postgresql://127.0.0.1:")[1].partition("/")[0]
        for user in (0, NOBODY, SOMEBODY):
            assert act_as(user, enter_database, port) == "R 10"  # SCRAM-SHA-256


@pytest.mark.beyond_the_gate("the other tests of the file; `unit/local/test_door.py`")
def test_a_detached_one_lets_nobody_else_in_either_and_says_that_it_runs_to_its_owner_alone(tmp_path: Path) -> None:
    running = start_detached(tmp_path, None, None)
    try:
        assert running.answers()
        assert act_as(0, ask, running.uri) == DONE
        assert act_as(NOBODY, ask, running.uri).startswith(REFUSED)
    finally:
        stop_detached(tmp_path)
    assert find_running(tmp_path) is None


def test_an_ordinary_owner_and_root_are_let_in_and_nobody_else(tmp_path: Path) -> None:
    """It runs as nobody, whom Linux also shows for users that a namespace does not know."""
    script = (
        "import sys\n"
        "from hive_acid.local import EmbeddedMetastore\n"
        "with EmbeddedMetastore.start(database='derby') as metastore:\n"
        "    print(metastore.uri, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    become_nobody = [sys.executable, "-m", "hive_acid_local.identity", str(tmp_path)]
    owner = subprocess.Popen(
        [*become_nobody, sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "HIVE_ACID_ROOT_AS": "nobody", "TMPDIR": str(tmp_path)},
    )
    assert owner.stdin is not None
    assert owner.stdout is not None
    try:
        uri = owner.stdout.readline().strip()
        assert act_as(NOBODY, ask, uri) == DONE
        assert act_as(0, ask, uri) == DONE
        assert act_as(SOMEBODY, ask, uri).startswith(REFUSED)
        assert f"metastore of user {NOBODY}, and user {SOMEBODY} asks" in act_as(SOMEBODY, ask, uri)
    finally:
        owner.stdin.close()
        owner.wait(LIMIT_SECONDS)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("metastore.server.thrift.transport.mode", "http"), ("hive.metastore.properties.servlet.port", "0")],
)
def test_a_setting_that_opens_another_way_in_is_refused(tmp_path: Path, setting: str, value: str) -> None:
    with pytest.raises(LocalMetastoreError) as raised:
        EmbeddedMetastore.start(tmp_path / "new", settings={setting: value})
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.SETTING_REFUSED"
    assert raised.value.getMessageParameters() == {"setting": setting, "value": value}
    assert not (tmp_path / "new").exists()


def test_it_listens_nowhere_else(metastore: EmbeddedMetastore) -> None:
    assert find_listening(metastore.process_ids["metastore"]) == [metastore.port]
    assert find_listening(metastore.process_ids["supervisor"]) == []
    assert metastore_answers(metastore.port)
