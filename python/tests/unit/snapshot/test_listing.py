from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.errors import HiveAcidError
from hive_acid.snapshot.filesystem import parse_listings
from hive_acid.snapshot.listing import ListedFile, Listing
from support.listings import format_listings
from support.memory_file_system import MemoryFileSystem

NAMES = st.text(st.sampled_from("a%\t\n\r\x0b\u2028é= \\0259AD"), min_size=1, max_size=8)


@st.composite
def listings(draw: st.DrawFn) -> Listing:
    root = "/" + draw(NAMES)
    if draw(st.integers(0, 9)) == 0:
        return Listing(root, exists=False)
    folders = sorted(draw(st.sets(st.lists(NAMES, min_size=1, max_size=2).map("/".join), max_size=3)))
    names = draw(st.sets(NAMES, max_size=3))
    files = [
        ListedFile(f"{folder}/{name}" if folder else name, draw(st.integers(0, 2**40)), draw(st.integers(0, 2**42)))
        for folder in ("", *folders)
        for name in sorted(names)
    ]
    return Listing(root, tuple(files), tuple(folders))


@given(st.lists(listings(), max_size=4))
def test_listings_survive_the_way_from_the_jvm_whatever_their_names(given_listings: list[Listing]) -> None:
    roots = [listing.root for listing in given_listings]
    assert parse_listings(format_listings(given_listings), roots) == given_listings


def test_the_json_of_a_partition_with_a_base_and_an_empty_delta() -> None:
    text = """[
        {"root": "hdfs://h/t/d=2020-01-01 10%3A00", "exists": true, "folders": [
            {"path": "", "names": ["stray"], "lengthsBytes": [7], "modifiedMs": [5]},
            {"path": "base_0000001", "names": ["_orc_acid_version", "bucket_00000"],
             "lengthsBytes": [1, 1234], "modifiedMs": [99, 1700000000000]},
            {"path": "delta_0000002_0000002_0000", "names": [], "lengthsBytes": [], "modifiedMs": []}]},
        {"root": "hdfs://h/gone", "exists": false, "folders": []}
    ]"""
    assert parse_listings(text, ["hdfs://h/t/d=2020-01-01 10%3A00", "hdfs://h/gone"]) == [
        Listing(
            "hdfs://h/t/d=2020-01-01 10%3A00",
            (
                ListedFile("stray", 7, 5),
                ListedFile("base_0000001/_orc_acid_version", 1, 99),
                ListedFile("base_0000001/bucket_00000", 1234, 1700000000000),
            ),
            ("base_0000001", "delta_0000002_0000002_0000"),
        ),
        Listing("hdfs://h/gone", exists=False),
    ]


ROOT = {"path": "", "names": ["bucket_00000"], "lengthsBytes": [1], "modifiedMs": [1]}
TOLD = {"root": "/t", "exists": True, "folders": [ROOT]}
WRONG_FILES: list[dict[str, Any]] = [
    {"names": [""]},
    {"names": [1]},
    {"names": []},
    {"names": "b"},
    {"lengthsBytes": ["1"]},
    {"lengthsBytes": [1, 2]},
    {"modifiedMs": [1.5]},
    {"lengthsBytes": [True], "modifiedMs": [True]},
    {"modifiedMs": None},
    {"path": 1},
]
WRONG: list[object] = [
    None,
    {},
    [],
    [TOLD, TOLD],
    [{**TOLD, "root": "/other"}],
    [{**TOLD, "exists": False}],
    [{**TOLD, "exists": 1}],
    [{**TOLD, "folders": []}],
    [{**TOLD, "folders": [{**ROOT, "path": "base_1"}]}],
    [{**TOLD, "folders": [ROOT, ROOT]}],
    [{"root": "/t", "exists": True}],
    *([{**TOLD, "folders": [{**ROOT, **wrong}]}] for wrong in WRONG_FILES),
]
CUT_SHORT = [json.dumps([TOLD])[:length] for length in range(len(json.dumps([TOLD])))]


@pytest.mark.parametrize("text", [*map(json.dumps, WRONG), *CUT_SHORT])
def test_a_text_that_was_cut_short_or_is_malformed_is_refused(text: str) -> None:
    assert len(parse_listings(json.dumps([TOLD]), ["/t"])) == 1
    with pytest.raises(HiveAcidError) as raised:
        parse_listings(text, ["/t"])
    assert raised.value.getCondition() == "HIVE_ACID_INTERNAL"


def test_an_absolute_path_has_one_slash_after_the_root() -> None:
    assert Listing("/t/").absolute_path("base_1") == "/t/base_1"
    assert Listing("hdfs://h/t").absolute_path("base_1") == "hdfs://h/t/base_1"


def test_the_file_system_in_memory_lists_hidden_files_but_no_hidden_folders() -> None:
    files = MemoryFileSystem()
    files.add_file("/t/base_1/_metadata_acid")
    files.add_file("/t/base_1/bucket_00000")
    files.add_file("/t/.hive-acid-staging-1/delta_1_1/bucket_00000")
    files.make_folder("/t/delta_2_2/empty")
    (listing,) = files.list_trees(["/t"])
    assert [file.relative_path for file in listing.files] == ["base_1/_metadata_acid", "base_1/bucket_00000"]
    assert listing.folders == ("base_1", "delta_2_2", "delta_2_2/empty")
    assert files.list_trees(["/missing"]) == [Listing("/missing", exists=False)]


def test_the_file_system_in_memory_never_renames_onto_or_into_what_exists() -> None:
    files = MemoryFileSystem()
    files.add_file("/t/a/bucket_00000", text="x")
    files.make_folder("/t/b")
    with pytest.raises(HiveAcidError, match="exists"):
        files.rename("/t/a", "/t/b")
    files.rename("/t/a", "/t/c")
    assert files.read_text("/t/c/bucket_00000") == "x"
    assert not files.exists("/t/a")
    with pytest.raises(HiveAcidError, match="no such file"):
        files.rename("/t/a", "/t/d")
    files.delete_tree("/t/c")
    files.delete_tree("/t/c")
    assert not files.exists("/t/c/bucket_00000")
