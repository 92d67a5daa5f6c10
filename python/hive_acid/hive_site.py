"""The installation's hive-site.xml, for what must be known before there is a JVM."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from hive_acid import config
from hive_acid.errors import build_error

FOLDER_VARIABLES = ("SPARK_CONF_DIR", "HIVE_CONF_DIR", "HADOOP_CONF_DIR")
"""Variables of the environment that name a folder in which it may lie, the first one first."""


def find_metastore_uris() -> str | None:
    """The addresses of the metastore, or None. Raises HIVE_ACID_CONFIGURATION for a file that cannot be read."""
    for site in find_sites():
        for name, value in read_site(site):
            if name in config.METASTORE_URIS.hive_names:
                return value or None
    return None


def read_settings() -> dict[str, str]:
    """The settings in the files; the first file with a setting counts.

    Raises HIVE_ACID_CONFIGURATION for a file that cannot be read.
    """
    settings: dict[str, str] = {}
    for site in find_sites():
        settings = {**dict(read_site(site)), **settings}
    return settings


def find_sites() -> Iterator[Path]:
    """The hive-site.xml of each folder that the environment names, then that of SPARK_HOME/conf."""
    folders = [os.environ.get(name) for name in FOLDER_VARIABLES]
    spark_home = os.environ.get("SPARK_HOME")
    folders.append(f"{spark_home}/conf" if spark_home else None)
    for folder in filter(None, folders):
        site = Path(folder) / "hive-site.xml"
        if site.is_file():
            yield site


def read_site(site: Path) -> Iterator[tuple[str, str]]:
    """Names and values as they are written. Raises HIVE_ACID_CONFIGURATION for a file that cannot be read."""
    try:
        root = ElementTree.parse(site).getroot()
    except (ElementTree.ParseError, OSError) as error:
        raise build_error("HIVE_ACID_CONFIGURATION.UNREADABLE_FILE", file=site, failure=error) from error
    for entry in root.iter("property"):
        yield (entry.findtext("name") or "").strip(), (entry.findtext("value") or "").strip()
