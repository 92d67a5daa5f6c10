"""Which files a table may hold when it becomes transactional."""

from __future__ import annotations

import pytest

from hive_acid.snapshot.conversion import find_obstacle
from support.listings import listing_of


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "file:000000_0\nfile:000000_0_copy_1\nfile:000012_3",
        "HIVE_UNION_SUBDIR_1/000000_0\na/b/000000_0",
        "file:000000_123456789012345678901234",
        "file:_SUCCESS\nfile:.000000_0.crc\nfile:000000_0",
        "file:000000_0 0",
    ],
)
def test_files_with_hives_names_stay_where_they_are(lines: str) -> None:
    assert find_obstacle(listing_of(lines), 0) is None


@pytest.mark.parametrize(
    ("lines", "path", "reason"),
    [
        ("file:000000_0\nfile:part-1.orc\nfile:part-0.orc", "part-0.orc", "a name that Hive does not accept"),
        ("file:part-0.orc 0", "part-0.orc", "a name that Hive does not accept"),
        ("a/000000_0_copy", "a/000000_0_copy", "a name that Hive does not accept"),
        ("file:000000", "000000", "a name that Hive does not accept"),
        ("delta_0000001_0000001_0000/bucket_00000", "delta_0000001_0000001_0000/bucket_00000", "a name"),
        ("delta_0000001_0000001_0000/000000_0", "delta_0000001_0000001_0000/000000_0", "like a base or delta"),
        ("file:004096_0", "004096_0", "beyond 4095"),
    ],
)
def test_the_first_other_file_is_named_with_its_reason(lines: str, path: str, reason: str) -> None:
    obstacle = find_obstacle(listing_of(lines), 0)
    assert obstacle and obstacle.params["file"] == listing_of(lines).absolute_path(path) and reason in str(obstacle)


def test_a_bucketed_table_has_no_file_of_a_bucket_that_it_lacks() -> None:
    lines = "file:000000_0\nfile:000001_0\nfile:000002_0"
    assert find_obstacle(listing_of(lines), 3) is None
    obstacle = find_obstacle(listing_of(lines), 2)
    assert obstacle and obstacle.condition == "HIVE_ACID_UNSUPPORTED_TABLE.ORIGINAL_BEYOND_BUCKETS"
    assert obstacle.params["file"] == listing_of(lines).absolute_path("000002_0")
