"""Sessions of Spark Connect, which have no JVM beside them."""

from __future__ import annotations

import os
import sys
from typing import Any

import pyspark
from pyspark import util
from pyspark.sql import SparkSession

from hive_acid.errors import build_error
from hive_acid.spark_lines import line_of


def is_remote(session: SparkSession) -> bool:
    """True for a session of Spark Connect."""
    module = sys.modules.get("pyspark.sql.connect.session")
    return module is not None and isinstance(session, module.SparkSession)


def refuse_remote(session: SparkSession, function: str) -> None:
    """Raises HIVE_ACID_CONFIGURATION for a session of Spark Connect, in which the function cannot work."""
    if is_remote(session):
        raise build_error("HIVE_ACID_CONFIGURATION.CONNECT_SESSION", function=function)


def refuse_other_line(session: SparkSession) -> None:
    """Raises HIVE_ACID_CONFIGURATION if the client of a Connect session is of another line of Spark than the server.

    Spark lets them meet, but the messages differ: a client of 4.3 could not read a 4.0 server's answer to a statement
    that had been carried out.
    """
    server, client = session.version, pyspark.__version__
    if line_of(server) != line_of(client):
        raise build_error(
            "HIVE_ACID_CONFIGURATION.CONNECT_CLIENT_OF_OTHER_LINE", server=server, client=client, line=line_of(server)
        )


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
