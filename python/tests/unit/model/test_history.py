"""Notes are small, are read back as they were, and are folded without growing."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.history.note import MAX_HISTORY_BYTES, MAX_TEXT, HistoryFile, WriteNote, fold_notes, shorten


def build_note(write_id: int, **values: Any) -> WriteNote:
    return WriteNote(**{"write_id": write_id, "txn_id": write_id, "time_ms": 1, "operation": "INSERT", **values})


def text_of(*notes: WriteNote) -> str:
    return HistoryFile(notes).format()


def write_ids(text: str) -> list[int]:
    return [note.write_id for note in HistoryFile.parse(text).notes]


@given(
    st.text(max_size=MAX_TEXT),
    st.text(max_size=200),
    st.integers(0, 2**63 - 1),
    st.one_of(st.none(), st.integers(0, 2**63 - 1)),
)
def test_a_note_is_read_back_as_it_was_or_without_its_statement(
    statement: str, user: str, number: int, rows: int | None
) -> None:
    note = build_note(number, statement=statement, user=user, deleted=rows, last_statement_id=7, partitions=3)
    text = text_of(note)
    assert len(text.encode("utf-8", "replace")) <= MAX_HISTORY_BYTES
    (back,) = HistoryFile.parse(text).notes
    assert back in (note, build_note(number, user=user, deleted=rows, last_statement_id=7, partitions=3))


def test_the_longest_statement_stays_unless_it_needs_more_than_the_file_may_have() -> None:
    assert HistoryFile.parse(text_of(build_note(1, statement="ä" * MAX_TEXT))).notes[0].statement == "ä" * MAX_TEXT
    assert HistoryFile.parse(text_of(build_note(1, statement="\x01" * 8 * MAX_TEXT))).notes[0].statement is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[]",
        "null",
        '{"version": 2, "notes": []}',
        '{"version": 1}',
        '{"version": 1, "notes": {}}',
        '{"version": 1, "notes": [1]}',
        '{"version": 1, "notes": [{}]}',
        '{"version": 1, "notes": [], "dropped": -1}',
        '{"version": 1, "notes": [], "compaction": "me"}',
        "[" * 100_000,
        text_of(build_note(1)).replace('"write_id": 1', '"write_id": "1"'),
        text_of(build_note(1)).replace('"write_id": 1', '"write_id": true'),
        text_of(build_note(1)).replace('"write_id": 1', '"write_id": 1e400'),
        text_of(build_note(1)).replace('"INSERT"', "5"),
    ],
)
def test_what_is_none_of_ours_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        HistoryFile.parse(text)


@given(st.text(), st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5))
def test_nothing_else_is_raised(text: str, value: Any) -> None:
    for content in (text, json.dumps(value), json.dumps({"version": 1, "notes": value})):
        with contextlib.suppress(ValueError):
            HistoryFile.parse(content)


def test_fields_of_later_releases_are_passed_over_and_long_texts_cut() -> None:
    content = json.loads(text_of(build_note(1)))
    content["notes"][0] |= {"mood": [1], "user": "u" * 1_000}
    (note,) = HistoryFile.parse(json.dumps(content)).notes
    assert note.user == "u" * 199 + "…" == shorten("u" * 1_000, 200)


def test_folding_keeps_each_note_once_the_newest_first() -> None:
    first, second, third = (text_of(build_note(number)) for number in (1, 2, 3))
    twice = text_of(build_note(2), build_note(2, first_statement_id=1))
    folded = fold_notes([second, first, "not ours", third, twice])
    assert write_ids(folded) == [3, 2, 2, 1]
    assert write_ids(fold_notes([folded, text_of(build_note(9))])) == [9, 3, 2, 2, 1]
    assert write_ids(fold_notes([folded], is_kept=lambda write_id: write_id != 2)) == [3, 1]
    assert write_ids(fold_notes([])) == []


def test_the_compaction_has_a_note_of_its_own_and_those_before_it_go() -> None:
    earlier = fold_notes([text_of(build_note(1))], compaction=build_note(1, operation="COMPACTION", user="a"))
    later = HistoryFile.parse(fold_notes([earlier], compaction=build_note(1, operation="COMPACTION", user="b")))
    assert [note.operation for note in later.notes] == ["INSERT"]
    assert later.compaction is not None and later.compaction.user == "b"


def test_what_there_is_no_room_for_is_counted_also_when_folded_again() -> None:
    texts = [text_of(build_note(number, statement="s" * MAX_TEXT)) for number in range(1, 101)]
    folded = fold_notes(texts, compaction=build_note(100, operation="COMPACTION"))
    file = HistoryFile.parse(folded)
    assert len(folded.encode()) <= MAX_HISTORY_BYTES
    assert write_ids(folded) == list(range(100, 100 - len(file.notes), -1)) and len(file.notes) >= 6
    assert file.dropped == 100 - len(file.notes)
    again = HistoryFile.parse(fold_notes([folded, text_of(build_note(101, statement="s" * MAX_TEXT))]))
    assert again.notes[0].write_id == 101
    assert len(again.notes) + again.dropped == 101
