from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.model.names import (
    BucketFileName,
    FolderKind,
    FolderName,
    is_acid_folder_like,
    is_hidden,
    original_bucket,
)
from hive_acid.model.write_ids import LONG_MAX, LONG_MIN

BASE, DELTA, DELETE_DELTA = FolderKind.BASE, FolderKind.DELTA, FolderKind.DELETE_DELTA
WRITE_IDS = st.integers(1, LONG_MAX)
SUFFIXES = st.one_of(
    st.just((None, 0)),
    st.tuples(st.integers(0, 9999), st.just(0)),
    st.tuples(st.none(), st.integers(1, LONG_MAX)),
)


@st.composite
def folder_names(draw: st.DrawFn) -> FolderName:
    if draw(st.booleans()):
        write_id = draw(st.one_of(WRITE_IDS, st.just(LONG_MIN)))
        return FolderName(BASE, write_id, write_id, None, draw(st.integers(0, LONG_MAX)))
    first, last = sorted((draw(WRITE_IDS), draw(WRITE_IDS)))
    statement_id, visibility_txn_id = draw(SUFFIXES)
    return FolderName(draw(st.sampled_from([DELTA, DELETE_DELTA])), first, last, statement_id, visibility_txn_id)


@given(folder_names())
def test_a_formatted_folder_name_parses_to_itself(name: FolderName) -> None:
    assert FolderName.parse(name.format()) == name


@given(folder_names())
def test_padding_of_a_folder_name_means_nothing(name: FolderName) -> None:
    unpadded = "_".join(part.lstrip("0") or "0" for part in name.format().replace("_v", "_v0").split("_"))
    assert FolderName.parse(unpadded) == name


@given(st.integers(0, 4095), st.one_of(st.none(), st.integers(0, 10**6)))
def test_a_formatted_bucket_file_name_parses_to_itself(bucket: int, attempt: int | None) -> None:
    name = BucketFileName(bucket, attempt)
    assert BucketFileName.parse(name.format()) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("base_0000005", FolderName(BASE, 5, 5)),
        ("base_5", FolderName(BASE, 5, 5)),
        ("base_0000005_v0000123", FolderName(BASE, 5, 5, None, 123)),
        ("base_-9223372036854775808", FolderName(BASE, LONG_MIN, LONG_MIN)),
        ("base_-9223372036854775808_v0000007", FolderName(BASE, LONG_MIN, LONG_MIN, None, 7)),
        ("delta_0000001_0000001_0000", FolderName(DELTA, 1, 1, 0)),
        ("delta_5_5", FolderName(DELTA, 5, 5)),
        ("delta_10000001_10000001_0012", FolderName(DELTA, 10000001, 10000001, 12)),
        ("delta_0000001_0000010_v0000055", FolderName(DELTA, 1, 10, None, 55)),
        ("delete_delta_0000001_0000010", FolderName(DELETE_DELTA, 1, 10)),
        ("delete_delta_0000003_0000003_0001", FolderName(DELETE_DELTA, 3, 3, 1)),
    ],
)
def test_names_of_every_engine_are_read(text: str, name: FolderName) -> None:
    assert FolderName.parse(text) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (FolderName(DELTA, 1, 1, 0), "delta_0000001_0000001_0000"),
        (FolderName(DELETE_DELTA, 12, 12, 3), "delete_delta_0000012_0000012_0003"),
        (FolderName(DELTA, 10000001, 10000001, 0), "delta_10000001_10000001_0000"),
        (FolderName(BASE, 7, 7), "base_0000007"),
        (FolderName(BASE, 7, 7, None, 19), "base_0000007_v0000019"),
        (FolderName(BASE, LONG_MIN, LONG_MIN), "base_-9223372036854775808"),
    ],
)
def test_written_names_have_the_one_spelling_all_engines_read(name: FolderName, text: str) -> None:
    assert name.format() == text


@pytest.mark.parametrize(
    "text",
    [
        "base_-5",
        "base_",
        "base_5_3",
        "base_9223372036854775808",
        "base_5_vx",
        "delta_5_3",
        "delta_0_0",
        "delta_5",
        "delta_5_5_",
        "delta_5_5_0_v7",
        "delta_-1_5",
        "delta_٣_٣",
        "delete_delta_1_2_3_4",
    ],
)
def test_names_that_only_begin_like_acid_folders_are_told_apart_from_both(text: str) -> None:
    assert FolderName.parse(text) is None
    assert is_acid_folder_like(text)


@pytest.mark.parametrize("text", ["HIVE_UNION_SUBDIR_1", "year=2020", "deltas", "DELTA_1_1", " delta_1_1", "base", ""])
def test_other_folders_are_not_taken_for_acid_folders(text: str) -> None:
    assert FolderName.parse(text) is None
    assert not is_acid_folder_like(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bucket_00000", BucketFileName(0)),
        ("bucket_00012_3", BucketFileName(12, 3)),
        ("bucket_7", BucketFileName(7)),
        ("bucket_00000_flush_length", None),
        ("bucket_", None),
        ("bucket_0000x", None),
        ("000000_0", None),
        ("bucket_00000\n", None),
    ],
)
def test_bucket_files_are_told_from_other_files(text: str, name: BucketFileName | None) -> None:
    assert BucketFileName.parse(text) == name


@pytest.mark.parametrize(
    ("text", "bucket"),
    [
        ("000000_0", 0),
        ("000012_0_copy_4", 12),
        ("000000_1844674407370955161599", 0),
        ("bucket_00000", None),
        ("part-00000.orc", None),
    ],
)
def test_the_bucket_of_an_original_is_its_leading_number(text: str, bucket: int | None) -> None:
    assert original_bucket(text) == bucket


def test_names_with_a_leading_underscore_or_dot_are_hidden() -> None:
    assert is_hidden("_orc_acid_version")
    assert is_hidden(".hive-staging")
    assert not is_hidden("bucket_00000")
