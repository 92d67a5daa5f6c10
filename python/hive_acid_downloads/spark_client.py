"""Hive's metastore client for Spark, for metastores that Spark's own does not serve."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from hive_acid_downloads.artifacts import Artifact, digest_artifacts, parse_artifacts
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.download import download
from hive_acid_downloads.java import find_java
from hive_acid_downloads.progress import print_progress


@cache
def spark_client_artifacts(version: str) -> tuple[Artifact, ...]:
    """The jars of Hive's metastore client of `version`, but for those that Spark brings itself.

    Raises ValueError for a version of which there is no list.
    """
    listed = files("hive_acid_downloads").joinpath(f"spark_client_{version}.txt")
    if not listed.is_file():
        raise ValueError(f"no Hive client {version} is known")
    return parse_artifacts(listed.read_text("utf-8"))


def prepare_spark_client(version: str) -> tuple[Path, ...]:
    """The jars of the Hive client of `version` for Spark, from the cache or fetched into it.

    Raises HIVE_ACID_DOWNLOAD, and HIVE_ACID_LOCAL_METASTORE if there is no Java that fetches them.
    """
    folder, artifacts = cache_folder(), spark_client_artifacts(version)
    java, progress = find_java(), print_progress

    def fetch(target: Path, damaged: Path | None) -> None:
        download(artifacts, target, damaged, java, f"the Hive client {version} for Spark", progress)

    with cache_lock(folder, progress):
        entry = whole_entry(folder / f"spark-client-{version}-{digest_artifacts(artifacts)}", fetch, progress)
    return tuple(entry / artifact.file_name for artifact in artifacts)
