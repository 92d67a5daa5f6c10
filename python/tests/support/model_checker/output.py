"""The files that a change of rows makes: records by partition and folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hive_acid.model.bucket import BucketProperty
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.write_spec import RowCounts
from support.model_checker.effects import Effect
from support.model_checker.rows import Record, Row, RowId, StoredRow, format_records


@dataclass
class FolderOutput:
    """What one job writes under `write_id`: delete events first, then new versions, then new rows.

    `first` is the first statement ID. `overwrites`: new rows are a base.
    """

    write_id: int
    first: int
    effect: Effect
    overwrites: bool = False
    found: dict[tuple[str, str], list[Record]] = field(default_factory=dict)

    def change(self, stored: Iterable[StoredRow], *, is_partitioned: bool) -> RowCounts:
        """Writes what becomes of the stored rows, and the new ones."""
        stored = list(stored)
        updated = deleted = 0
        for one in stored if self.effect.writes is not RowWrites.INSERTS else ():
            after = self.effect.change(one.record.row)
            if after == one.record.row:
                continue
            self._add(one.partition, FolderKind.DELETE_DELTA, 0, one.record.row, one.record.row_id)
            deleted += after is None
            if after is not None:
                updated += 1
                self._add(one.partition, FolderKind.DELTA, 1, after)
        added = self.effect.add(tuple(sorted(one.record.row for one in stored)))
        kind, leg = (FolderKind.BASE, 0) if self.overwrites else (FolderKind.DELTA, self._leg_of_inserts)
        for row in added:
            self._add(f"d={row.d}" if is_partitioned else "", kind, leg, row)
        return RowCounts(len(added), updated, deleted)

    @property
    def _leg_of_inserts(self) -> int:
        return 0 if self.effect.writes is RowWrites.INSERTS else 2

    def _add(self, partition: str, kind: FolderKind, leg: int, row: Row, of: RowId | None = None) -> None:
        statement_id = self.first + leg
        named = None if kind is FolderKind.BASE else statement_id
        name = FolderName(kind, self.write_id, self.write_id, named).format()
        records = self.found.setdefault((partition, name), [])
        row_id = of or RowId(self.write_id, BucketProperty(0, statement_id).encode(), len(records))
        records.append(Record(row_id, self.write_id, statement_id, row))

    def texts(self) -> Iterator[tuple[tuple[str, str], str]]:
        """The text of the file of each folder, by partition and name."""
        for place, records in sorted(self.found.items()):
            yield place, format_records(sorted(records))
