"""The way through the gallery: what is done to each exhibit, and which rows it must hold after each step.

Rows are tuples as Hive returns them, sorted by ID: the ID, the name, then whatever the exhibit has more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from interop.gallery.exhibit import Exhibit, Row

NEW_ID = 900
"""IDs of new rows begin here."""


@dataclass(frozen=True)
class Step:
    """A statement, `{t}` being the table; the rows after it; how many it reports as changed (None: it reports none)."""

    name: str
    statement: str
    rows: tuple[Row, ...]
    count: int | None = None


def our_changes(exhibit: Exhibit, rows: Sequence[Row]) -> Iterator[Step]:
    """Every statement of ours that changes rows one by one, each on what the one before has left.

    An exhibit that does not go all the way has an INSERT, a DELETE and a MERGE: rows and delete events by all ways.
    """
    builder = _Steps(exhibit, rows)
    yield builder.insert()
    if exhibit.goes_all_the_way:
        yield builder.update()
    yield builder.delete()
    yield builder.merge()
    if exhibit.goes_all_the_way:
        yield builder.replace()


def hive_changes(exhibit: Exhibit, rows: Sequence[Row]) -> Iterator[Step]:
    """An UPDATE and a DELETE of Hive, of old rows and new ones."""
    ids = [row[0] for row in rows]
    updated = {ids[0], ids[-1]}
    update = _list(updated)
    rows = _changed(rows, lambda row: row[0] in updated, lambda row: _named(row, "by hive"))
    yield Step("Hive's UPDATE", f"UPDATE {{t}} SET name = 'by hive' WHERE id IN ({update})", tuple(rows))
    gone = {ids[-2]}
    rows = [row for row in rows if row[0] not in gone]
    yield Step("Hive's DELETE", f"DELETE FROM {{t}} WHERE id IN ({_list(gone)})", tuple(rows))


def our_replacements(exhibit: Exhibit, rows: Sequence[Row]) -> Iterator[Step]:
    """The statements of ours that replace all rows."""
    kept = tuple((row[0], "overwritten", *row[2:]) for row in rows)
    columns = "id, 'overwritten', * EXCEPT (id, name)"
    yield Step("INSERT OVERWRITE", f"INSERT OVERWRITE {{t}} SELECT {columns} FROM {{t}}", kept, len(kept))
    yield Step("TRUNCATE", "TRUNCATE TABLE {t}", ())
    yield _Steps(exhibit, ()).insert()


class _Steps:
    """Builds the steps one after the other; `rows` are those of the moment."""

    def __init__(self, exhibit: Exhibit, rows: Sequence[Row]) -> None:
        self.exhibit = exhibit
        self.rows = list(rows)

    def insert(self) -> Step:
        """Three new rows."""
        ids = range(NEW_ID, NEW_ID + 3)
        values = ", ".join(self._literals(row_id, "new") for row_id in ids)
        self.rows += [self._row(row_id, "new") for row_id in ids]
        return self._step("INSERT", f"INSERT INTO {{t}} VALUES {values}", len(ids))

    def update(self) -> Step:
        """Every second row."""
        ids = {row[0] for row in self.rows[::2]}
        self.rows = _changed(self.rows, lambda row: row[0] in ids, lambda row: _named(row, f"updated {row[0]}"))
        text = f"UPDATE {{t}} SET name = concat('updated ', id) WHERE id IN ({_list(ids)})"
        return self._step("UPDATE", text, len(ids))

    def delete(self) -> Step:
        """Every third row."""
        ids = {row[0] for row in self.rows[1::3]}
        self.rows = [row for row in self.rows if row[0] not in ids]
        return self._step("DELETE", f"DELETE FROM {{t}} WHERE id IN ({_list(ids)})", len(ids))

    def merge(self) -> Step:
        """The first row is updated, the second one goes, a new one comes."""
        updated, gone = (row[0] for row in self.rows[:2])
        new = NEW_ID + 3
        self.rows = [row for row in self.rows if row[0] != gone]
        self.rows = _changed(self.rows, lambda row: row[0] == updated, lambda row: _named(row, "merged"))
        self.rows.append(self._row(new, "merged"))
        text = (
            f"MERGE INTO {{t}} t USING (SELECT * FROM VALUES ({updated}), ({gone}), ({new}) AS v(id)) s ON t.id = s.id "
            f"WHEN MATCHED AND s.id = {gone} THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'merged' "
            f"WHEN NOT MATCHED THEN INSERT VALUES {self._literals(new, 'merged')}"
        )
        return self._step("MERGE", text, 3)

    def replace(self) -> Step:
        """The last row and two new ones in its place."""
        last = self.rows.pop()[0]
        ids = range(NEW_ID + 10, NEW_ID + 12)
        values = ", ".join(self._literals(row_id, "replaced") for row_id in ids)
        self.rows += [self._row(row_id, "replaced") for row_id in ids]
        return self._step("REPLACE WHERE", f"INSERT INTO {{t}} REPLACE WHERE id >= {last} VALUES {values}", 3)

    def _row(self, row_id: int, name: str) -> Row:
        return (row_id, name, *self.exhibit.more_values)

    def _literals(self, row_id: int, name: str) -> str:
        return "(" + ", ".join((str(row_id), f"'{name}'", *self.exhibit.more_literals)) + ")"

    def _step(self, name: str, statement: str, count: int) -> Step:
        return Step(name, statement, tuple(self.rows), count)


def _changed(rows: Sequence[Row], condition: Callable[[Row], bool], change: Callable[[Row], Row]) -> list[Row]:
    return [change(row) if condition(row) else row for row in rows]


def _named(row: Row, name: str) -> Row:
    return (row[0], name, *row[2:])


def _list(ids: set[int]) -> str:
    return ", ".join(map(str, sorted(ids)))
