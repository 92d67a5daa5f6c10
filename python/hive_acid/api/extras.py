"""The version of an installation, its jars, and libraries that it may lack."""

from hive_acid.shim_jars import SHIM_JARS
from hive_acid.wings import check_libraries, find_version, needing

__all__ = [
    "SHIM_JARS",
    "check_libraries",
    "find_version",
    "needing",
]
