"""A table that a server of Spark Connect has."""

from __future__ import annotations

import pyspark
from pyspark.sql import SparkSession

from hive_acid.api.conditions import build_error
from hive_acid.api.table_calls import AcidTableCalls, line_of

_WITHOUT_PLUGINS = "3.5"
"""The line whose servers cannot have our plugin."""


def open_table(session: SparkSession, name: str) -> AcidTableCalls:
    """The calls of the table. Raises what `AcidTable.forName` raises."""
    refuse_other_line(session)  # before what is imported next, which may not be that of this client
    if line_of(pyspark.__version__) == _WITHOUT_PLUGINS:
        raise build_error("HIVE_ACID_CONFIGURATION.NO_CONNECT_PLUGIN")
    from hive_acid_connect.table_calls import ConnectCalls

    return ConnectCalls.find(session, name)


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
