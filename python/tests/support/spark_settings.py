"""Settings of Spark that all sessions of tests have, and options of the JVMs of Spark's own programs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from support.class_archive import archive_options

JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
_QUICK: Final = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
"""Several processes share few cores, and most of their code runs too seldom to be worth optimising.

With one compiler Java reserves 48 MiB for its code: a session of half an hour fills them, and compiles no more.
"""
_OF_SPARK: Final = f"{_QUICK}{archive_options()}"
SHORT_LIVED: Mapping[str, str] = {
    JAVA_OPTIONS: _OF_SPARK,
    "spark.executor.extraJavaOptions": _OF_SPARK,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.ansi.enabled": "true",  # as it is by default since 4.0
}
LOCAL_FILES_ON_CLUSTER: Final = "spark.hiveacid.storage.allowLocalFilesOnCluster"
SHARED_FILES: Final[Mapping[str, str]] = {LOCAL_FILES_ON_CLUSTER: "true"}
"""For clusters of the tests' whose machines are processes on this one, with a warehouse on its disk."""


def set_options_of_commands() -> None:
    """The same for the commands that tests start, which know nothing of these settings."""
    os.environ["SPARK_SUBMIT_OPTS"] = _OF_SPARK
    os.environ["SPARK_LAUNCHER_OPTS"] = _QUICK
