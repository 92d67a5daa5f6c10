"""The steps of a side-car, from its start to the end of its driver."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hive_acid import __version__
from hive_acid.errors import build_error
from hive_acid.session import sidecar


class Driver:
    """A driver's entry and everything that is done to it, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, is_successor: bool = False, is_welcome: bool = True) -> None:
        self.steps: list[object] = []
        self.is_welcome = is_welcome
        self.is_successor = is_successor
        self.failure: Exception | None = None
        entry = SimpleNamespace(
            welcome=self._welcome,
            isSuccessor=lambda: self.is_successor,
            ready=lambda api: self.steps.append(("ready", api)),
            failed=lambda throwable: self.steps.append(("failed", throwable)),
        )
        gateway = SimpleNamespace(entry_point=entry, jvm="jvm")
        monkeypatch.setattr(sidecar, "launch_gateway", lambda: gateway)
        monkeypatch.setattr(sidecar, "_open_session", lambda *_: self.steps.append("session"))
        monkeypatch.setattr(sidecar, "_ignore_interrupts", lambda: None)
        monkeypatch.setattr(sidecar, "_wait_for_end", lambda: self.steps.append("driver ends"))
        monkeypatch.setattr(sidecar, "Attachment", self._attach)
        monkeypatch.setattr(sidecar, "build_throwable", lambda jvm, error: (jvm, error.getCondition()))

    def _welcome(self, version: str) -> bool:
        self.steps.append(version)
        return self.is_welcome

    def _attach(self, session: object, register: object) -> Any:
        if self.failure is not None:
            raise self.failure
        return SimpleNamespace(
            python_api="api",
            abort_left_behind=lambda: self.steps.append("abort"),
            close=lambda reason, wait_ms: self.steps.append(reason),
        )


def test_it_answers_until_its_driver_ends_and_ends_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(monkeypatch)
    assert sidecar.main() == sidecar.DONE
    expected = [__version__, "session", ("ready", "api"), "driver ends", "the driver has ended"]
    assert driver.steps == expected


def test_a_successor_aborts_what_is_left_before_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(monkeypatch, is_successor=True)
    assert sidecar.main() == sidecar.DONE
    assert driver.steps[2:4] == ["abort", ("ready", "api")]


def test_one_that_is_not_welcome_touches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(monkeypatch, is_welcome=False)
    assert sidecar.main() == sidecar.FAILED
    assert driver.steps == [__version__]


def test_an_error_of_its_start_is_told_to_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(monkeypatch)
    driver.failure = build_error("HIVE_ACID_CONFIGURATION.SESSION_WITHOUT_METASTORE")
    assert sidecar.main() == sidecar.FAILED
    assert driver.steps[-1] == ("failed", ("jvm", "HIVE_ACID_CONFIGURATION.SESSION_WITHOUT_METASTORE"))
