"""How a table's files are read that were written before it was altered: as Hive of the metastore's line does."""

from __future__ import annotations

from hive_acid.config import COLUMNS_BY_POSITION, Settings
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.evolution import Evolution


def find_evolution(settings: Settings, line: MetastoreLine) -> Evolution:
    """How Hive of the metastore's line reads older files. A setting may decide where columns are found.

    HiveConf of 4.x sets `orc.force.positional.evolution`, 3.1 knows no such setting and ORC goes by name; ORC's
    conversions of values changed between the two (both seen with 3.1.3 and 4.1.0). Raises HIVE_ACID_CONFIGURATION for
    a setting that is neither true nor false.
    """
    is_set = bool(settings.text(COLUMNS_BY_POSITION).strip())
    by_position = settings.flag(COLUMNS_BY_POSITION) if is_set else line is MetastoreLine.HIVE_4
    return Evolution(by_position, as_hive_3=line.has_values_of_hive_3)


def list_evolutions(line: MetastoreLine) -> tuple[Evolution, ...]:
    """Each way in which an engine of the line may find columns: by name and by position."""
    return tuple(Evolution(by_position, as_hive_3=line.has_values_of_hive_3) for by_position in (False, True))
