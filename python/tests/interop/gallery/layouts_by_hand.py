"""Exhibits of layouts that no engine at hand makes, put together from the description of the format.

Streaming ingest, compactions by query (Hive 4 on Tez), older releases, other writers, and what is left when one dies.
The write IDs of the folders are really allocated, and committed, aborted or left open.
"""

from __future__ import annotations

import json

from hive_acid.model.names import METADATA_FILE
from interop.gallery.exhibit import Exhibit, Workshop
from interop.gallery.layouts import HIVE_3, HIVE_4, ROWS
from support.acid_files import KEY_INDEX, STATISTICS, VERSION, bucket_property, delete, exact_footer, insert

LONG_MIN = -(2**63)
LAYOUT = "HIVE_ACID_UNSUPPORTED_LAYOUT"


def row(number: int) -> tuple[int, str]:
    """The row of this ID."""
    return (number, f"row {number}")


def _streamed(shop: Workshop) -> None:
    """A batch of transactions in one folder, all committed; a DELETE; another batch."""
    shop.commit_write_ids(5)
    shop.put("delta_0000001_0000002", insert(1, row(1), row(10)), insert(2, row(2), row(3)))
    shop.put("delete_delta_0000003_0000003_0000", delete(3, (1, 1)))
    shop.put("delta_0000004_0000005", insert(4, row(4)), insert(5, row(5), row(6)))


def _streaming(shop: Workshop) -> None:
    """One write ID of the batch is aborted, one still open."""
    shop.commit_write_ids(2)
    shop.abort_write_id()
    shop.commit_write_ids(1)
    shop.open_write_id()
    shop.commit_write_ids(1)
    events = [insert(1, row(1)), insert(2, row(2), row(3)), insert(3, row(10), row(11)), insert(4, row(4), row(5))]
    shop.put("delta_0000001_0000006", *events, insert(5, row(12)), insert(6, row(6)))


def _deletes_partly_aborted(shop: Workshop) -> None:
    """Delete events of several write IDs in one folder, of which the aborted one's do not count."""
    shop.commit_write_ids(1)
    shop.put("delta_0000001_0000001_0000", insert(1, row(1), row(2), row(3), row(10), row(11)))
    shop.commit_write_ids(1)
    shop.abort_write_id()
    shop.commit_write_ids(1)
    shop.put("delete_delta_0000002_0000004", delete(3, (1, 0), (1, 1)), delete(2, (1, 3)), delete(4, (1, 4)))
    shop.put("delta_0000002_0000004", insert(2, row(4)), insert(3, row(12)), insert(4, row(5), row(6)))


def _insert_and_delete_under_one_write_id(shop: Workshop) -> None:
    """A transaction of several statements."""
    shop.commit_write_ids(1)
    shop.put("delta_0000001_0000001_0000", insert(1, row(1), row(10), row(2), row(3)))
    shop.put("delete_delta_0000001_0000001_0001", delete(1, (1, 1)))
    shop.put("delta_0000001_0000001_0002", insert(1, row(4), row(5), row(6), bucket=bucket_property(0, 2)))


def _write_id_gaps(shop: Workshop) -> None:
    shop.commit_write_ids(2)
    shop.abort_write_id()
    shop.commit_write_ids(6)
    shop.put("delta_0000002_0000002_0000", insert(2, row(1), row(2), row(10)))
    shop.put("delta_0000005_0000005_0000", insert(5, row(3), row(4)))
    shop.put("delete_delta_0000007_0000007_0000", delete(7, (2, 2)))
    shop.put("delta_0000009_0000009_0000", insert(9, row(5), row(6)))


def _open_leftovers(shop: Workshop) -> None:
    """Folders of a writer that is not done, or has died: an overwrite is not among them, Hive 3.1 cannot bear it."""
    shop.commit_write_ids(1)
    shop.put("delta_0000001_0000001_0000", insert(1, *map(row, range(1, 7))))
    shop.open_write_id()
    shop.put("delta_0000002_0000002_0000", insert(2, row(10)))
    shop.put("delete_delta_0000002_0000002_0000", delete(2, (1, 0)))
    for name in ("_tmp.delta_0000003_0000003_0000", ".hive-staging_hive_1", "_tmp_space"):
        shop.put(f"{name}/delta_0000003_0000003_0000", insert(3, row(11)))


def _empty_folders(shop: Workshop) -> None:
    shop.commit_write_ids(4)
    shop.put("delta_0000001_0000001_0000", insert(1, *map(row, range(1, 7))))
    for name in ("delta_0000002_0000002_0000", "delete_delta_0000003_0000003_0000"):
        (shop.table.location() / name).mkdir()


def _bare_minor(shop: Workshop) -> None:
    """A minor compaction by query: no key index and no statistics in the footers."""
    txn_ids = shop.commit_write_ids(4)
    bare, suffix = {VERSION: "2"}, f"_v{txn_ids[-1]:07d}"
    shop.put("delta_0000001_0000003" + suffix, insert(1, row(1), row(10)), insert(2, row(2), row(3)), footer=bare)
    shop.put("delete_delta_0000001_0000003" + suffix, delete(3, (1, 1)), footer=bare)
    shop.commit_write_ids(1)
    shop.put("delta_0000005_0000005_0000", insert(5, row(4), row(5), row(6)), file="bucket_00000_0")


