"""Failures are shown when they happen: a run of everything takes hours, and one that is stopped shows none later."""

from __future__ import annotations

import pytest

MOST_CHARACTERS = 4000


class EarlyFailures:
    """A plugin of the process that the user started; pytest shows the same again at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The name of a test that has failed, and the end of what it says."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(f"FAILED {report.nodeid} ({report.when}, {report.duration:.1f} s)")
            terminal.write_line(report.longreprtext[-MOST_CHARACTERS:])
