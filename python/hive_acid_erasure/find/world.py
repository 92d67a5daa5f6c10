"""Everything outside of an erasure, and what it makes of a table there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore
from hive_acid_erasure.engine import ErasureEngine
from hive_acid_erasure.find.state import FoundTable
from hive_acid_erasure.subjects.spotting import Spotters
from hive_acid_erasure.verify.locations import Locations
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

    def mask_again(self, spotters: Spotters) -> TableResult:
        """The same without the names that links have made those of subjects after the files were searched."""
        if self.report.state is not None and self.report.state.version == spotters.version:
            return self
        mask = spotters.of(self.found.matcher.keys).mask
        locations = Locations(self.found.locations, self.found.hidden_locations).mask(
            spotters.of(self.found.matcher.keys), spotters.key
        )
        found = replace(self.found.mask_again(mask), locations=locations.shown, hidden_locations=locations.hidden)
        files = tuple(replace(file, path=mask(file.path)) for file in self.report.files)
        places = tuple(replace(place, where=mask(place.where), detail=mask(place.detail)) for place in self.places)
        chosen = self.chosen and Chosen(
            *(frozenset(map(mask, names)) for names in (self.chosen.within, self.chosen.outside))
        )
        return replace(self, found=found, report=replace(self.report, files=files), places=places, chosen=chosen)