def _bare_major(shop: Workshop) -> None:
    """A major compaction by query; the compactor's high-water mark lies above the last delta's write ID."""
    txn_ids = shop.commit_write_ids(4)
    events = (*insert(1, row(1)), *insert(2, row(2), row(3), first_row_id=4))
    shop.put(f"base_0000003_v{txn_ids[-1]:07d}", events, footer={VERSION: "2"})
    shop.commit_write_ids(2)
    shop.put("delta_0000005_0000005_0000", insert(5, row(4), row(10), row(5), row(6)), file="bucket_00000_0")
    shop.put("delete_delta_0000006_0000006_0000", delete(6, (5, 1)), file="bucket_00000_0")


def _rebalanced(shop: Workshop) -> None:
    """Row IDs run through the whole table, bucket after bucket, while write IDs stay."""
    txn_ids = shop.commit_write_ids(4)
    base, second = f"base_0000003_v{txn_ids[-1]:07d}", bucket_property(1)
    first = (*insert(1, row(1), row(2)), *insert(2, row(3), first_row_id=2))
    rest = (
        *insert(2, row(4), bucket=second, first_row_id=3),
        *insert(3, row(5), row(6), bucket=second, first_row_id=4),
    )
    shop.put(base, first, footer={VERSION: "2"}, has_version_file=False)
    shop.put(base, rest, file="bucket_00001", footer={VERSION: "2"}, has_version_file=False)


def _older_footers(shop: Workshop) -> None:
    """Without the footer's version, as writers before the version file was (HIVE-18190)."""
    shop.commit_write_ids(2)
    rows = insert(1, *map(row, range(1, 7)), row(10))
    gone = delete(2, (1, 6))
    for name, events in (("delta_0000001_0000001_0000", rows), ("delete_delta_0000002_0000002_0000", gone)):
        footer = {key: text for key, text in exact_footer(events).items() if key in (KEY_INDEX, STATISTICS)}
        shop.put(name, events, footer=footer, has_version_file=False)


def _no_footers(shop: Workshop) -> None:
    """No key at all, which only Hive 4 bears."""
    shop.commit_write_ids(2)
    shop.put("delta_0000001_0000001_0000", insert(1, *map(row, range(1, 7)), row(10)), footer={})
    shop.put("delete_delta_0000002_0000002_0000", delete(2, (1, 6)), footer={})


def _files_without_rows(shop: Workshop) -> None:
    """As Hive 4 leaves them for empty buckets: a footer alone."""
    shop.commit_write_ids(2)
    shop.put("delta_0000001_0000001_0000", insert(1, *map(row, range(1, 7)), row(10)))
    shop.put("delta_0000001_0000001_0000", [], file="bucket_00002")
    shop.put("delete_delta_0000002_0000002_0000", delete(2, (1, 6)))


def _two_buckets(shop: Workshop) -> None:
    """Hive 3.1's minor compaction copies the events of both buckets into the delete files of both."""
    shop.commit_write_ids(2)
    second = bucket_property(1)
    shop.put("delta_0000001_0000001_0000", insert(1, row(1), row(10)))
    shop.put("delta_0000001_0000001_0000", insert(1, row(2), row(11), row(3), bucket=second), file="bucket_00001")
    shop.put("delta_0000002_0000002_0000", insert(2, row(4), row(12)))
    shop.put("delta_0000002_0000002_0000", insert(2, row(13), row(5), row(6), bucket=second), file="bucket_00001")
    shop.sql("DELETE FROM {t} WHERE id > 6")
    shop.table.compact("minor")


def _unpadded_delta(shop: Workshop) -> None:
    shop.commit_write_ids(2)
    shop.put("delta_1_1_0", insert(1, row(1), row(2), row(3)))
    shop.put("delta_2_2", insert(2, row(4), row(5), row(6)))


def _unpadded_deletes(shop: Workshop) -> None:
    _unpadded_delta(shop)
    shop.commit_write_ids(2)
    shop.put("delta_3_3_0", insert(3, row(10), row(11)))
    shop.put("delete_delta_4_4_0", delete(4, (3, 0), (3, 1)))


def _two_compactions(shop: Workshop) -> None:
    """Two minor compactions of one range: the later one counts, with its deletes (HIVE-29210)."""
    txn_ids = shop.commit_write_ids(5)
    rows = (*insert(1, row(1), row(2), row(10)), *insert(2, row(3), row(4)))
    for txn_id in txn_ids[3:]:
        shop.put(f"delta_0000001_0000003_v{txn_id:07d}", rows)
        shop.put(f"delete_delta_0000001_0000003_v{txn_id:07d}", delete(3, (1, 2)))
    shop.commit_write_ids(1)
    shop.put("delta_0000006_0000006_0000", insert(6, row(5), row(6)))


