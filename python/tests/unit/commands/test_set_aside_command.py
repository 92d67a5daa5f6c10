"""`hive-acid doctor --set-aside`: what it is called with, says and returns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from hive_acid.cli import main
from hive_acid.config import Settings
from hive_acid.reading.warehouse import Warehouse
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.notes import NoteWriter
from hive_acid_ops.commands import doctor
from support.statements import LOCATION, World

CALL = ["doctor", "db.t", "--metastore", "thrift://nowhere:1", "--set-aside"]
DELTA = f"{LOCATION}/delta_0000001_0000001_0000"


@dataclass
class Side:
    warehouse: Warehouse
    notes: NoteWriter
    settings: Settings


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    world.run(StatementKind.INSERT)

    @contextmanager
    def session(_: str) -> Iterator[Side]:
        yield Side(world.warehouse, NoteWriter(), Settings({}))

    monkeypatch.setattr(doctor, "quiet_session", session)
    return world


def test_without_yes_it_says_what_is_lost_and_changes_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "1"]) == 1
    assert f"{DELTA}: files 1, bytes 100; rows that are lost: 0" in capsys.readouterr().out
    assert world.file_system.exists(DELTA)


def test_with_yes_it_says_what_is_lost_before_it_does_it(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "1", "--yes"]) == 0
    told = capsys.readouterr().out
    assert told.index("rows that are lost: 0") < told.index("write ID 1 was set aside")
    assert "nothing was changed" not in told
    assert not world.file_system.exists(DELTA)


def test_programs_get_one_object_on_one_line(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "1", "--yes", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert (found["table"], found["write_id"], found["is_done"], found["target"]) == (
        "db.t", 1, True, "_hive_acid_set_aside",
    )  # fmt: skip
    assert [folder["path"] for folder in found["folders"]] == [DELTA]


def test_a_refusal_is_a_failure(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "2", "--yes"]) == 2
    assert "HIVE_ACID_SET_ASIDE.NOT_COMMITTED" in capsys.readouterr().err


def test_an_error_in_the_midst_says_how_to_go_on(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.metastore.method, world.metastore.forever = "commit", True
    assert main([*CALL, "1", "--yes"]) == 2
    assert "db.t can be read again once write ID 1 was set aside: run the same again" in capsys.readouterr().err
    world.metastore.method = ""
    assert main([*CALL, "1", "--yes"]) == 0


@pytest.mark.parametrize("call", [["doctor", "--set-aside", "1"], ["doctor", "db.t", "--yes"], [*CALL, "1", "--fix"]])
def test_it_is_for_one_table_and_by_itself(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert ended.value.code == 2
    assert "set-aside" in capsys.readouterr().err
