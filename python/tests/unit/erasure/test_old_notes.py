"""Notes of the history that name a subject, as by an alias, are masked by an erasure; nothing else of them changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hive_acid.history.note import HistoryFile, WriteNote
from hive_acid.model.names import HISTORY_FILE
from hive_acid_erasure.run import find_subjects
from support.erasure_disk import Killed
from support.erasure_shop import OTHER, SUBJECTS, Shop

ADA = SUBJECTS[0]
FOLDER = "/warehouse/sales/day=2/delta_0000001_0000001_0000"
"""Nobody of the subjects has a row there, so that it is not compacted."""
NOTE = f"{FOLDER}/{HISTORY_FILE}"
OWN = WriteNote(
    1, 7, 1_700_000_000_000, "INSERT", statement=f"INSERT INTO sales SELECT ? AS `{ADA}`", inserted=1, files=1
)
OTHERS = WriteNote(1, 8, 1_700_000_000_001, "INSERT", 1, 1, f"INSERT INTO sales SELECT ? AS `{OTHER}`", user="cyd")


def write(shop: Shop, path: str, *notes: WriteNote, compaction: WriteNote | None = None) -> str:
    text = HistoryFile(notes, 2, compaction).format()
    shop.files.add_file(path, len(text.encode()), 1, text)
    return text


def texts(shop: Shop) -> dict[str, str]:
    return {path: shop.files.texts[path] for path in shop.files.files if path.endswith(HISTORY_FILE)}


def test_a_note_that_names_a_subject_is_masked_and_the_erasure_ends(shop: Shop) -> None:
    write(shop, NOTE, OWN, OTHERS, compaction=WriteNote(1, 9, 1, "COMPACTION", user=ADA.upper()))
    others = write(shop, f"/warehouse/people/base_0000001/{HISTORY_FILE}", OTHERS)
    outcome = shop.erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
    found = texts(shop)
    assert found[f"/warehouse/people/base_0000001/{HISTORY_FILE}"] == others
    masked = HistoryFile.parse(found[NOTE])
    mask = masked.notes[0].statement.split("`")[1]
    assert mask.startswith("#") and ADA not in found[NOTE].lower()
    assert masked == HistoryFile(
        (
            WriteNote(
                1,
                7,
                1_700_000_000_000,
                "INSERT",
                statement=f"INSERT INTO sales SELECT ? AS `{mask}`",
                inserted=1,
                files=1,
            ),
            OTHERS,
        ),
        2,
        WriteNote(1, 9, 1, "COMPACTION", user=f"#{shop.key.hash_parts((ADA.upper(),)).hex()[:16]}"),
    )
    assert [line for line in shop.told if line.startswith("note: ")] == [f"note: {NOTE}"]
    assert not [path for path in shop.files.files if "staging" in path]


class Striking:
    """Ends the process at a change of this number, before or after it is made."""

    def __init__(self, inner: Any, at: int, *, after: bool) -> None:
        self.inner, self.left, self.after = inner, at, after

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if name not in ("write_text", "delete_tree", "rename", "exists", "read_text"):
            return found

        def strike(*args: Any) -> Any:
            self.left -= 1
            if not self.left and not self.after:
                raise Killed
            result = found(*args)
            if not self.left:
                raise Killed
            return result

        return strike


@pytest.mark.parametrize("after", [False, True])
def test_a_kill_at_any_change_loses_no_note(make_shop: Any, after: bool) -> None:
    reached = 0
    for at in range(1, 40):
        shop = make_shop()
        write(shop, NOTE, OWN, OTHERS)
        files = shop.files
        shop.files = Striking(files, at, after=after)
        try:
            shop.erase()
            break
        except Killed:
            reached += 1
        shop.files = files
        assert shop.erase().verdict.state.value == "erased", at
        found = texts(shop)
        assert list(found) == [NOTE], at
        assert ADA not in found[NOTE] and HistoryFile.parse(found[NOTE]).notes[1] == OTHERS, at
    assert reached > 4


def test_a_folder_that_is_removed_meanwhile_does_not_come_back(shop: Shop) -> None:
    write(shop, NOTE, OWN)
    read = shop.files.read_text

    def read_last(path: str) -> str:
        text = read(path)
        if path == NOTE:
            shop.files.delete_tree(FOLDER)
            shop.disk.contents.pop(f"{FOLDER}/bucket_00000", None)
        return text

    shop.files.read_text = read_last  # type: ignore[method-assign]
    assert shop.erase().verdict.state.value == "erased"
    assert not [path for path in shop.files.files if FOLDER in path or "staging" in path]


@pytest.mark.parametrize("text", [f"not ours: {ADA}", json.dumps({"version": 9, "notes": [{"statement": ADA}]})])
def test_what_is_no_note_of_ours_stays_and_is_told(shop: Shop, text: str) -> None:
    shop.files.add_file(NOTE, len(text), 1, text)
    outcome = shop.erase()
    assert [(place.kind.value, place.where) for place in outcome.verdict.places] == [("file-text", NOTE)]
    assert texts(shop) == {NOTE: text}


def test_a_count_a_search_and_partitions_outside_of_the_limits_change_no_note(shop: Shop) -> None:
    text = write(shop, NOTE, OWN)
    find_subjects(shop.case(), shop.world())
    assert "file-text" in shop.kinds(shop.verify())
    shop.plan["tables"]["shop.sales"]["partitions"] = "day=1"
    shop.erase()
    assert texts(shop) == {NOTE: text}
