"""Everything outside of an erasure, and what it makes of a table there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore
from hive_acid_erasure.engine import ErasureEngine
from hive_acid_erasure.find.state import FoundTable
from hive_acid_erasure.verify.places import Place
from hive_acid_erasure.verify.table_report import TableReport


@dataclass(frozen=True)
class World:
    """Everything outside of an erasure that it works on. `tell` hears of its progress, without subjects."""

    engine: ErasureEngine
    metastore: Metastore
    file_system: FileSystem
    clock_ms: Callable[[], int]
    pause_ms: Callable[[int], None]
    tell: Callable[[str], None] = lambda _: None
    cleaning_limit_ms: int = 600_000


@dataclass(frozen=True)
class Chosen:
    """Masked names of partitions: those within the plan's limits, and those outside of them."""

    within: frozenset[str]
    outside: frozenset[str]

    def describe(self) -> dict[str, list[str]]:
        """As the certificate shows it."""
        return {"within": sorted(self.within), "outside": sorted(self.outside)}


@dataclass(frozen=True)
class TableResult:
    """A table in the end. `places` are those that count: of partitions within the plan's limits.

    `chosen` are all its partitions, None without limits.
    """

    found: FoundTable
    report: TableReport
    places: tuple[Place, ...]
    chosen: Chosen | None = None
