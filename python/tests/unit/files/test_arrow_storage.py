"""Storage without a JVM: what is listed there is what a session lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import fs, orc

from hive_acid.errors import HiveAcidError
from hive_acid.snapshot.listing import Listing
from hive_acid.wire.storage import FileVersion
from hive_acid_ops.storage import ArrowStorage


@pytest.fixture
def root(tmp_path: Path) -> str:
    for path in ("delta_1/bucket_00000", "delta_1/_hidden_file", "_staging/delta_2/bucket_00000", "a b%20#/000000_0"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x" * 5)
    (tmp_path / "delta_3").mkdir()
    return f"file:{tmp_path}"


def condition(call: Callable[[], object]) -> str | None:
    with pytest.raises(HiveAcidError) as raised:
        call()
    return raised.value.getCondition()


def test_hidden_folders_are_left_out_with_all_they_hold_and_hidden_files_are_not(root: str) -> None:
    (listing,) = ArrowStorage().list_trees([root])
    assert [(file.relative_path, file.length_bytes) for file in listing.files] == [
        ("a b%20#/000000_0", 5),
        ("delta_1/_hidden_file", 5),
        ("delta_1/bucket_00000", 5),
    ]
    assert (listing.root, listing.folders) == (root, ("a b%20#", "delta_1", "delta_3"))
    assert all(file.modified_ms > 1_600_000_000_000 for file in listing.files)


def test_with_hidden_folders_everything_is_listed(root: str) -> None:
    (listing,) = ArrowStorage().list_all([root])
    assert "_staging/delta_2" in listing.folders and len(listing.files) == 4
    assert ArrowStorage().hidden_folders([root, f"{root}/none"]) == [f"{root}/_staging"]


def test_a_root_that_is_missing_is_empty(root: str) -> None:
    assert ArrowStorage().list_trees([f"{root}/none", root])[0] == Listing(f"{root}/none", exists=False)


@pytest.mark.parametrize("prefix", ["", "file:", "file://"])
def test_a_path_is_read_in_each_spelling_and_removed(tmp_path: Path, prefix: str) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "note").write_text("ä")
    storage, folder = ArrowStorage(), f"{prefix}{tmp_path}/d"
    assert (storage.read_text(f"{folder}/note"), storage.read_bytes(f"{folder}/none")) == ("ä", None)
    storage.delete_tree(folder)
    storage.delete_tree(folder)
    assert not storage.exists(folder)


def test_rows_are_those_of_the_footers(tmp_path: Path) -> None:
    orc.write_table(pa.table({"id": [1, 2, 3]}), tmp_path / "good")
    (tmp_path / "bad").write_text("no ORC")
    good, bad, gone = (FileVersion(f"file:{tmp_path}/{name}", 1, 0) for name in ("good", "bad", "gone"))
    assert ArrowStorage().row_counts("db.t", [good, good]) == [3, 3]
    assert condition(lambda: ArrowStorage().row_counts("db.t", [bad])) == "HIVE_ACID_CORRUPT_FILE.UNREADABLE"
    assert condition(lambda: ArrowStorage().row_counts("db.t", [gone])) == "HIVE_ACID_SNAPSHOT_UNAVAILABLE"


@pytest.mark.parametrize("root", ["abfs://c@account/t", "ofs://service/volume/t"])
def test_storage_without_such_a_way_is_named_with_the_option_that_helps(root: str) -> None:
    with pytest.raises(HiveAcidError, match="--spark") as raised:
        ArrowStorage().list_trees([root])
    assert raised.value.getCondition() == "HIVE_ACID_CONFIGURATION.NEEDS_SPARK"
    assert raised.value.getMessageParameters()["path"] == root


def test_storage_that_does_not_answer_is_named_likewise() -> None:
    def find(scheme: str, authority: str) -> fs.FileSystem:
        raise OSError("Unable to load libhdfs: no such file")

    assert condition(lambda: ArrowStorage(find).exists("hdfs://nn/t")) == "HIVE_ACID_CONFIGURATION.NEEDS_SPARK"


def test_a_bucket_is_listed_by_its_name_and_its_uploads_need_spark(tmp_path: Path) -> None:
    (tmp_path / "bucket" / "t" / "delta_1").mkdir(parents=True)
    (tmp_path / "bucket" / "t" / "delta_1" / "bucket_00000").write_text("x")
    storage = ArrowStorage(lambda scheme, authority: fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem()))
    (listing,) = storage.list_trees(["s3a://bucket/t"])
    assert [file.relative_path for file in listing.files] == ["delta_1/bucket_00000"]
    assert condition(lambda: storage.pending_uploads(["s3a://bucket/t"])) == "HIVE_ACID_CONFIGURATION.NEEDS_SPARK"
    assert storage.pending_uploads([f"file:{tmp_path}"]) == []


def test_what_it_cannot_do_is_refused_and_never_left_undone() -> None:
    storage = ArrowStorage()
    assert condition(lambda: storage.rename("/a", "/b")) == "HIVE_ACID_CONFIGURATION.NEEDS_SPARK"
