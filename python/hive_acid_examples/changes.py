"""The statements of the tour. Beside each stands the same change in pandas, so its counts are known without Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hive_acid_examples.data import CORRECTIONS, FLIGHT_KEY, Frames


@dataclass(frozen=True)
class Counts:
    """Numbers of rows that a statement inserts, updates and deletes."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    @property
    def affected(self) -> int:
        """The sum, which Spark shows as `num_affected_rows`."""
        return self.inserted + self.updated + self.deleted

    def __str__(self) -> str:
        named = (("inserted", self.inserted), ("updated", self.updated), ("deleted", self.deleted))
        return ", ".join(f"{count:,} {name}" for name, count in named if count) or "nothing changed"


@dataclass(frozen=True)
class Change:
    """A statement on `table`. `apply` makes the same change to the frames, and counts it."""

    title: str
    table: str
    statement: str
    apply: Callable[[Frames], Counts]

    @property
    def operation(self) -> str:
        """The statement's first word, under which the history has it."""
        return self.statement.split(maxsplit=1)[0]


def _delete(table: str, find: Callable[[Frames], Any]) -> Callable[[Frames], Counts]:
    def apply(frames: Frames) -> Counts:
        victims = find(frames)
        frames[table] = frames[table][~victims]
        return Counts(deleted=int(victims.sum()))

    return apply


def _update(table: str, column: str, value: object, find: Callable[[Any], Any]) -> Callable[[Frames], Counts]:
    def apply(frames: Frames) -> Counts:
        changed = find(frames[table])
        frames[table] = frames[table].assign(**{column: frames[table][column].mask(changed, value)})
        return Counts(updated=int(changed.sum()))

    return apply


def _merge_corrections(frames: Frames) -> Counts:
    import pandas

    flights, news = frames["flights"], frames[CORRECTIONS].set_index(list(FLIGHT_KEY))
    keys = pandas.MultiIndex.from_frame(flights[list(FLIGHT_KEY)])
    matched = keys.isin(news.index)
    matching = news.reindex(keys)
    cancelled = matched & matching.dep_time.isna().to_numpy()
    corrected = matched & ~cancelled
    is_new = ~news.index.isin(keys) & (news.year == 2014).to_numpy()
    arrival = flights.arr_delay.mask(corrected, matching.arr_delay.to_numpy())
    kept = flights.assign(arr_delay=arrival)[~cancelled]
    frames["flights"] = pandas.concat([kept, frames[CORRECTIONS][is_new]])
    return Counts(int(is_new.sum()), int(corrected.sum()), int(cancelled.sum()))


def build_load(table: str) -> Change:
    """The first INSERT into a table, of a file as long as the frame."""
    return Change(
        "loaded",
        table,
        f"INSERT INTO {table} SELECT * FROM {table}_file",
        lambda frames: Counts(inserted=len(frames[table])),
    )


CANCELLED = Change(
    "cancelled flights",
    "flights",
    "DELETE FROM flights WHERE dep_time IS NULL",
    _delete("flights", lambda frames: frames["flights"].dep_time.isna()),
)
OLD_AIRBUSES = Change(
    "flights of old Airbuses",
    "flights",
    "DELETE FROM flights WHERE tailnum IN (\n"
    "  SELECT tailnum FROM planes WHERE manufacturer LIKE 'AIRBUS%' AND year < 2000)",
    _delete(
        "flights",
        lambda frames: frames["flights"].tailnum.isin(
            frames["planes"][
                frames["planes"].manufacturer.str.startswith("AIRBUS") & (frames["planes"].year < 2000)
            ].tailnum
        ),
    ),
)
EARLY = Change(
    "early departures",
    "flights",
    "UPDATE flights SET dep_delay = 0 WHERE dep_delay BETWEEN -5 AND -1",
    _update("flights", "dep_delay", 0, lambda flights: flights.dep_delay.between(-5, -1)),
)
LATE_NEWS = Change(
    "late corrections",
    "flights",
    "MERGE INTO flights f USING corrections c\n"
    "  ON f.carrier = c.carrier AND f.flight = c.flight AND f.time_hour = c.time_hour\n"
    "WHEN MATCHED AND c.dep_time IS NULL THEN DELETE\n"
    "WHEN MATCHED THEN UPDATE SET arr_delay = c.arr_delay\n"
    "WHEN NOT MATCHED AND c.year = 2014 THEN INSERT *",
    _merge_corrections,
)
NEW_CODE = Change(
    "US Airways becomes American",
    "flights",
    "UPDATE flights SET carrier = 'AA' WHERE carrier = 'US'",
    _update("flights", "carrier", "AA", lambda flights: flights.carrier == "US"),
)
OLD_NAME = Change(
    "US Airways is gone",
    "airlines",
    "DELETE FROM airlines WHERE carrier = 'US'",
    _delete("airlines", lambda frames: frames["airlines"].carrier == "US"),
)
LOOKED_AT = Change(
    "flights that never arrived",
    "flights",
    "DELETE FROM flights WHERE arr_delay IS NULL",
    _delete("flights", lambda frames: frames["flights"].arr_delay.isna()),
)
"""The statement of the dry run, which is not carried out."""

CHANGES = (CANCELLED, OLD_AIRBUSES, EARLY, LATE_NEWS, NEW_CODE, OLD_NAME)
"""All that change rows after loading, in their order."""
