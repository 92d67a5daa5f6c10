"""Exhibits of layouts that Hive itself makes: what its statements, and its compactions by MapReduce, leave."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace

from hive_acid.model.names import VERSION_FILE
from interop.gallery.exhibit import Exhibit, Workshop

ROWS = tuple((number, f"row {number}") for number in range(1, 7))
HIVE_3, HIVE_4 = ("3.1.3",), ("4.1.0",)


def values(*ids: int, more: str = "") -> str:
    """The rows of these IDs as VALUES; `more` follows the name in each."""
    return ", ".join(f"({number}, 'row {number}'{more})" for number in ids)


def _several_inserts(shop: Workshop) -> None:
    shop.sql(*(f"INSERT INTO {{t}} VALUES {values(a, b)}" for a, b in ((1, 2), (3, 4), (5, 6))))


def _deletes(shop: Workshop) -> None:
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(1, 2, 10, 11)}",
        f"INSERT INTO {{t}} VALUES {values(3, 12, 4, 5, 6)}",
        "DELETE FROM {t} WHERE id IN (10, 12)",
        "DELETE FROM {t} WHERE id = 11",
    )


def _everything_deleted(shop: Workshop) -> None:
    shop.sql(f"INSERT INTO {{t}} VALUES {values(1, 2, 3)}", "DELETE FROM {t} WHERE id < 3", "DELETE FROM {t}")


def _only_delete_deltas(shop: Workshop) -> None:
    """What is left if a Cleaner, or somebody with a shell, has taken the deltas."""
    _everything_deleted(shop)
    for delta in shop.table.location().glob("delta_*"):
        shutil.rmtree(delta)


def _updates(shop: Workshop) -> None:
    """One statement ID for both halves of each in Hive 3.1, two in Hive 4."""
    shop.sql(
        "INSERT INTO {t} VALUES (1, 'row'), (2, 'row'), (3, 'row 3')",
        f"INSERT INTO {{t}} VALUES {values(4, 5, 6)}",
        "UPDATE {t} SET name = 'row 2' WHERE id = 2",
        "UPDATE {t} SET name = 'again' WHERE id IN (1, 5)",
        "UPDATE {t} SET name = concat('row ', id) WHERE name = 'again'",
    )


def _merge(shop: Workshop) -> None:
    """Statement IDs 0 to 2 in Hive 3.1, 0 to 3 in Hive 4."""
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(1, 2, 10)}, (3, 'row')",
        "MERGE INTO {t} t USING (SELECT EXPLODE(ARRAY(3, 4, 5, 6, 10)) AS id) s ON t.id = s.id "
        "WHEN MATCHED AND t.id = 10 THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'row 3' "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.id, concat('row ', s.id))",
    )


def _multi_insert(shop: Workshop) -> None:
    """Two statement IDs of one write ID, each in a partition of its own: Hive takes no target twice."""
    row = "SELECT id, concat('row ', id)"
    shop.sql(
        f"FROM (SELECT EXPLODE(ARRAY(1, 2, 3, 4, 5, 6)) AS id) s INSERT INTO TABLE {{t}} PARTITION (day='a') {row} "
        f"WHERE id < 4 INSERT INTO TABLE {{t}} PARTITION (day='b') {row} WHERE id >= 4"
    )


def _union_all(shop: Workshop) -> None:
    legs = " UNION ALL ".join(f"SELECT {number}, 'row {number}'" for number in range(1, 7))
    shop.sql(f"INSERT INTO {{t}} {legs}")


def _minor(shop: Workshop) -> None:
    _deletes(shop)
    shop.table.compact("minor")


def _minor_and_more(shop: Workshop) -> None:
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(1, 10, 11)}",
        f"INSERT INTO {{t}} VALUES {values(2, 12, 3)}",
        "DELETE FROM {t} WHERE id = 10",
    )
    shop.table.compact("minor")
    shop.sql(f"INSERT INTO {{t}} VALUES {values(4, 13, 5, 6)}", "DELETE FROM {t} WHERE id > 6")


def _major(shop: Workshop) -> None:
    _deletes(shop)
    shop.table.compact("major")


def _major_and_more(shop: Workshop) -> None:
    shop.sql(f"INSERT INTO {{t}} VALUES {values(1, 2, 10, 11)}", "DELETE FROM {t} WHERE id = 11")
    shop.table.compact("major")
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(3, 12, 4, 5)}, (6, 'row')",
        "DELETE FROM {t} WHERE id IN (10, 12)",
        "UPDATE {t} SET name = 'row 6' WHERE id = 6",
    )


def _deletes_but_one(shop: Workshop) -> None:
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(1, 2, 10, 11)}",
        f"INSERT INTO {{t}} VALUES {values(3, 12, 4, 5, 6)}",
        "DELETE FROM {t} WHERE id IN (10, 12)",
    )


def _minor_not_cleaned(shop: Workshop) -> None:
    _deletes_but_one(shop)
    shop.sql("ALTER TABLE {t} COMPACT 'minor'", "!worker", "DELETE FROM {t} WHERE id = 11")


def _major_not_cleaned(shop: Workshop) -> None:
    _deletes_but_one(shop)
    shop.sql("ALTER TABLE {t} COMPACT 'major'", "!worker", "DELETE FROM {t} WHERE id = 11")


def _overwritten(shop: Workshop) -> None:
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(10, 11)}",
        f"INSERT OVERWRITE TABLE {{t}} VALUES {values(1, 2, 3, 12)}",
        f"INSERT INTO {{t}} VALUES {values(4, 5, 6, 13)}",
        "DELETE FROM {t} WHERE id > 6",
    )


def _overwritten_with_nothing(shop: Workshop) -> None:
    """A base of a file without rows and without footer keys."""
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(10, 11)}",
        "INSERT OVERWRITE TABLE {t} SELECT * FROM {t} WHERE id < 0",
        f"INSERT INTO {{t}} VALUES {values(*range(1, 7))}",
    )


def _truncated(shop: Workshop) -> None:
    """A base of a marker alone in Hive 4; nothing in Hive 3.1."""
    shop.sql(
        f"INSERT INTO {{t}} VALUES {values(10, 11)}",
        "DELETE FROM {t} WHERE id = 10",
        "TRUNCATE TABLE {t}",
        f"INSERT INTO {{t}} VALUES {values(*range(1, 7))}",
    )


def _aborted(shop: Workshop) -> None:
    """Files of statements that Hive has rolled back."""
    shop.sql(f"INSERT INTO {{t}} VALUES {values(*range(1, 7))}")
    shop.sql("!conf hive.in.test=true", "!conf hive.test.rollbacktxn=true")
    shop.sql(f"INSERT INTO {{t}} VALUES {values(10, 11)}", "DELETE FROM {t} WHERE id = 1", "UPDATE {t} SET name = 'no'")
    shop.sql("!conf hive.test.rollbacktxn=false", "!conf hive.in.test=false")


def _without_version_files(shop: Workshop) -> None:
    _deletes(shop)
    for path in shop.table.location().glob(f"*/{VERSION_FILE}"):
        path.unlink()


def _originals_compacted(shop: Workshop) -> None:
    """The base of the smallest number there is: of rows from before the table was transactional."""
    plain = "" if shop.hive.version in HIVE_3 else "'EXTERNAL'='FALSE', "
    shop.sql(
        "DROP TABLE {t}",
        "CREATE TABLE {t} (id INT, name STRING) STORED AS ORC",
        f"INSERT INTO {{t}} VALUES {values(*range(1, 7))}",
        f"ALTER TABLE {{t}} SET TBLPROPERTIES ({plain}'transactional'='true')",
    )
    shop.table.compact("major")


def _partitions(shop: Workshop) -> None:
    """A layout of its own in each partition: deltas, a compacted base and more, an overwrite, no row, no file."""

    def rows(day: str, *ids: int) -> str:
        return values(*ids, more=f", '{day}'")

    shop.sql(
        f"INSERT INTO {{t}} VALUES {rows('a', 1, 10)}, {rows('b', 2, 11)}, {rows('c', 12)}, {rows('d', 13, 14)}",
        "DELETE FROM {t} WHERE id = 11 OR day = 'd'",
    )
    shop.table.compact("major", "day='b'")
    shop.sql(
        f"INSERT OVERWRITE TABLE {{t}} PARTITION (day='c') VALUES {values(3, 15)}",
        f"INSERT INTO {{t}} VALUES {rows('b', 4)}, {rows('a', 5)}, {rows('c', 6)}",
        "DELETE FROM {t} WHERE id IN (10, 15)",
        "ALTER TABLE {t} ADD PARTITION (day='e')",
    )


def _by_day(name: str, make: Callable[[Workshop], None], days: str) -> Exhibit:
    """An exhibit of ROWS in partitions by day, one letter for each row."""
    rows = tuple((*row, day) for row, day in zip(ROWS, days, strict=True))
    return Exhibit(name, make, rows, partitioned_by="day STRING", more_literals=("'a'",), more_values=("a",))


EXHIBITS = (
    Exhibit("several_inserts", _several_inserts, ROWS),
    Exhibit("deletes", _deletes, ROWS),
    Exhibit("everything_deleted", _everything_deleted, ()),
    Exhibit("only_delete_deltas", _only_delete_deltas, ()),
    Exhibit("updates", _updates, ROWS),
    Exhibit("merge", _merge, ROWS),
    _by_day("multi_insert", _multi_insert, "aaabbb"),
    Exhibit("union_all", _union_all, ROWS),
    Exhibit("minor", _minor, ROWS),
    Exhibit("minor_and_more", _minor_and_more, ROWS, goes_all_the_way=True),
    Exhibit("minor_not_cleaned", _minor_not_cleaned, ROWS),
    Exhibit("major", _major, ROWS),
    Exhibit("major_and_more", _major_and_more, ROWS, goes_all_the_way=True),
    Exhibit("major_not_cleaned", _major_not_cleaned, ROWS),
    Exhibit("overwritten", _overwritten, ROWS),
    Exhibit("overwritten_with_nothing", _overwritten_with_nothing, ROWS, hive_versions=HIVE_4),
    Exhibit("truncated", _truncated, ROWS, hive_versions=HIVE_4),
    Exhibit("aborted", _aborted, ROWS),
    Exhibit("without_version_files", _without_version_files, ROWS),
    Exhibit("originals_compacted", _originals_compacted, ROWS),
    replace(_by_day("layouts_of_partitions", _partitions, "abcbac"), goes_all_the_way=True),
)
