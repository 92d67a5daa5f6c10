"""Spark's jobs, for tests without Spark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class FakeJobs:
    """Jobs that stand still."""

    idle: int = 0
    loose: bool = False

    def idle_ms(self) -> int:
        return self.idle

    def runs_loose(self) -> bool:
        return self.loose
