"""How many rows one statement may change or remove: judged when they are counted, before anybody sees the change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.setting import Setting
from hive_acid.wire.statements import Statement


@dataclass(frozen=True)
class ChangeLimits:
    """The limits of a session; None: any number."""

    max_rows: int | None
    max_percent: int | None

    @classmethod
    def find(cls, settings: config.Settings) -> ChangeLimits:
        """The limits in the settings. Raises HIVE_ACID_CONFIGURATION for what is no limit."""
        return cls(settings.limit(config.GUARD_MAX_ROWS), settings.limit(config.GUARD_MAX_PERCENT))

    @property
    def are_set(self) -> bool:
        """True if there is any."""
        return self.max_rows is not None or self.max_percent is not None

    def check(self, statement: Statement, rows: int, count_all: Callable[[], int]) -> None:
        """Raises HIVE_ACID_TOO_MANY_ROWS if the statement changes or removes too many rows.

        `count_all` tells how many rows the table had; it is asked only if there is need to know.
        """
        if self.max_rows is not None and rows > self.max_rows:
            raise _refusal(statement, rows, config.GUARD_MAX_ROWS, f"{self.max_rows}")
        if self.max_percent is not None and rows:
            total = count_all()
            if rows * 100 > self.max_percent * total:
                allowed = f"{self.max_percent} % of the {total} rows it had"
                raise _refusal(statement, rows, config.GUARD_MAX_PERCENT, allowed)


def _refusal(statement: Statement, rows: int, setting: Setting, allowed: str) -> Exception:
    return build_error(
        "HIVE_ACID_TOO_MANY_ROWS",
        operation=statement.kind.title,
        table=statement.target,
        rows=rows,
        setting=setting.key,
        allowed=allowed,
    )
