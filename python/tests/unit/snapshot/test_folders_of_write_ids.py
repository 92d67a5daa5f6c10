"""Whether folders may hold rows or deletes of write IDs that have come since a snapshot."""

from __future__ import annotations

import pytest

from hive_acid.snapshot.acid_state import find_changes, holds_one_of
from support.listings import listing_of


@pytest.mark.parametrize(
    ("folder", "is_held"),
    [
        ("delta_0000005_0000005_0000", True),
        ("delta_0000003_0000006_v0000009", True),
        ("delete_delta_0000005_0000005_0001", True),
        ("base_0000005", True),
        ("base_0000009_v0000012", True),  # a compaction has folded what came before its write ID
        ("base_0000004", False),
        ("delta_0000004_0000004", False),
        ("delta_0000006_0000008", False),
        ("_tmp_0000005", False),
    ],
)
def test_a_folder_holds_what_its_name_says_and_a_base_all_before_it(folder: str, is_held: bool) -> None:
    assert holds_one_of(listing_of(folder), frozenset({5, 77})) is is_held
    is_delta = folder.startswith("delta")
    assert find_changes(listing_of(folder), frozenset({5, 77})) == (folder if is_held and not is_delta else None)
