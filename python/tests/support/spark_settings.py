"""Settings of Spark that all sessions of tests have."""

from __future__ import annotations

from collections.abc import Mapping

SHORT_LIVED: Mapping[str, str] = {
    # several processes share few cores, and most of their code runs too seldom to be worth optimising
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
}
