"""Delta's and Iceberg's own packages beside ours: on Spark 3.5 and 4.1 both, on 4.2 Delta's alone."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from hive_acid.local import LocalMetastoreError
from hive_acid.spark_lines import find_line
from hive_acid_downloads.artifacts import parse_artifacts
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.download import download
from hive_acid_downloads.java import find_java
from support.unreachable import is_unreachable

_LIBRARIES_OF_DELTA: Final = """\
io.delta:delta-storage:4.4.0 c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc
io.delta:delta-kernel-api:4.4.0 ee9b5a14ac3b7efdff4d61a58478fe8eb0e5a3fbca43889dca7290795fe79a11
io.delta:delta-kernel-defaults:4.4.0 225c975199e4718b38ee5b7e6da7f19e9585024262b2cec2656b32151a856b0b
io.delta:delta-kernel-unitycatalog:4.4.0 cea22dfb4ac562b3cd27bf652697750e8336009d73fb06631363aaaad5345ffa
io.unitycatalog:unitycatalog-client:0.6.0 48257499a86b801a3e2372cec55ac226ca1c1c7eabe5c118e7302f29a1fdbc19
io.unitycatalog:unitycatalog-hadoop:0.6.0 c47b63c961c87102b9e1d63809a0915ba4c86b7652f57c8d39ca3a05b441a150
"""
_ARTIFACTS: Final = {
    "3.5": parse_artifacts("""\
io.delta:delta-spark_2.12:3.3.2 4e92085d5d794cf949c50bb665b91384857cad58680c2d0bfc9c7ad353e98e85
io.delta:delta-storage:3.3.2 c096975a2ca97ccc9b4005aa5cce16c9ac3903139d340da6665b66ace67d7c36
org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0 \
8dd8c90e54ed1a20f2461309d047a255ee56382eb7c0a46162b27a4936fd86dc
"""),
    "4.1": parse_artifacts(f"""\
io.delta:delta-spark_4.1_2.13:4.4.0 75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10
{_LIBRARIES_OF_DELTA}\
org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0 \
3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82
"""),
    "4.2": parse_artifacts(f"""\
io.delta:delta-spark_4.2_2.13:4.4.0 27d4fd8b1f879535c573ed1c718177d6a27f24d3e626ba02e216369725721ead
{_LIBRARIES_OF_DELTA}"""),
}
LINES: Final = tuple(_ARTIFACTS)
_EXTENSIONS: Final = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}
_OURS: Final = "hiveacid.Extensions"
_SESSION_CATALOG: Final = "spark.sql.catalog.spark_catalog"
SESSION_CATALOGS: Final[Mapping[str, str]] = {
    "spark": "",
    "delta": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "iceberg": "org.apache.iceberg.spark.SparkSessionCatalog",
}
"""Whose catalog stands before Spark's own."""


def find_formats() -> list[str]:
    """Those of `delta` and `iceberg` that this line has."""
    names = [artifact.name for artifact in _ARTIFACTS.get(find_line(), ())]
    return [form for form in _EXTENSIONS if any(name.startswith(form) for name in names)]


def find_session_catalogs() -> list[str]:
    """Those of SESSION_CATALOGS that can be tried on this line; beside Spark's own stands a catalog of Iceberg."""
    found = find_formats()
    return [*(["spark"] if "iceberg" in found else []), *found]


def settings_beside(catalog: str, metastore: str, folder: Path, *, ours_first: bool = False) -> dict[str, str]:
    """Of a session with one of SESSION_CATALOGS, all extensions, and `ice`, a catalog of Iceberg's in the folder.

    Skips the test, with the reason, where the packages cannot be had.
    """
    formats = find_formats()
    extensions = [_EXTENSIONS[form] for form in formats]
    settings = {
        "spark.jars": ",".join(str(jar) for jar in _fetch_jars()),
        "spark.sql.extensions": ",".join([_OURS, *extensions] if ours_first else extensions),
        "spark.databricks.delta.snapshotPartitions": "2",
    }
    if "iceberg" in formats:
        settings |= {
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": folder.as_uri(),
        }
    if name := SESSION_CATALOGS[catalog]:
        settings[_SESSION_CATALOG] = name
    if catalog == "iceberg":
        settings |= {f"{_SESSION_CATALOG}.type": "hive", f"{_SESSION_CATALOG}.uri": metastore}
    return settings


def _fetch_jars() -> list[Path]:
    line = find_line()
    artifacts = _ARTIFACTS[line]

    def fetch(target: Path, kept: Path | None) -> None:
        download(artifacts, target, kept, find_java(), "Delta and Iceberg", _print_progress)

    try:
        with cache_lock(cache_folder(), _print_progress):
            entry = whole_entry(
                cache_folder() / f"formats-of-spark-{line}-{artifacts[0].version}", fetch, _print_progress
            )
    except LocalMetastoreError as error:
        if not is_unreachable(error):
            raise
        pytest.skip(f"no Delta and Iceberg on this machine: {error}")
    return [Path(entry) / artifact.file_name for artifact in artifacts]


def _print_progress(line: str) -> None:
    sys.stderr.write(f"formats: {line}\n")
