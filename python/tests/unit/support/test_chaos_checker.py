"""The chaos checker finds what goes wrong when catalogs change under readers and writers, and nothing else."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.chaos.arena import FIRST_MOVED, FLAT, PARTED, SLOTS, add, bind, note, remove, unbind
from support.chaos.checker import find_faults
from support.chaos.events import ChaosHistory, Effect, EffectKind, Operation, Reading, Region, load_history
from support.chaos.rows import (
    KEYS_PER_WRITE,
    RESIDUES,
    Layout,
    SeenRow,
    Slot,
    insert_into,
    keys_of,
    parse_row,
)
from support.client_history import Outcome


class Story:
    """Operations one after the other, or at times of their own."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.operations: list[Operation] = []
        self.clock = itertools.count(1)
        self.do(bind(slot))

    def do(
        self,
        *effects: Effect,
        at: tuple[float, float] | None = None,
        outcome: Outcome = Outcome.OK,
        readings: Sequence[Reading] = (),
        excuses: Sequence[int] = (),
    ) -> int:
        """Keeps it; its number."""
        asked, ended = at or (next(self.clock), next(self.clock))
        number = len(self.operations) + 1
        self.operations.append(
            Operation(number, "c", "…", asked, ended, outcome, effects, tuple(readings), excuses=tuple(excuses))
        )
        return number

    def see(
        self,
        *rows: SeenRow,
        at: tuple[float, float] | None = None,
        wrong: Sequence[str] = (),
        excuses: Sequence[int] = (),
    ) -> None:
        """A read."""
        self.do(at=at, readings=[Reading(self.slot.name, rows, tuple(wrong))], excuses=excuses)

    def kinds(self) -> list[str]:
        """Faults found."""
        return sorted({fault.kind for fault in find_faults(self.operations, SLOTS)})


def rows(slot: Slot, *writes: int, updates: int = 0) -> list[SeenRow]:
    """All rows of the writes."""
    return [SeenRow(key, updates, slot.place_of(key)) for write in writes for key in keys_of(write)]


@pytest.fixture
def flat() -> Story:
    """A table with the rows of write 1."""
    story = Story(FLAT)
    story.do(add(FLAT, 1))
    return story


@pytest.fixture
def parted() -> Story:
    """A partitioned one."""
    story = Story(PARTED)
    story.do(add(PARTED, 1))
    return story


def test_what_was_written_is_seen(flat: Story) -> None:
    flat.see(*rows(FLAT, 1))
    assert flat.kinds() == []


def test_rows_that_are_missing_are_lost(flat: Story) -> None:
    flat.see()
    assert flat.kinds() == ["lost"]


def test_rows_are_gone_once_they_are_removed(flat: Story) -> None:
    flat.do(remove(FLAT))
    flat.see()
    assert flat.kinds() == []
    flat.see(*rows(FLAT, 1))
    assert flat.kinds() == ["reappeared", "returned"]


def test_a_removal_that_failed_removes_nothing(flat: Story) -> None:
    flat.do(remove(FLAT), outcome=Outcome.FAILED)
    flat.see()
    assert flat.kinds() == ["lost"]


def test_a_removal_of_unknown_end_may_come_about_at_any_time_later(flat: Story) -> None:
    flat.do(remove(FLAT), outcome=Outcome.UNKNOWN)
    flat.see(*rows(FLAT, 1))
    flat.see()
    assert flat.kinds() == []


def test_a_read_beside_a_removal_may_see_either(flat: Story) -> None:
    flat.do(remove(FLAT), at=(10, 20))
    flat.see(at=(11, 12))
    flat.see(*rows(FLAT, 1), at=(10.5, 13))
    assert flat.kinds() == []


def test_a_write_that_failed_is_never_seen(flat: Story) -> None:
    flat.do(add(FLAT, 2), outcome=Outcome.FAILED)
    flat.see(*rows(FLAT, 1, 2))
    assert flat.kinds() == ["dirty"]


def test_part_of_a_write_is_torn(flat: Story) -> None:
    flat.do(add(FLAT, 2), outcome=Outcome.UNKNOWN)
    flat.see(*rows(FLAT, 1), *rows(FLAT, 2)[1:])
    assert flat.kinds() == ["torn"]


