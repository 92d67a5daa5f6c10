"""`hive-acid initiator` without a Spark session: its arguments, its rounds, its end."""

from __future__ import annotations

import argparse
import json
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from hive_acid.cli import main
from hive_acid.commands.shared import DONE
from hive_acid_ops.commands.initiator import _look, _look_until_stopped
from hive_acid_ops.initiator.initiator import Initiator
from support.statements import LOCATION, World


@pytest.fixture
def world() -> Iterator[World]:
    """With the process's own signal handlers afterwards."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield World()
    for number, handler in kept.items():
        signal.signal(number, handler)


def chosen(**changes: object) -> argparse.Namespace:
    return argparse.Namespace(**({"table": [], "database": [], "json": False, "interval_s": 0} | changes))


def build(world: World) -> Initiator:
    return Initiator(world.metastore, world.file_system, "host-test", world.clock)


@pytest.mark.parametrize(
    "arguments", [["--interval-s", "0"], ["--interval-s", "9", "--once"], ["--table", "no_database"]]
)
def test_arguments_that_cannot_be_meant_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["initiator", *arguments])
    assert raised.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_a_round_says_what_was_done_and_counts_what_failed(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert _look(chosen(), world.metastore, build(world), threading.Event()) == 0
    assert capsys.readouterr().out == ""
    _look(chosen(json=True), world.metastore, build(world), threading.Event())
    assert json.loads(capsys.readouterr().out)["action"] == "not needed"
    world.file_system.make_folder(f"{LOCATION}/delta_nonsense")
    assert _look(chosen(), world.metastore, build(world), threading.Event()) == 1
    assert capsys.readouterr().out.startswith("db.t: failed: ")


def test_a_database_that_is_not_there_is_a_failure_and_the_others_are_looked_at(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = chosen(database=["slaes", "db"], json=True)
    assert _look(wanted, world.metastore, build(world), threading.Event()) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["table"] == "t"
    assert shown.err.startswith("[HIVE_ACID_CONFIGURATION.UNKNOWN_DATABASE]") and "'slaes'" in shown.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_the_table_at_hand_is_finished(
    world: World, number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    world.metastore.before["table"] = lambda: os.kill(os.getpid(), number)
    assert _look_until_stopped(chosen(interval_s=1000, json=True), world.metastore, build(world)) == DONE
    assert json.loads(capsys.readouterr().out)["table"] == "t"


def test_a_metastore_that_is_away_for_a_round_is_asked_again_in_the_next(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.metastore.method, world.metastore.nth = "table_names", 1

    def end_the_second_round() -> None:
        world.metastore.before["table_names"] = lambda: os.kill(os.getpid(), signal.SIGTERM)

    world.metastore.before["table_names"] = end_the_second_round
    assert _look_until_stopped(chosen(), world.metastore, build(world)) == DONE
    assert world.metastore.calls.count("table_names") == 2
    assert "did not answer" in capsys.readouterr().err
