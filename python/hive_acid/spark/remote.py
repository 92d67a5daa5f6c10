"""Sessions of Spark Connect, which have no JVM beside them."""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import SparkSession

from hive_acid.errors import build_error


def is_remote(session: SparkSession) -> bool:
    """True for a session of Spark Connect."""
    module = sys.modules.get("pyspark.sql.connect.session")
    return module is not None and isinstance(session, module.SparkSession)


def refuse_remote(session: SparkSession, function: str) -> None:
    """Raises HIVE_ACID_CONFIGURATION for a session of Spark Connect, in which the function cannot work."""
    if is_remote(session):
        raise build_error("HIVE_ACID_CONFIGURATION.CONNECT_SESSION", function=function)


def refuse_remote_builder(builder: SparkSession.Builder) -> None:
    """The same for a builder of such sessions: a server is set up where it starts."""
    options: Any = builder._options
    if "spark.remote" in options:
        raise build_error("HIVE_ACID_CONFIGURATION.CONNECT_SESSION", function="configure")
