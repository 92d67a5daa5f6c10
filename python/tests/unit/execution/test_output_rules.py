"""Which storage is written to in which way, which attempts and uploads count, and what must lie there afterwards."""

from __future__ import annotations

import pytest

from hive_acid.model.names import FolderName
from hive_acid.snapshot.listing import ListedFile, Listing
from hive_acid.wire.storage import PendingUpload
from hive_acid.wire.write_spec import OutputJob, WrittenFolder
from hive_acid.writing.publishing.output_rules import (
    OutputPlan,
    OutputWay,
    find_difference,
    find_losers,
    find_output_way,
    find_own_uploads,
    find_roots,
    is_object_store,
    plan_output,
)

ROOT = "s3a://lake/t"
JOB = OutputJob("job", ROOT, {"d=far": "s3a://lake/far", "d=away": "s3a://lake/far"})


@pytest.mark.parametrize(
    ("location", "way"),
    [
        ("/t", OutputWay.RENAME),
        ("file:/t", OutputWay.RENAME),
        ("hdfs://ns/t", OutputWay.RENAME),
        ("viewfs://c/t", OutputWay.RENAME),
        ("s3a://lake/t", OutputWay.COMMITTER),
        ("S3A://lake/t", OutputWay.COMMITTER),
        ("abfs://c@a/t", OutputWay.COMMITTER),
        ("abfss://c@a/t", OutputWay.COMMITTER),
        ("gs://lake/t", OutputWay.COMMITTER),
        ("s3://lake/t", None),
        ("wasb://c@a/t", None),
    ],
)
def test_each_storage_has_its_way_or_none(location: str, way: OutputWay | None) -> None:
    assert find_output_way(location, allow_non_atomic_rename=False) is way
    assert find_output_way(location, allow_non_atomic_rename=True) is OutputWay.RENAME
    assert is_object_store(location) == (way is OutputWay.COMMITTER)


def test_each_folder_is_expected_where_its_partition_lies() -> None:
    folders = (
        WrittenFolder("delta_1_1_0", 2, 30, ("a", "b"), "d=x", (10, 20), ("attempt-2", "attempt-1")),
        WrittenFolder("delta_1_1_0", 1, 5, ("a",), "d=far", (5,), ("attempt-3",)),
        WrittenFolder("delta_1_1_1", 1, 6, ("a",), "d=far", (6,), ("attempt-3",)),
    )
    plan = plan_output(JOB, folders)
    assert plan.folders == {
        f"{ROOT}/d=x/delta_1_1_0": {"a": 10, "b": 20},
        "s3a://lake/far/delta_1_1_0": {"a": 5},
        "s3a://lake/far/delta_1_1_1": {"a": 6},
    }
    assert plan.attempts == {ROOT: ("attempt-1", "attempt-2"), "s3a://lake/far": ("attempt-3",)}
    assert find_roots(JOB) == (ROOT, "s3a://lake/far")


def test_attempts_that_were_not_handed_over_lose() -> None:
    begun = {ROOT: ["attempt-0", "attempt-1"], "far": ["attempt-1"], "near": ["attempt-3"]}
    chosen = {ROOT: ["attempt-1"], "near": ["attempt-3"]}
    assert find_losers(begun, chosen) == {ROOT: ("attempt-0",), "far": ("attempt-1",)}
    assert find_losers({ROOT: ["attempt-1"]}, chosen) == {}


@pytest.mark.parametrize(
    ("path", "is_own"),
    [
        (f"{ROOT}/delta_0000007_0000007_0000/bucket_00000", True),
        (f"{ROOT}/base_0000007/bucket_00000", True),
        (f"{ROOT}/d=x/e=y/delete_delta_0000007_0000007_0001/bucket_00000", True),
        (f"{ROOT}/delta_0000008_0000008_0000/bucket_00000", False),  # of a neighbour
        (f"{ROOT}/delta_0000006_0000007_v0000009/bucket_00000", False),  # of a compaction
        (f"{ROOT}/other/delta_0000007_0000007_0000/bucket_00000", False),  # a table below the table
        (f"{ROOT}er/delta_0000007_0000007_0000/bucket_00000", False),
        (f"{ROOT}/delta_0000007_0000007_0000", False),
        (f"{ROOT}/bucket_00000", False),
    ],
)
def test_uploads_are_told_by_the_names_of_folders(path: str, is_own: bool) -> None:
    def of_statement(name: FolderName) -> bool:
        return name.min_write_id == name.max_write_id == 7

    upload = PendingUpload(path, "id")
    assert find_own_uploads([upload], [ROOT], of_statement) == ([upload] if is_own else [])


PLAN = OutputPlan({f"{ROOT}/delta_1_1_0": {"a": 10, "b": 20}}, {})


@pytest.mark.parametrize(
    ("files", "difference"),
    [
        ({"a": 10, "b": 20, "_orc_acid_version": 1}, None),
        ({"a": 10}, "b has no file, not 20 bytes"),
        ({"a": 10, "b": 21}, "b has 21 bytes, not 20 bytes"),
        ({"a": 10, "b": 20, "c": 0}, "c has 0 bytes, not no file"),
        ({}, "a has no file, not 10 bytes"),
    ],
)
def test_what_lies_there_must_be_what_was_reported(files: dict[str, int], difference: str | None) -> None:
    (root,) = PLAN.folders
    listing = Listing(root, tuple(ListedFile(name, length, 1) for name, length in files.items()), exists=bool(files))
    assert find_difference(PLAN, [listing]) == (difference and f"{root}/{difference}")
