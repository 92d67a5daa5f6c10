"""Of files that streaming ingest still writes, what it has flushed is read, and nothing else."""

from __future__ import annotations

import struct

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.flush_lengths import parse_flush_length
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.snapshot.table_snapshot import load_scan_plan
from support.listings import ROOT
from support.memory_file_system import MemoryFileSystem

TABLE = TableDescription(TableName("db", "t"), ROOT, (Column("id", "int"),), parameters={"transactional": "true"})
STREAMED = "delta_0000001_0000009"


def longs(*values: int) -> bytes:
    return b"".join(struct.pack(">q", value) for value in values)


def streamed(content: bytes, folder: str = STREAMED, length_bytes: int = 100) -> MemoryFileSystem:
    files = MemoryFileSystem()
    files.add_file(f"{ROOT}/{folder}/bucket_00000", length_bytes)
    files.add_file(f"{ROOT}/{folder}/bucket_00000_flush_length", len(content))
    files.bytes[f"{ROOT}/{folder}/bucket_00000_flush_length"] = content
    return files


def plan_of(files: MemoryFileSystem) -> ScanPlan:
    return load_scan_plan(files, TABLE, None, ValidWriteIdList.parse("db.t:60:4:4:"), ValidTxnList(100))


def lengths(plan: ScanPlan) -> list[int]:
    return [file.length_bytes for folder in plan.partitions[0].folders for file in folder.files]


@pytest.mark.parametrize(
    ("content", "length"),
    [
        (longs(0), 0),
        (longs(0, 57), 57),
        (longs(0, 57, 2**40), 2**40),
        (longs(0, 57) + longs(300)[:7], 57),
        (longs(0)[:7], None),
        (b"", None),
        (longs(0, -1), None),
    ],
)
def test_the_last_complete_number_counts(content: bytes, length: int | None) -> None:
    assert parse_flush_length(content) == length


def test_a_file_is_read_as_far_as_it_was_flushed_whatever_its_listed_length() -> None:
    for listed in (0, 10, 57, 1000):
        assert lengths(plan_of(streamed(longs(0, 57), length_bytes=listed))) == [57]


def test_a_file_of_which_nothing_was_flushed_has_no_rows() -> None:
    assert lengths(plan_of(streamed(longs(0)))) == []


def test_a_file_without_a_side_file_is_read_to_its_end() -> None:
    files = streamed(longs(0, 57))
    files.add_file(f"{ROOT}/{STREAMED}/bucket_00001", 99)
    assert lengths(plan_of(files)) == [57, 99]


@pytest.mark.parametrize("content", [b"", longs(7)[:5]])
def test_a_side_file_without_a_number_is_refused_as_hive_refuses_it(content: bytes) -> None:
    with pytest.raises(HiveAcidError, match="bucket_00000_flush_length") as raised:
        plan_of(streamed(content))
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT.NO_FLUSH_LENGTH"


@pytest.mark.parametrize("folder", ["delta_0000001_0000001", "delta_0000001_0000009_v0000003", "base_0000003"])
def test_elsewhere_side_files_mean_nothing(folder: str) -> None:
    files = streamed(longs(0, 57), folder)
    assert lengths(plan_of(files)) == [100]
    assert "read_bytes" not in files.calls


def test_side_files_that_the_snapshot_does_not_see_are_not_read() -> None:
    files = streamed(b"", "delta_0000061_0000070")
    assert lengths(plan_of(files)) == []
    assert "read_bytes" not in files.calls


class Closing(MemoryFileSystem):
    """Streaming ingest that closes its file, which is longer then, between the listing and the look at its side file;
    `times`: and begins again."""

    times = 1

    def read_bytes(self, path: str) -> bytes | None:
        self.times -= 1
        if self.times >= 0:
            return None
        return super().read_bytes(path)


def test_a_file_that_is_closed_meanwhile_is_listed_anew() -> None:
    files = Closing()
    files.add_file(f"{ROOT}/{STREAMED}/bucket_00000", 700)
    files.add_file(f"{ROOT}/{STREAMED}/bucket_00000_flush_length", 8)
    files.bytes[f"{ROOT}/{STREAMED}/bucket_00000_flush_length"] = longs(600)
    assert lengths(plan_of(files)) == [600]
    assert files.calls == ["list_trees", "list_trees", "read_bytes"]


def test_files_that_are_closed_without_end_are_an_error() -> None:
    files = Closing()
    files.times = 1000
    files.add_file(f"{ROOT}/{STREAMED}/bucket_00000", 700)
    files.add_file(f"{ROOT}/{STREAMED}/bucket_00000_flush_length", 8)
    with pytest.raises(HiveAcidError) as raised:
        plan_of(files)
    assert raised.value.getCondition() == "HIVE_ACID_SNAPSHOT_UNAVAILABLE"
