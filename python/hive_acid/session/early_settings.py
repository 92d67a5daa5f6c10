"""Settings that will be in force, looked up before there is a session."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.find_spark_home import _find_spark_home

from hive_acid import config
from hive_acid.bridge.secrets import unlogged
from hive_acid.errors import build_error
from hive_acid.hive_settings import HiveSetting
from hive_acid.hive_site import read_settings

_ENTRY = re.compile(r"\s*([^#!\s=:][^\s=:]*)\s*[=:\s]\s*(.*)")
"""A line of a properties file (java.util.Properties), without escapes."""


def find_running_settings() -> dict[str, str]:
    """Settings of the JVM that runs already, under spark-submit or since an earlier session; none if there is none."""
    context: Any = SparkContext
    if context._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    return load_jvm_settings()


def load_jvm_settings(wanted: Mapping[str, str] | None = None) -> dict[str, str]:
    """Settings of the JVM, which is started with the ones `wanted` unless it runs."""
    conf = SparkConf(loadDefaults=False)
    for key, value in (wanted or {}).items():
        conf.set(key, value)
    context: Any = SparkContext
    context._ensure_initialized(conf=conf)
    with unlogged():
        return dict(SparkConf(_jvm=context._jvm).getAll())


def read_spark_defaults() -> dict[str, str]:
    """The settings in spark-defaults.conf, as SparkSubmit will find it. Raises HIVE_ACID_CONFIGURATION if it cannot."""
    folder = os.environ.get("SPARK_CONF_DIR") or f"{_find_spark_home()}/conf"
    file = Path(folder) / "spark-defaults.conf"
    try:
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    except (OSError, UnicodeDecodeError) as error:
        raise build_error("HIVE_ACID_CONFIGURATION.UNREADABLE_FILE", file=file, failure=error) from error
    entries = (_ENTRY.match(line) for line in lines)
    return {entry[1]: entry[2].strip() for entry in entries if entry}


def hive_settings(configured: Mapping[str, str]) -> HiveSetting:
    """Settings of Hive by name, as a session will see them: in Spark's spellings, then in hive-site.xml.

    Raises HIVE_ACID_CONFIGURATION for a file that cannot be read.
    """
    site = read_settings()

    def hive_setting(name: str) -> str | None:
        by_spark = configured.get(f"spark.{name}") if name.startswith("hive.") else None
        return configured.get(f"spark.hadoop.{name}") or by_spark or site.get(name)

    return hive_setting


def find_early_settings(configured: Mapping[str, str]) -> config.Settings:
    """Our settings, with Hive's where ours are not set. Raises HIVE_ACID_CONFIGURATION for what cannot be read."""
    return config.Settings(configured).completed_by(hive_settings(configured))


def find_uris(configured: Mapping[str, str]) -> str | None:
    """The metastore that Spark's settings name; hive-site.xml is not looked at."""
    names = [f"spark.hadoop.{name}" for name in config.METASTORE_URIS.hive_names]
    return next((configured[name] for name in (*names, "spark.hive.metastore.uris") if configured.get(name)), None)
