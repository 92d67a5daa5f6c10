"""Published files that are fetched once, checked, and kept in the user's cache. Only POSIX systems have it."""

from hive_acid.downloads.artifacts import Artifact, digest_artifacts, parse_artifacts
from hive_acid.downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid.downloads.download import download
from hive_acid.downloads.java import Java, find_java
from hive_acid.downloads.progress import Progress, print_progress
from hive_acid.shim_jars import SHIM_JARS

__all__ = [
    "SHIM_JARS",
    "Artifact",
    "Java",
    "Progress",
    "cache_folder",
    "cache_lock",
    "digest_artifacts",
    "download",
    "find_java",
    "parse_artifacts",
    "print_progress",
    "whole_entry",
]