def test_a_delete_explains_the_rows_of_its_residue_alone(flat: Story) -> None:
    first, second = keys_of(1)[:2]
    flat.do(remove(FLAT, residue=first % RESIDUES))
    flat.see(*(row for row in rows(FLAT, 1) if row.key != first))
    assert flat.kinds() == []
    flat.see(*(row for row in rows(FLAT, 1) if row.key not in (first, second)))
    assert flat.kinds() == ["lost"]


def test_rows_of_a_table_that_was_dropped_do_not_come_back(flat: Story) -> None:
    flat.do(unbind(FLAT))
    flat.do(bind(FLAT))
    flat.do(add(FLAT, 2))
    flat.see(*rows(FLAT, 2))
    assert flat.kinds() == []
    flat.see(*rows(FLAT, 1, 2))
    assert flat.kinds() == ["reappeared", "returned"]


def test_rows_of_two_tables_in_one_answer_are_a_fault_though_the_read_began_before_the_drop(flat: Story) -> None:
    flat.do(unbind(FLAT), at=(11, 12))
    flat.do(bind(FLAT), at=(13, 14))
    flat.do(add(FLAT, 2), at=(15, 16))
    flat.see(*rows(FLAT, 1, 2), at=(10, 20))
    assert flat.kinds() == ["returned"]


def test_a_snapshot_older_than_a_write_does_not_show_what_was_removed_after_the_write(parted: Story) -> None:
    parted.do(add(PARTED, 2), at=(11, 12))
    parted.do(remove(PARTED, p=100), at=(13, 14))
    parted.see(*(row for row in rows(PARTED, 1) if row.place[0] != 100), at=(10, 20))
    assert parted.kinds() == ["lost"]


def test_no_such_table_is_an_answer_only_while_there_is_none(flat: Story) -> None:
    flat.do(readings=[Reading(FLAT.name)])
    assert flat.kinds() == ["vanished"]


def test_no_such_table_between_two_tables(flat: Story) -> None:
    flat.do(unbind(FLAT))
    flat.do(readings=[Reading(FLAT.name)])
    flat.do(bind(FLAT), outcome=Outcome.FAILED)
    flat.do(readings=[Reading(FLAT.name)])
    flat.do(bind(FLAT))
    assert flat.kinds() == []


def test_no_rows_of_no_table_is_no_answer(flat: Story) -> None:
    flat.do(unbind(FLAT))
    flat.see()
    assert flat.kinds() == ["ghost"]


def test_rows_written_into_a_table_whose_creation_failed_stay(flat: Story) -> None:
    flat.do(unbind(FLAT), at=(11, 12))
    flat.do(bind(FLAT), at=(13, 20), outcome=Outcome.FAILED)
    flat.do(add(FLAT, 2), at=(15, 16))
    flat.do(bind(FLAT), at=(21, 22))
    flat.see(at=(23, 24))
    assert flat.kinds() == ["lost"]


def test_updates_are_counted(flat: Story) -> None:
    key = keys_of(1)[0]
    flat.do(Effect(EffectKind.INCREASE, FLAT.name, Region(residue=key % RESIDUES)))
    right = [SeenRow(row.key, int(row.key == key), row.place) for row in rows(FLAT, 1)]
    flat.see(*right)
    assert flat.kinds() == []
    flat.see(*rows(FLAT, 1))
    assert flat.kinds() == ["miscounted"]


def test_a_partition_that_was_renamed_has_its_rows(parted: Story) -> None:
    moved = [
        SeenRow(row.key, 0, (FIRST_MOVED, row.place[1]) if row.place == (100, 200) else row.place)
        for row in rows(PARTED, 1)
    ]
    parted.see(*rows(PARTED, 1))
    parted.do(Effect(EffectKind.MOVE, PARTED.name, Region(100, 200), moved_to=FIRST_MOVED))
    parted.see(*moved)
    assert parted.kinds() == []
    parted.see(*rows(PARTED, 1))
    assert parted.kinds() == ["returned"]


