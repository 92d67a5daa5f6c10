"""Tasks that fail: what they wrote is not seen, and a task that is tried again writes every row once."""

from __future__ import annotations

from support.drivers import Drivers, Table
from support.session_process import StatementFailed
from support.spark_lines import raised_in_tasks

ALL = list(range(100))


def test_a_task_that_fails_after_others_have_written_takes_their_files_with_it(drivers: Drivers, table: Table) -> None:
    """Two tasks run at a time, so the third begins when another has written its file."""
    folders = table.folders()
    source = "SELECT int(if(id < 35000, id, raise_error('on purpose'))) FROM range(0, 40000, 1, 4)"
    result = drivers.attempt(f"INSERT INTO {table.name} {source}")
    assert isinstance(result, StatementFailed)
    assert result.condition == raised_in_tasks("USER_RAISED_EXCEPTION")
    table.assert_untouched(ALL, folders)


def test_a_task_tried_again_leaves_every_row_once_and_one_file_per_bucket(drivers: Drivers, table: Table) -> None:
    marker, before = drivers.marker(), table.files()
    numbers = "SELECT int(id) AS id FROM range(1000, 81000, 1, 4)"
    source = f"SELECT fail_once('{marker}', id, 80999) FROM ({numbers})"  # the last row of the last task
    assert drivers.attempt(f"INSERT INTO {table.name} {source}") == 80000
    assert marker.exists()
    assert table.totals() == (80100, 80100, sum(ALL) + sum(range(1000, 81000)))
    new = [path.split("/") for path in table.files() if path not in before]
    assert [name for _, name in new] == [f"bucket_{bucket:05d}" for bucket in range(4)]
    assert len({folder for folder, _ in new}) == 1
    marker = drivers.marker()
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE fail_once('{marker}', id, 80999) >= 1000") == 80000
    assert marker.exists()
    assert table.ids() == ALL
    assert table.staging() == []
