"""Hive's metastore client for Spark, for metastores that Spark's own does not serve."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from hive_acid.downloads.artifacts import Artifact, digest_artifacts, parse_artifacts
from hive_acid.downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid.downloads.download import download
from hive_acid.downloads.java import Java
from hive_acid.downloads.progress import Progress


@cache
def spark_client_artifacts(version: str) -> tuple[Artifact, ...]:
    """The jars of Hive's metastore client of `version`, but for those that Spark brings itself.

    Raises ValueError for a version of which there is no list.
    """
    listed = files("hive_acid.downloads").joinpath(f"spark_client_{version}.txt")
    if not listed.is_file():
        raise ValueError(f"no Hive client {version} is known")
    return parse_artifacts(listed.read_text("utf-8"))


def prepare_spark_client(version: str, java: Java, progress: Progress) -> tuple[Path, ...]:
    """The jars of the Hive client of `version` for Spark, from the cache or fetched into it.

    Raises HIVE_ACID_DOWNLOAD.
    """
    folder, artifacts = cache_folder(), spark_client_artifacts(version)

    def fetch(target: Path, damaged: Path | None) -> None:
        download(artifacts, target, damaged, java, f"the Hive client {version} for Spark", progress)

    with cache_lock(folder, progress):
        entry = whole_entry(folder / f"spark-client-{version}-{digest_artifacts(artifacts)}", fetch, progress)
    return tuple(entry / artifact.file_name for artifact in artifacts)