def test_a_row_in_a_partition_that_it_was_never_moved_to(parted: Story) -> None:
    parted.see(*(SeenRow(row.key, 0, (FIRST_MOVED, row.place[1])) for row in rows(PARTED, 1)))
    assert parted.kinds() == ["displaced"]


def test_a_partition_that_was_renamed_is_not_dropped_by_its_old_name(parted: Story) -> None:
    parted.do(Effect(EffectKind.MOVE, PARTED.name, Region(100, 200), moved_to=FIRST_MOVED))
    parted.do(remove(PARTED, p=100))
    moved = [SeenRow(row.key, 0, (FIRST_MOVED, 200)) for row in rows(PARTED, 1) if row.place == (100, 200)]
    parted.see(*moved, *(row for row in rows(PARTED, 1) if row.place[0] == 101))
    assert parted.kinds() == []
    parted.do(remove(PARTED, p=FIRST_MOVED))
    parted.see(*moved, *(row for row in rows(PARTED, 1) if row.place[0] == 101))
    assert parted.kinds() == ["returned"]


def test_what_a_rename_left_is_judged_without_the_rename(flat: Story) -> None:
    renamed = flat.do(unbind(FLAT), at=(11, 12))
    flat.do(bind(FLAT), at=(13, 14))
    flat.see(*rows(FLAT, 1), at=(11, 12), excuses=[renamed])
    assert flat.kinds() == []
    flat.see(at=(11, 12), excuses=[renamed])
    assert flat.kinds() == ["lost"]


def test_properties_stay(flat: Story) -> None:
    flat.do(note(FLAT, "chaos.1"))
    flat.do(readings=[Reading(FLAT.name, notes=("chaos.1", "x"))])
    assert flat.kinds() == []
    flat.do(readings=[Reading(FLAT.name, notes=("x",))])
    assert flat.kinds() == ["note lost"]
    flat.do(unbind(FLAT))
    flat.do(bind(FLAT))
    flat.do(readings=[Reading(FLAT.name, notes=("chaos.1",))])
    assert flat.kinds() == ["note lost", "note returned"]


def test_a_transaction_sees_its_own_rows(flat: Story) -> None:
    flat.do(add(FLAT, 2), at=(10, 20), readings=[Reading(FLAT.name, (*rows(FLAT, 1),))])
    flat.do(add(FLAT, 3), at=(11, 21), readings=[Reading(FLAT.name, (*rows(FLAT, 1, 3),))])
    assert flat.kinds() == []


def test_values_tell_their_column_and_row() -> None:
    right = {"t": "w2", "n": 8, "a": 10_000_008, "b": "20000008", "v": 0, "p": 100, "q": "200"}
    assert parse_row(json.dumps(right)) == SeenRow(8, 0, (100, 200))
    for other in ({"a": 20_000_008}, {"a": None}, {"t": "w3"}, {"n": 9}, {"x_1": 5}, {"q": None}):
        wrong = {name: value for name, value in (right | other).items() if value is not None}
        assert isinstance(parse_row(json.dumps(wrong)), str)


def test_layouts_differ_in_order_and_types_only() -> None:
    chance = random.Random(1)
    layouts = {Layout.choose(PARTED, chance) for _ in range(50)}
    assert len(layouts) > 40
    assert {frozenset(name for name, _ in layout.columns) for layout in layouts} == {frozenset("tnabv")}
    assert insert_into("t", 2, ("n", "v")).count(str(2 * KEYS_PER_WRITE)) == 1


def test_a_history_is_read_as_it_was_kept(tmp_path: Path) -> None:
    with ChaosHistory(tmp_path / "history") as history:
        history.run(history.next_number(), "c", "INSERT", [add(PARTED, 1), note(FLAT, "x")], lambda answer: None)

        def work(answer: object) -> None:
            answer.readings.append(Reading(PARTED.name, tuple(rows(PARTED, 1)), ("?",)))  # type: ignore[attr-defined]

        history.run(history.next_number(), "c", "SELECT", (), work)
    assert load_history(tmp_path / "history") == history.operations
