"""What pandas makes of the tour's statements, by which their counts are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pandas import isna
from pyarrow import parquet

from hive_acid_examples import changes
from hive_acid_examples.changes import Counts
from hive_acid_examples.data import (
    CORRECTIONS,
    FLIGHT_KEY,
    TABLES,
    Frames,
    build_corrections,
    load_frames,
    write_parquet,
)


@pytest.fixture(scope="module")
def loaded() -> Frames:
    """The frames as they are loaded; each test changes a copy."""
    frames = load_frames()
    frames[CORRECTIONS] = build_corrections(frames["flights"])
    return frames


@pytest.fixture
def frames(loaded: Frames) -> Frames:
    return dict(loaded)


def test_every_change_has_something_to_change_and_something_to_leave(frames: Frames) -> None:
    for change in changes.CHANGES:
        before = len(frames[change.table])
        counts = change.apply(frames)
        assert counts.affected > 0, change.title
        assert len(frames[change.table]) == before + counts.inserted - counts.deleted > 0
        assert counts.updated + counts.deleted < before


def test_an_update_changes_its_column_where_its_condition_holds_and_nothing_else(frames: Frames) -> None:
    before = frames["flights"]
    counts = changes.EARLY.apply(frames)
    after = frames["flights"]
    changed = (before.dep_delay >= -5) & (before.dep_delay < 0)
    assert counts == Counts(updated=int(changed.sum()))
    assert set(after[changed].dep_delay) == {0}
    assert after[~changed].equals(before[~changed])
    assert after.drop(columns="dep_delay").equals(before.drop(columns="dep_delay"))


def test_the_merge_is_what_a_loop_over_the_corrections_does(frames: Frames) -> None:
    flights = frames["flights"] = frames["flights"][frames["flights"].month == 12]
    arrivals: dict[Any, Any] = {tuple(key): value for *key, value in _keyed(flights)}
    inserted = updated = deleted = 0
    news = frames[CORRECTIONS]
    for (*key, arrival), departure, year in zip(_keyed(news), news.dep_time, news.year, strict=True):
        flight = tuple(key)
        if flight in arrivals and isna(departure):
            del arrivals[flight]
            deleted += 1
        elif flight in arrivals:
            arrivals[flight] = arrival
            updated += 1
        elif year == 2014:
            arrivals[flight] = arrival
            inserted += 1
    assert changes.LATE_NEWS.apply(frames) == Counts(inserted, updated, deleted)
    found = {tuple(key): value for *key, value in _keyed(frames["flights"])}
    assert found.keys() == arrivals.keys()
    assert all(found[key] == arrivals[key] or isna(found[key]) for key in arrivals)


def _keyed(flights: Any) -> Any:
    return flights[[*FLIGHT_KEY, "arr_delay"]].itertuples(index=False)


def test_no_flight_is_corrected_twice(frames: Frames) -> None:
    for name in ("flights", CORRECTIONS):
        assert not frames[name].duplicated(list(FLIGHT_KEY)).any()


def test_a_dry_run_leaves_the_frames_as_they_are(frames: Frames) -> None:
    before = len(frames["flights"])
    assert changes.LOOKED_AT.apply(dict(frames)).deleted > 0
    assert len(frames["flights"]) == before


def test_the_parquet_files_hold_the_rows_the_columns_and_the_nulls(frames: Frames, tmp_path: Path) -> None:
    for name, path in write_parquet(frames, tmp_path).items():
        written = parquet.read_table(path)
        assert written.num_rows == len(frames[name])
        columns = TABLES["flights" if name == CORRECTIONS else name]
        assert written.column_names == [column.split()[0] for column in columns.split(",")]
        nulls = {column: written.column(column).null_count for column in written.column_names}
        assert nulls == frames[name].isna().sum().to_dict()
