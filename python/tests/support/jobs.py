"""Spark's jobs, for tests without Spark."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass
class FakeJobs:
    """Jobs that stand still."""

    idle: int = 0
    loose: bool = False
    over: set[int] = field(default_factory=set)
    """Executions that cannot run any more."""

    def idle_ms(self) -> int:
        return self.idle

    def runs_loose(self) -> bool:
        return self.loose

    def ended_executions(self, keys: Collection[int]) -> Collection[int]:
        return self.over & set(keys)
