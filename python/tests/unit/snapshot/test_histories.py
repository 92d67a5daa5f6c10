"""Whatever was written, compacted and cleaned: a snapshot reads the rows that its history gives it."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hive_acid.errors import SnapshotUnavailable
from hive_acid.model.table import TableDescription, TableName
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.plan_building import build_scan_plan
from support.history_elements import Row, Snapshot, Writer
from support.table_history import TableHistory

TABLE = TableDescription(TableName("db", "t"), "/t", (), parameters={"transactional": "true"})
WEIGHTS = {
    "begin": 3,
    "batch": 1,
    "overwrite": 1,
    "insert": 4,
    "delete": 3,
    "commit": 4,
    "abort": 1,
    "snapshot": 2,
    "own": 1,
    "minor": 2,
    "major": 2,
    "compacted": 2,
    "failed": 1,
    "clean": 1,
}
STEP_NAMES = [step for step, weight in WEIGHTS.items() for _ in range(weight)]
STEPS = st.lists(st.tuples(st.sampled_from(STEP_NAMES), st.integers(0, 15)), min_size=10, max_size=60)
THOROUGH = settings(max_examples=800, deadline=None, suppress_health_check=list(HealthCheck))


def run_step(history: TableHistory, step: str, choice: int, cleans_politely: bool) -> None:
    """One step; steps that make no sense at this moment do nothing."""
    writer = history.writers[choice % len(history.writers)] if history.writers else None
    if step == "begin":
        history.begin()
    elif step == "batch":
        history.begin(write_ids=2 + choice % 3)
    elif step == "overwrite":
        history.begin(is_overwrite=True)
    elif step in ("minor", "major"):
        history.compact(step == "major", bool(choice & 1), bool(choice & 2))
    elif step in ("compacted", "failed"):
        history.end_compaction(step == "compacted")
    elif step == "clean":
        history.clean(cleans_politely)
    elif step == "snapshot":
        history.snapshots.append(history.snapshot())
    elif writer:
        run_writer_step(history, step, choice, writer)


def run_writer_step(history: TableHistory, step: str, choice: int, writer: Writer) -> None:
    if step == "insert":
        history.insert(writer, choice % 5)
    elif step == "delete":
        history.delete(writer, choice)
    elif step == "own":
        history.snapshots.append(history.snapshot(writer))
    else:
        history.end(writer, commits=step == "commit")


def run(steps: list[tuple[str, int]], hive_4: bool, cleans_politely: bool) -> TableHistory:
    """The history after all steps, with a last snapshot of what is there now."""
    history = TableHistory(hive_4)
    for step, choice in steps:
        run_step(history, step, choice, cleans_politely)
    history.snapshots.append(history.snapshot())
    return history


def read_rows(history: TableHistory, snapshot: Snapshot, is_unpadded: bool) -> list[Row]:
    """The rows a scan finds that follows its plan to the letter, with repetitions."""
    unpadded = frozenset(history.folders) if is_unpadded else frozenset()
    listing, markers, by_path = history.listing("/t", unpadded)
    write_ids = snapshot.write_ids
    state = choose_directories(listing, write_ids, snapshot.transactions, markers)
    (partition,) = build_scan_plan(TABLE, write_ids, [("", state)]).partitions
    deleted = {
        event.row
        for deletes in partition.deletes.folders
        for event in by_path[deletes.path].events
        if not deletes.check or write_ids.is_valid(event.write_id)
    }
    return [
        event.row
        for folder in partition.folders
        for event in by_path[folder.path].events
        if not folder.check or write_ids.is_valid(event.write_id)
        if not folder.deletes or event.row not in deleted
    ]


@THOROUGH
@given(STEPS, st.booleans(), st.booleans())
def test_every_running_snapshot_reads_its_own_rows_once(
    steps: list[tuple[str, int]], hive_4: bool, is_unpadded: bool
) -> None:
    history = run(steps, hive_4, cleans_politely=True)
    for snapshot in history.snapshots:
        try:
            rows = read_rows(history, snapshot, is_unpadded)
        except SnapshotUnavailable:
            assert needs_marked_base(history, snapshot)
            continue
        assert sorted(rows) == sorted(history.visible_rows(snapshot.write_ids))


@THOROUGH
@given(STEPS, st.booleans())
def test_a_cleaner_that_spares_nobody_makes_snapshots_unavailable_but_never_wrong(
    steps: list[tuple[str, int]], hive_4: bool
) -> None:
    history = run(steps, hive_4, cleans_politely=False)
    for snapshot in history.snapshots[:-1]:
        try:
            rows = read_rows(history, snapshot, is_unpadded=False)
        except SnapshotUnavailable:
            continue
        assert sorted(rows) == sorted(history.visible_rows(snapshot.write_ids))
    rows = read_rows(history, history.snapshots[-1], is_unpadded=False)
    assert sorted(rows) == sorted(history.visible_rows(history.snapshots[-1].write_ids))


def needs_marked_base(history: TableHistory, snapshot: Snapshot) -> bool:
    """True if a compaction of Hive 3.1 has gone beyond the snapshot."""
    marked = (folder.name.max_write_id for folder in history.folders.values() if folder.is_marked)
    return any(not snapshot.write_ids.is_valid_compacted_base(write_id) for write_id in marked)
