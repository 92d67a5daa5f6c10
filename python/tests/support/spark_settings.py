"""Settings of Spark that all sessions of tests have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from support.class_archive import archive_options

JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
SHORT_LIVED: Mapping[str, str] = {
    # several processes share few cores, and most of their code runs too seldom to be worth optimising
    JAVA_OPTIONS: f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC{archive_options()}",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.ansi.enabled": "true",  # as it is by default since 4.0
}
