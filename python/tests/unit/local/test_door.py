"""Which systems have a door, and what would lead past it."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from hive_acid.errors import LocalMetastoreError
from hive_acid_local import door
from hive_acid_local.door import (
    check_no_other_way,
    check_users_are_known,
    door_options,
    main_class,
    prepare_door,
)


@pytest.fixture
def shims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the package's jars, in which a test puts its own."""
    monkeypatch.setattr(door, "SHIM_JARS", tmp_path / "jars")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(door, "check_users_are_known", lambda _: None)
    (tmp_path / "cache").mkdir()
    return tmp_path / "jars"


def put_jar(shims: Path, line: str, entries: Mapping[str, bytes]) -> None:
    folder = shims / f"spark-{line}"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "hive-acid-shim.jar", "w") as jar:
        for name, content in entries.items():
            jar.writestr(name, content)


def prepare(tmp_path: Path) -> Path:
    found = prepare_door(tmp_path / "cache", lambda _: None)
    assert found
    return found


def test_the_doors_classes_and_no_others_lie_in_a_jar_of_their_own_that_stays(tmp_path: Path, shims: Path) -> None:
    put_jar(shims, "4.3", {"hiveacid/metastore/Door.class": b"door", "hiveacid/Extensions.class": b"x"})
    jar = prepare(tmp_path)
    with zipfile.ZipFile(jar) as archive:
        assert archive.namelist() == ["hiveacid/metastore/Door.class"]
    before = jar.stat()
    assert prepare(tmp_path) == jar
    assert jar.stat() == before


def test_other_classes_are_another_jar(tmp_path: Path, shims: Path) -> None:
    put_jar(shims, "3.5", {"hiveacid/metastore/Door.class": b"door"})
    older = prepare(tmp_path)
    put_jar(shims, "4.0", {"hiveacid/metastore/Door.class": b"a better door"})
    assert prepare(tmp_path) != older


def test_a_jar_without_the_classes_is_passed_over_and_none_is_an_error(tmp_path: Path, shims: Path) -> None:
    put_jar(shims, "4.3", {"hiveacid/Extensions.class": b"x"})
    with pytest.raises(LocalMetastoreError) as raised:
        prepare(tmp_path)
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.NO_DOOR"
    put_jar(shims, "4.2", {"hiveacid/metastore/Door.class": b"door"})
    assert prepare(tmp_path).name == "door.jar"


def test_elsewhere_than_on_linux_there_is_no_door_and_that_is_said(
    tmp_path: Path, shims: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not shims.exists()
    monkeypatch.setattr(sys, "platform", "darwin")
    told: list[str] = []
    assert prepare_door(tmp_path, told.append) is None
    assert told == ["other users of this machine can use this metastore: only Linux tells whose a connection is"]
    assert main_class(None) == "org.apache.hadoop.hive.metastore.HiveMetaStore"
    assert door_options(None) == ()


def test_the_jvm_is_told_the_owner(tmp_path: Path) -> None:
    assert door_options(tmp_path / "door.jar") == (f"-Dhiveacid.metastore.owner={os.geteuid()}",)
    assert main_class(tmp_path / "door.jar") == "hiveacid.metastore.OwnersMetastore"


@pytest.mark.parametrize(
    ("user", "mapping", "is_known"),
    [
        (65534, "0 0 4294967295", True),
        (65534, "65534 0 1", False),
        (1000, "1000 1000 1", True),
        (0, "0 100000 65536", True),
    ],
)
def test_in_a_user_namespace_an_owner_is_known_unless_all_strangers_look_like_him(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, mapping: str, is_known: bool
) -> None:
    for name, content in {"tcp": "", "uid_map": f"  {mapping}\n", "overflowuid": "65534\n"}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.setattr(door, "_LISTS", (tmp_path / "tcp", tmp_path / "uid_map"))
    monkeypatch.setattr(door, "_OVERFLOW_USER", tmp_path / "overflowuid")
    if is_known:
        check_users_are_known(user)
    else:
        with pytest.raises(LocalMetastoreError, match=r"HIVE_ACID_LOCAL_METASTORE\.USER_AMBIGUOUS"):
            check_users_are_known(user)


def test_a_linux_that_does_not_tell_whose_a_connection_is_starts_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "_LISTS", (tmp_path / "tcp", tmp_path / "uid_map"))
    with pytest.raises(LocalMetastoreError) as raised:
        check_users_are_known(1000)
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.USERS_UNKNOWN"
    assert str(tmp_path / "tcp") in raised.value.getMessageParameters()["failure"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("metastore.server.thrift.transport.mode", "http"),
        ("hive.metastore.server.thrift.transport.mode", " http"),
        ("metastore.properties.servlet.port", "0"),
        ("hive.metastore.catalog.servlet.port", "9001"),
    ],
)
def test_a_setting_that_has_hive_listen_by_another_server_is_refused(setting: str, value: str) -> None:
    with pytest.raises(LocalMetastoreError) as raised:
        check_no_other_way({setting: value})
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.SETTING_REFUSED"
    assert raised.value.getMessageParameters()["setting"] == setting


def test_other_settings_and_the_values_that_keep_it_closed_pass() -> None:
    check_no_other_way({})
    check_no_other_way(
        {
            "metastore.server.thrift.transport.mode": "binary",
            "metastore.properties.servlet.port": "-1",
            "hive.metastore.catalog.servlet.port": "",
            "metastore.thrift.bind.host": "0.0.0.0",  # noqa: S104 - the door is the same there
        }
    )
