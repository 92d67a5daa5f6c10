"""`hive-acid tables`, `txns`, `locks`, `compactions`, `abort`: what they say, and that no Spark is started."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hive_acid.cli import main
from hive_acid.metastore.protocol import Metastore
from hive_acid_ops.commands import shown
from hive_acid_ops.listing import Listing, format_text
from support.statements import TABLE, World

PLACE = ["--metastore", "thrift://nowhere:1"]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()

    @contextmanager
    def opened(_: str) -> Iterator[Metastore]:
        yield world.metastore

    monkeypatch.setattr(shown, "open_metastore", opened)
    return world


def told(capsys: pytest.CaptureFixture[str], *command: str) -> list[dict[str, Any]]:
    """The rows of a command, as programs get them."""
    assert main([*command, *PLACE, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    ((_, rows),) = json.loads(line).items()
    found: list[dict[str, Any]] = rows
    return found


def test_tables_are_the_transactional_ones(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = told(capsys, "tables")
    assert (row["database"], row["table"], row["kind"]) == (TABLE.database, TABLE.table, "full ACID")
    assert told(capsys, "tables", "elsewhere") == []


def test_a_transaction_is_listed_with_its_locks_until_it_is_aborted(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (told(capsys, "txns"), told(capsys, "locks")) == ([], [])
    txn_id = world.metastore.open_transaction("ann", "there", "agent")
    (open_one,) = told(capsys, "txns")
    assert (open_one["txnid"], open_one["state"], open_one["user"]) == (txn_id, "OPEN", "ann")
    assert told(capsys, "abort", str(txn_id), str(txn_id)) == [{"txnid": txn_id, "state": "ABORTED"}]


def test_if_one_is_not_open_none_is_aborted(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    txn_id = world.metastore.open_transaction("ann", "there", "agent")
    assert main(["abort", str(txn_id), "999", *PLACE]) == 2
    assert "HIVE_ACID_TRANSACTION_NOT_OPEN" in capsys.readouterr().err
    assert [row["state"] for row in told(capsys, "txns")] == ["OPEN"]


@pytest.mark.parametrize("command", ["txns", "locks", "compactions"])
def test_nothing_to_list_is_said(world: World, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, *PLACE]) == 0
    noun = {"txns": "transactions"}.get(command, command)
    assert capsys.readouterr().out == f"there are no {noun}\n"


def test_a_table_has_the_columns_with_values_and_fits_the_terminal() -> None:
    listing = Listing("locks", ("lockid", "partition", "acquired_at", "user"), [("1.1", None, 0, "ann\x1b[2J")])
    lines = format_text(listing, 60).splitlines()
    assert lines[0].split() == ["lockid", "acquired_at", "user"]
    assert lines[-1].split() == ["1.1", "1970-01-01", "00:00:00", "ann", "[2J"]
    assert all(len(line) <= 24 for line in format_text(listing, 24).splitlines())
