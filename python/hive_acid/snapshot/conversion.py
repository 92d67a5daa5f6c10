"""Whether the files of a plain table can stay where they are when it becomes transactional."""

from __future__ import annotations

from typing import NamedTuple

from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.names import is_acid_folder_like, is_hidden, original_bucket
from hive_acid.snapshot.listing import Listing


class Obstacle(NamedTuple):
    """A file below a root, and what is said of it."""

    path: str
    reason: str


def find_obstacle(listing: Listing, bucket_count: int) -> Obstacle | None:
    """The first file, by path, that would be no original file; `bucket_count` is 0 for tables without buckets.

    The metastore itself refuses names that tell no bucket, also of empty files (TransactionalValidationListener of 3.1
    and 4.x, in an error without a type); the rest it would let in, and the table could not be read.
    """
    for file in sorted(listing.files, key=lambda listed: listed.relative_path):
        reason = None if is_hidden(file.name) else _find_reason(file.relative_path, bucket_count)
        if reason:
            return Obstacle(file.relative_path, reason)
    return None


def _find_reason(path: str, bucket_count: int) -> str | None:
    bucket = original_bucket(path.rpartition("/")[2])
    if bucket is None:
        return (
            "has no name that Hive takes (rename it to 000000_0, 000001_0 and so on, or create another table and "
            "INSERT the rows there)"
        )
    if bucket > MAX_BUCKET:
        return f"is of a bucket beyond {MAX_BUCKET} (rename it)"
    if bucket_count and bucket >= bucket_count:
        return f"is of bucket {bucket}, but the table has only {bucket_count}"
    if "/" in path and is_acid_folder_like(path):
        return "lies in a folder that is named like a base or delta (move it out of there)"
    return None
