"""Whether the files of a plain table can stay where they are when it becomes transactional."""

from __future__ import annotations

from hive_acid.errors import Refusal, build_refusal
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.names import is_acid_folder_like, is_hidden, original_bucket
from hive_acid.snapshot.listing import Listing


def find_obstacle(listing: Listing, bucket_count: int) -> Refusal | None:
    """The refusal of the first file, by path, that would be no original file.

    `bucket_count` is 0 for tables without buckets.

    The metastore itself refuses names that tell no bucket, also of empty files (TransactionalValidationListener of 3.1
    and 4.x, in an error without a type); the rest it would let in, and the table could not be read.
    """
    for file in sorted(listing.files, key=lambda listed: listed.relative_path):
        place = listing.absolute_path(file.relative_path)
        refusal = None if is_hidden(file.name) else _judge(file.relative_path, place, bucket_count)
        if refusal:
            return refusal
    return None


def find_unread_file(listing: Listing) -> Refusal | None:
    """The refusal of the first file with rows, by path, of a table that becomes insert-only.

    Engines read an insert-only table's deltas and bases alone. Hive moves the files into a delta when it converts a
    table (DDLTask of 3.1.3, AlterTableSetPropertiesOperation of 4.x); who sets the properties alone hides all rows.
    """
    for file in sorted(listing.files, key=lambda listed: listed.relative_path):
        if file.length_bytes and not is_hidden(file.name):
            place = listing.absolute_path(file.relative_path)
            return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.CONVERSION_HIDES_FILE", file=place)
    return None


def _judge(path: str, file: str, bucket_count: int) -> Refusal | None:
    bucket = original_bucket(path.rpartition("/")[2])
    if bucket is None:
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.ORIGINAL_NAME", file=file)
    if bucket > MAX_BUCKET:
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.ORIGINAL_BEYOND_LIMIT", file=file, limit=MAX_BUCKET)
    if bucket_count and bucket >= bucket_count:
        found = {"file": file, "bucket": bucket, "buckets": bucket_count}
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.ORIGINAL_BEYOND_BUCKETS", **found)
    if "/" in path and is_acid_folder_like(path):
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.ORIGINAL_IN_ACID_FOLDER", file=file)
    return None