def _two_bases(shop: Workshop) -> None:
    """The major compaction of a table that an overwrite under the same write ID has filled, and that again."""
    txn_ids = shop.commit_write_ids(4)
    rows = insert(2, *map(row, range(1, 7)))
    shop.put("base_0000002", rows)
    for txn_id in txn_ids[2:]:
        shop.put(f"base_0000002_v{txn_id:07d}", rows)


def _base_over_its_own_statements(shop: Workshop) -> None:
    """What comes under the write ID of a base is hidden by it."""
    shop.commit_write_ids(2)
    shop.put("delta_0000001_0000001_0000", insert(1, row(10)))
    shop.put("base_0000002", insert(2, *map(row, range(1, 7))))
    shop.put("delta_0000002_0000002_0001", insert(2, row(11), bucket=bucket_property(0, 1)))


def _overlapping_ranges(shop: Workshop) -> None:
    shop.commit_write_ids(5)
    shop.put("delta_0000001_0000003", insert(1, row(1)), insert(3, row(2), row(3)))
    shop.put("delta_0000002_0000005", insert(2, row(4)), insert(5, row(5), row(6)))


def _base_within_a_range(shop: Workshop) -> None:
    shop.commit_write_ids(5)
    shop.put("base_0000003", insert(3, row(1), row(2), row(3)))
    shop.put("delta_0000002_0000005", insert(2, row(4)), insert(5, row(5), row(6)))


def _deletes_in_trinos_order(shop: Workshop) -> None:
    """Trino sorts delete events by write ID and row ID, without the bucket property between them."""
    shop.commit_write_ids(2)
    second = bucket_property(0, 1)
    shop.put("delta_0000001_0000001_0000", insert(1, row(1), row(10), row(2)))
    shop.put("delta_0000001_0000001_0001", insert(1, row(11), row(3), row(12), row(4), row(5), row(6), bucket=second))
    first, last = delete(2, (1, 0), bucket=second), delete(2, (1, 2), bucket=second)
    shop.put("delete_delta_0000002_0000002_0000", first, delete(2, (1, 1)), last)


def _dropped(shop: Workshop) -> None:
    """A base of a marker alone, as DROP PARTITION leaves it in Hive 4 if told to, and rows that came later."""
    shop.commit_write_ids(2)
    shop.put("delta_0000001_0000001_0000", insert(1, row(10), row(11)))
    base = shop.table.location() / "base_0000002"
    base.mkdir()
    (base / METADATA_FILE).write_text(json.dumps({"thisFileVersion": "0", "dataFormat": "dropped"}))
    shop.commit_write_ids(1)
    shop.put("delta_0000003_0000003_0000", insert(3, *map(row, range(1, 7))))


EXHIBITS = (
    Exhibit("streamed", _streamed, ROWS),
    Exhibit("streaming", _streaming, ROWS),
    Exhibit("deletes_partly_aborted", _deletes_partly_aborted, ROWS),
    Exhibit("one_write_id", _insert_and_delete_under_one_write_id, ROWS),
    Exhibit("write_id_gaps", _write_id_gaps, ROWS),
    Exhibit("open_leftovers", _open_leftovers, ROWS, goes_all_the_way=True),
    Exhibit("empty_folders", _empty_folders, ROWS),
    Exhibit("bare_minor", _bare_minor, ROWS, hive_versions=HIVE_4),
    Exhibit("bare_major", _bare_major, ROWS, hive_versions=HIVE_4),
    Exhibit("rebalanced", _rebalanced, ROWS, hive_versions=HIVE_4),
    Exhibit("older_footers", _older_footers, ROWS),
    Exhibit("no_footers", _no_footers, ROWS, hive_versions=HIVE_4),
    Exhibit("files_without_rows", _files_without_rows, ROWS, hive_versions=HIVE_4),
    Exhibit(
        "two_buckets_3",
        _two_buckets,
        ROWS,
        hive_versions=HIVE_3,
        hive_misreads="its row reader fails on the repeated events: Two readers",
        compactions=(),
    ),
    Exhibit("two_buckets_4", _two_buckets, ROWS, hive_versions=HIVE_4),
    Exhibit("unpadded_delta", _unpadded_delta, ROWS),
    Exhibit(
        "unpadded_deletes",
        _unpadded_deletes,
        ROWS,
        hive_misreads="it looks for delete deltas under padded names",
        compactions=("major",),
    ),
    Exhibit(
        "two_compactions",
        _two_compactions,
        ROWS,
        hive_versions=HIVE_4,
        hive_misreads="before 4.2 it reads both (HIVE-29210)",
        compactions=(),
    ),
    Exhibit("two_bases", _two_bases, ROWS, hive_versions=HIVE_4),
    Exhibit("base_over_its_own", _base_over_its_own_statements, ROWS),
    Exhibit("overlapping_ranges", _overlapping_ranges, ROWS, refused=LAYOUT),
    Exhibit("base_within_a_range", _base_within_a_range, ROWS, refused=LAYOUT),
    Exhibit(
        "deletes_in_trinos_order",
        _deletes_in_trinos_order,
        ROWS,
        hive_misreads="it relies on delete files being sorted",
        compactions=(),
    ),
    Exhibit("dropped", _dropped, ROWS, hive_versions=HIVE_4),
)
