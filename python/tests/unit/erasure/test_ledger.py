"""A ledger survives kills, is one run's, and one erasure's."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid_erasure.canonical import format_canonical
from hive_acid_erasure.find.ledger import open_ledger
from hive_acid_erasure.subjects.keyed_hash import HashKey
from support.erasure_shop import SUBJECTS, Shop

KEY = HashKey(b"the secret of a test" * 2)
IDENTITY = {"plan": "p", "subjects": "s", "key": "k"}


def condition_of(caught: Any) -> str:
    found: str = caught.value.getCondition()
    return found.partition(".")[2]


def write(path: Path) -> bytes:
    with open_ledger(path, KEY) as ledger:
        ledger.begin(IDENTITY, 1)
        ledger.append("found", 2, table="a.b")
    return path.read_bytes()


def test_events_are_read_as_they_were_written(tmp_path: Path) -> None:
    write(tmp_path / "ledger")
    with open_ledger(tmp_path / "ledger", KEY) as ledger:
        assert [event["event"] for event in ledger.events] == ["begun", "found"]
        assert ledger.events[1] == {"event": "found", "at_ms": 2, "table": "a.b"}


def test_a_line_that_was_cut_off_anywhere_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    content = write(path)
    first = content.index(b"\n") + 1
    for end in range(first, len(content)):
        path.write_bytes(content[:end])
        with open_ledger(path, KEY) as ledger:
            assert [event["event"] for event in ledger.events] == ["begun"]
            ledger.append("found", 2, table="a.b")
        assert path.read_bytes() == content


@pytest.mark.parametrize("line", [b"{", b"7", b'{"at_ms":1}', b"\xff"])
def test_a_broken_line_before_the_last_is_an_error(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(line + b"\n" + write(tmp_path / "other"))
    with pytest.raises(HiveAcidError) as caught, open_ledger(path, KEY):
        pass
    assert condition_of(caught) == "LEDGER_BROKEN"


def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger", KEY):
        with pytest.raises(HiveAcidError) as caught, open_ledger(tmp_path / "ledger", KEY):
            pass
        assert condition_of(caught) == "LEDGER_IN_USE"
    with open_ledger(tmp_path / "ledger", KEY):
        pass


@pytest.mark.parametrize("name", IDENTITY)
def test_a_ledger_of_another_erasure_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path / "ledger")
    with open_ledger(tmp_path / "ledger", KEY) as ledger:
        ledger.begin(IDENTITY, 3)
        with pytest.raises(HiveAcidError) as caught:
            ledger.begin({**IDENTITY, name: "other"}, 3)
    assert condition_of(caught) == "LEDGER_OF_ANOTHER"


def test_other_subjects_plans_and_keys_are_another_erasure(shop: Shop) -> None:
    shop.erase()
    shop.plan["guard"] = {"max_rows": 7}
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert condition_of(caught) == "LEDGER_OF_ANOTHER"
    assert SUBJECTS[0] not in str(caught.value)


def seal(event: dict[str, Any], key: HashKey, before: str = "") -> str:
    told = key.seal(before, format_canonical(event))
    return json.dumps({**event, "seal": told})


@pytest.mark.parametrize(
    ("tamper", "number"),
    [
        (lambda lines: [lines[0], lines[1].replace('"a.b"', '"a.c"'), lines[2]], 2),
        (lambda lines: [lines[0], lines[2]], 2),
        (lambda lines: [lines[0], lines[2], lines[1]], 2),
        (lambda lines: [*lines, lines[2]], 4),
        (lambda lines: [*lines, '{"event":"free"}'], 4),
        (lambda lines: [*lines, '{"event":"free","at_ms":1.5,"seal":""}'], 4),
        (lambda lines: [*lines, seal({"event": "free"}, HashKey(b"of another" * 4), json.loads(lines[2])["seal"])], 4),
    ],
    ids=["changed", "taken away", "swapped", "repeated", "added", "of another form", "of another key"],
)
def test_a_ledger_that_somebody_has_changed_is_refused(
    tmp_path: Path, tamper: Callable[[list[str]], list[str]], number: int
) -> None:
    path = tmp_path / "ledger"
    write(path)
    with open_ledger(path, KEY) as ledger:
        ledger.append("deleted", 3, table="a.b")
    path.write_text("".join(f"{line}\n" for line in tamper(path.read_text().splitlines())))
    with open_ledger(path, KEY) as ledger, pytest.raises(HiveAcidError, match=f"line {number} ") as caught:
        ledger.begin(IDENTITY, 4)
    assert condition_of(caught) == "LEDGER_CHANGED"


def test_an_erasure_rests_on_no_ledger_that_was_changed(shop: Shop) -> None:
    """One that says that nothing was found there would have nothing compacted."""
    shop.erase()
    shop.ledger.write_text(shop.ledger.read_text().replace('"links":', '"lines":'))
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert condition_of(caught) == "LEDGER_CHANGED"


def test_a_ledger_of_an_earlier_release_is_refused(shop: Shop) -> None:
    shop.erase()
    first, *others = [json.loads(line) for line in shop.ledger.read_text().splitlines()]
    events = [{**first, "form": "4"}, *others]
    shop.ledger.write_text("".join(f"{json.dumps({**event, 'seal': None})}\n" for event in events))
    with pytest.raises(HiveAcidError, match="its form differs"):
        shop.erase()


def test_only_the_owner_reads_a_ledger(tmp_path: Path) -> None:
    write(tmp_path / "ledger")
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o600


def test_events_that_are_written_anew_are_this_runs_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    write(path)
    with open_ledger(path, KEY) as ledger:
        ledger.rewrite([{**event, "table": "#"} for event in ledger.events])
        with pytest.raises(HiveAcidError) as caught, open_ledger(path, KEY):
            pass
        assert condition_of(caught) == "LEDGER_IN_USE"
        ledger.append("deleted", 3, table="c")
    assert (stat.S_IMODE(path.stat().st_mode), [each.name for each in tmp_path.iterdir()]) == (0o600, ["ledger"])
    with open_ledger(path, KEY) as ledger:
        assert [event["table"] for event in ledger.events] == ["#", "#", "c"]


def test_events_that_are_written_anew_by_a_link_are_those_of_the_ledger(tmp_path: Path) -> None:
    path, link = tmp_path / "ledger", tmp_path / "link"
    write(path)
    link.symlink_to(path)
    with open_ledger(link, KEY) as ledger:
        ledger.rewrite([{**event, "table": "#"} for event in ledger.events])
        ledger.append("linked", 3, table="c")
        with pytest.raises(HiveAcidError) as caught, open_ledger(path, KEY):
            pass
    assert condition_of(caught) == "LEDGER_IN_USE"
    assert link.is_symlink()
    with open_ledger(path, KEY) as ledger:
        assert [event["table"] for event in ledger.events] == ["#", "#", "c"]


def test_a_run_that_has_opened_a_ledger_before_it_was_written_anew_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger"
    content, lock = write(path), fcntl.flock

    def replaced(*arguments: Any) -> None:
        (tmp_path / "new").write_bytes(content)
        (tmp_path / "new").replace(path)
        lock(*arguments)

    monkeypatch.setattr(fcntl, "flock", replaced)
    with pytest.raises(HiveAcidError) as caught, open_ledger(path, KEY):
        pass
    assert condition_of(caught) == "LEDGER_IN_USE"


def test_a_kill_while_events_are_written_anew_leaves_those_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger"
    content = write(path)

    def killed(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), open_ledger(path, KEY) as ledger:
        monkeypatch.setattr(os, "fsync", killed)
        ledger.rewrite([{"event": "begun"}])
    assert path.read_bytes() == content
    monkeypatch.undo()
    with open_ledger(path, KEY) as ledger:
        ledger.rewrite([{"event": "begun"}])
