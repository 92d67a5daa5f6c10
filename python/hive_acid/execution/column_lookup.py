"""How the columns of a table are found in files that were written before it was altered."""

from __future__ import annotations

from hive_acid.config import COLUMNS_BY_POSITION, Settings
from hive_acid.metastore.types import MetastoreLine


def has_columns_by_position(settings: Settings, line: MetastoreLine) -> bool:
    """True: by position, so that a renamed column keeps its old values; False: by name, so that it loses them.

    Without a setting it is what Hive of the metastore's line does: HiveConf of 4.x sets
    `orc.force.positional.evolution`, 3.1 knows no such setting and ORC goes by name (seen with 3.1.3 and 4.1.0).
    Raises HIVE_ACID_CONFIGURATION for a setting that is neither true nor false.
    """
    if not settings.text(COLUMNS_BY_POSITION).strip():
        return line is MetastoreLine.HIVE_4
    return settings.flag(COLUMNS_BY_POSITION)
