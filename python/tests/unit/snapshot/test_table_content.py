"""How much of a table a snapshot reads: what is obsolete, aborted or not yet committed does not count."""

from __future__ import annotations

from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.acid_state import TableContent, count_content
from support.listings import state_of

WRITE_IDS = "9:7:7:8"
"""7 is open, 8 aborted."""
SEEN = ValidWriteIdList.parse(f"db.t:{WRITE_IDS}")


def test_files_bytes_and_folders_are_those_that_are_read_summed_over_partitions() -> None:
    flat = """
        delta_0000001_0000001_0000/bucket_00000 7
        delta_0000002_0000002_0000/bucket_00000 7
        base_0000003/bucket_00000 1000
        base_0000003/bucket_00001 0
        delta_0000004_0000004_0000/bucket_00000 200
        delta_0000004_0000004_0000/_orc_acid_version 1
        delete_delta_0000005_0000005_0000/bucket_00000 30
        delete_delta_0000006_0000006_0000/bucket_00000 30
        delta_0000007_0000007_0000/bucket_00000 7
        delta_0000008_0000008_0000/bucket_00000 7
    """
    other = "delta_0000009_0000009_0000/bucket_00000 4"
    states = [state_of(flat, WRITE_IDS), state_of(other, WRITE_IDS), state_of("", WRITE_IDS)]
    assert count_content(states, SEEN) == TableContent(
        files=6, total_bytes=1264, bases=1, deltas=2, delete_deltas=2, latest_write_id=9
    )


def test_files_without_acid_columns_count_too() -> None:
    state = state_of("file:000000_0 50\ndelta_0000001_0000001_0000/bucket_00000 5", WRITE_IDS)
    content = count_content([state], SEEN)
    assert (content.files, content.total_bytes, content.deltas) == (2, 55, 1)


def test_the_latest_write_id_is_the_latest_one_that_is_committed() -> None:
    for text, latest in (("9:7:7:8", 9), ("9:7:7,9:8", 6), ("0", 0), ("2::1,2:", 0)):
        assert count_content([], ValidWriteIdList.parse(f"db.t:{text}")).latest_write_id == latest, text
