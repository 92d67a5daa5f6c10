"""Parts that commands of `hive-acid` share. The module of a wing adds its command by a function `add_command`."""

from hive_acid.commands.metastore_access import open_metastore
from hive_acid.commands.shared import (
    DONE,
    FAILED,
    FOUND,
    INTERRUPTED,
    NOT_RUNNING,
    Commands,
    add_metastore_option,
    add_spark_options,
    find_uris,
    parse_count,
    parse_settings,
)

__all__ = [
    "DONE",
    "FAILED",
    "FOUND",
    "INTERRUPTED",
    "NOT_RUNNING",
    "Commands",
    "add_metastore_option",
    "add_spark_options",
    "find_uris",
    "open_metastore",
    "parse_count",
    "parse_settings",
]
