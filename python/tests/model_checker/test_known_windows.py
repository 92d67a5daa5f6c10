"""What the checker shows and nobody here can close. A test that fails tells that it has been closed."""

from __future__ import annotations

import pytest

from support.model_checker.choices import Act
from support.model_checker.models import Model, build_clients
from support.model_checker.replays import format_schedule, parse_schedule, replay
from support.model_checker.rows import LateRow, Violation
from support.model_checker.search import Bounds, Search


def test_trino_deletes_under_a_write_id_from_before_the_row_which_hive_4_shows_then() -> None:
    """It has its write ID before its snapshot, and tells nobody before its second lock that it will read."""
    assert isinstance(Model.parse("4 flat trino-update-for-hive+update").search().violation, LateRow)
    assert Model.parse("4 flat trino-update+update").search().violation is None


def test_files_that_get_their_names_when_their_transaction_is_forgotten_count() -> None:
    """It was open when it was asked, right before; and within a rename it is aborted, cleaned, and forgotten."""
    model = Model.parse("4 flat insert+aborted-cleaner")
    found = Search(model.setting, build_clients(model.names), Bounds(faults=1, acts=(Act.ABORT,))).run()
    assert isinstance(found.violation, Violation)
    schedule = format_schedule(found.schedule)
    assert parse_schedule(schedule) == found.schedule
    with pytest.raises(Violation):
        replay("4", model.names, schedule)
    assert model.with_fault().search().violation is None
