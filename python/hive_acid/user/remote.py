"""Sessions of Spark Connect, which have no JVM beside them."""

from __future__ import annotations

import os
import sys
from typing import Any

from pyspark import util
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
    """The same for a builder that would give one: a server is set up where it starts.

    PySpark gives one for options, for variables of the environment, and where it is the client alone
    (`SparkSession.Builder.getOrCreate`, 4.3).
    """
    options: Any = builder._options
    mode = str(options.get("spark.api.mode") or os.environ.get("SPARK_API_MODE", ""))
    is_named = "spark.remote" in options or not {"SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"}.isdisjoint(os.environ)
    is_client_alone = getattr(util, "is_remote_only", lambda: False)  # since 4.0
    if is_named or mode.lower() == "connect" or is_client_alone():
        raise build_error("HIVE_ACID_CONFIGURATION.CONNECT_SESSION", function="configure")
