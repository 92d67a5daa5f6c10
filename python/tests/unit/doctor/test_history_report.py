"""`hive-acid history` tells people and programs who wrote what."""

from __future__ import annotations

import json

from hive_acid_ops.history.entries import HistoryEntry
from hive_acid_ops.history.report import format_json, format_text

OTHERS = HistoryEntry(write_id=2, first_write_id=2, files=1, bytes=100, partition_count=0, time_ms=5_000)
OURS = HistoryEntry(
    write_id=1,
    first_write_id=1,
    files=1,
    bytes=100,
    partition_count=0,
    time_ms=1_700_000_000_000,
    txn_id=1,
    operation="INSERT",
    statement="INSERT INTO t VALUES (?)",
    application="nightly",
    application_id="app-1",
    user="ada",
    inserted=3,
    updated=0,
    deleted=0,
)


def test_the_history_is_told_to_people() -> None:
    assert format_text([OTHERS, OURS]) == (
        "write ID 2  1970-01-01 00:00:05  -  by unknown\n"
        "    rows not known; files 1, bytes 100\n"
        "write ID 1  2023-11-14 22:13:20  INSERT  by nightly (app-1), user ada, transaction 1\n"
        "    INSERT INTO t VALUES (?)\n"
        "    rows 3 inserted, 0 updated, 0 deleted; files 1, bytes 100"
    )
    assert format_text([]) == "nothing was written"


def test_the_history_is_told_to_programs() -> None:
    (newest, oldest) = json.loads(format_json([OTHERS, OURS]))["history"]
    assert (newest["write_id"], newest["operation"]) == (2, None)
    assert (oldest["statement"], oldest["inserted"]) == ("INSERT INTO t VALUES (?)", 3)


def test_partitions_are_named_as_far_as_the_entry_does() -> None:
    entry = HistoryEntry(
        write_id=7, first_write_id=5, files=1, bytes=9, partition_count=2, partitions=("d=a",), folded_into=("base_7",)
    )
    assert format_text([entry]) == (
        "write ID 5-7  -  -  by unknown\n"
        "    folded into base_7 by a compaction\n"
        "    rows not known; files 1, bytes 9; partitions 2: d=a …"
    )


def test_nothing_that_others_wrote_moves_the_cursor_of_a_terminal() -> None:
    entry = HistoryEntry(
        write_id=1, first_write_id=1, files=1, bytes=9, partition_count=0, statement="INSERT INTO `a\x1b[2J` VALUES (?)"
    )
    assert "\x1b" not in format_text([entry])
