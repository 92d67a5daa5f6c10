"""The version of an installation, and libraries that it may lack."""

from hive_acid.wings import check_libraries, find_version, needing

__all__ = [
    "check_libraries",
    "find_version",
    "needing",
]
