"""Exhibits of other kinds of tables: bucketed ones, and such with files from before they were transactional."""

from __future__ import annotations

from interop.gallery.exhibit import Exhibit, Workshop
from interop.gallery.layouts import ROWS, values
from support.raw_files import write_raw_files

ORIGINALS = {"000000_0": 2, "000000_0_copy_1": 3, "000000_0_copy_10": 1}
"""All of one bucket: of two with deletes, Hive 3.1.3 breaks by its own minor compaction."""
ORIGINAL_ROWS = tuple((number, f"name {number}") for number in range(6))


def _bucketed(shop: Workshop) -> None:
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(1, 2, 3)}",
        f"INSERT INTO {{t}} VALUES {values(4, 5, 6, 10)}",
        "DELETE FROM {t} WHERE id = 10",
    )


def _bucketed_in_partitions(shop: Workshop) -> None:
    first, second = values(1, 2, 3, 10, more=", 'a'"), values(4, 5, 6, more=", 'b'")
    shop.sql(
        f"INSERT INTO {{t}} VALUES {first}, {second}",
        "DELETE FROM {t} WHERE id = 10",
    )


def _originals(shop: Workshop) -> None:
    # without it Hive's MapReduce engine refuses originals
    shop.sql("SET hive.input.format=org.apache.hadoop.hive.ql.io.HiveInputFormat")
    write_raw_files(shop.table.location(), ORIGINALS)


def _originals_deleted(shop: Workshop) -> None:
    shop.sql("SET hive.input.format=org.apache.hadoop.hive.ql.io.HiveInputFormat")
    write_raw_files(shop.table.location(), {**ORIGINALS, "000000_0_copy_2": 2})
    shop.sql("DELETE FROM {t} WHERE id > 5")


def _loaded(shop: Workshop) -> None:
    """Raw files in a delta of their own, beside one of an INSERT."""
    shop.sql("SET hive.input.format=org.apache.hadoop.hive.ql.io.HiveInputFormat")
    folder = shop.hive.folder / f"{shop.table.name}_to_load"
    write_raw_files(folder, {"000000_0": 6})
    shop.sql("INSERT INTO {t} VALUES (10, 'gone')", f"LOAD DATA LOCAL INPATH '{folder}' INTO TABLE {{t}}")
    shop.sql("DELETE FROM {t} WHERE id = 10")


_BY_DAY = tuple((*row, "a" if row[0] < 4 else "b") for row in ROWS)

EXHIBITS = (
    Exhibit("bucketed", _bucketed, ROWS, clustered_by="CLUSTERED BY (id) INTO 3 BUCKETS"),
    Exhibit(
        "bucketed_in_partitions",
        _bucketed_in_partitions,
        _BY_DAY,
        partitioned_by="day STRING",
        more_literals=("'b'",),
        more_values=("b",),
        clustered_by="CLUSTERED BY (id) INTO 2 BUCKETS",
        goes_all_the_way=True,
    ),
    Exhibit("originals", _originals, ORIGINAL_ROWS),
    Exhibit("originals_deleted", _originals_deleted, ORIGINAL_ROWS, goes_all_the_way=True),
    Exhibit("loaded", _loaded, ORIGINAL_ROWS),
)
