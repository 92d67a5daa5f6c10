"""A schedule as a text, the test that one can paste for a violation, and its run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hive_acid.metastore.types import MetastoreLine
from support.model_checker.choices import Act, Choice, Schedule
from support.model_checker.models import Model, build_clients
from support.model_checker.search import Attempt, Found, Search
from support.model_checker.world import Setting


def format_schedule(schedule: Schedule) -> str:
    """Its choices: the point, what is done there, and the client by its number."""
    return ", ".join(f"{choice.at} {choice.act.value} {choice.client}" for choice in schedule)


def parse_schedule(text: str) -> Schedule:
    """From `12 switch 1, 20 kill 0`."""
    parts = (choice.split() for choice in text.split(", ") if choice)
    return tuple(Choice(int(at), Act(act), int(client)) for at, act, client in parts)


def replay(line: str, names: Sequence[str], schedule: str = "", *, is_partitioned: bool = False) -> Attempt:
    """Runs the clients by one schedule. Raises the violation, if there is one."""
    setting = Setting(MetastoreLine(line), is_partitioned)
    attempt = Attempt(Search(setting, build_clients(names)), parse_schedule(schedule), is_alone=True)
    attempt.go()
    return attempt


def check(model: Model) -> None:
    """Fails, with a test that one can paste, unless all schedules within the bounds keep every promise."""
    found = model.search()
    if found.violation is not None:
        pytest.fail(format_test(model.setting, model.names, found))
    assert found.is_whole or found.runs == model.bounds.runs


def format_test(setting: Setting, names: Sequence[str], found: Found) -> str:
    """The violation as a test, with the calls that led to it."""
    partitioned = ", is_partitioned=True" if setting.is_partitioned else ""
    schedule = format_schedule(found.schedule)
    calls = (f"    #   {position:3} {names[client]} ({client}): {method}" for position, (client, method) in found.told)
    return "\n".join(
        (
            f"{type(found.violation).__name__}: {found.violation}",
            "",
            "def test_a_schedule_that_was_found() -> None:",
            f'    replay("{setting.line.value}", {tuple(names)!r}, "{schedule}"{partitioned})',
            *calls,
        )
    )
