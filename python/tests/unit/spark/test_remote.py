"""Builders of sessions without a JVM are told from others before anything is started."""

from __future__ import annotations

from typing import cast

import pyspark
import pytest
from pyspark import util
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.errors import ConfigurationError
from hive_acid.user.remote import refuse_remote_builder
from hive_acid_connect.opening import refuse_other_line


def builder(**options: str) -> SparkSession.Builder:
    """A new one, which knows nothing of others'."""
    made = SparkSession.Builder()
    made._options = {key.replace("_", "."): value for key, value in options.items()}
    return made


def refused(chosen: SparkSession.Builder) -> str:
    with pytest.raises(ConfigurationError) as caught:
        hive_acid.configure(chosen)
    return str(caught.value.getCondition())


@pytest.mark.parametrize("options", [{"spark_remote": "sc://nowhere"}, {"spark_api_mode": "Connect"}])
def test_options_that_name_a_server_are_refused(options: dict[str, str]) -> None:
    assert refused(builder(**options)) == "HIVE_ACID_CONFIGURATION.CONNECT_SESSION"


@pytest.mark.parametrize(
    ("variable", "value"),
    [("SPARK_REMOTE", "sc://nowhere"), ("SPARK_CONNECT_MODE_ENABLED", "1"), ("SPARK_API_MODE", "connect")],
)
def test_an_environment_that_names_a_server_is_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert refused(builder()) == "HIVE_ACID_CONFIGURATION.CONNECT_SESSION"


def test_the_client_alone_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "is_remote_only", lambda: True, raising=False)
    assert refused(builder()) == "HIVE_ACID_CONFIGURATION.CONNECT_SESSION"


def test_a_builder_of_classic_sessions_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_API_MODE", "connect")
    refuse_remote_builder(builder(spark_api_mode="classic"))


class Server:
    """A session of a server of some release of Spark, which must not be asked for anything else."""

    def __init__(self, version: str) -> None:
        self.version = version


@pytest.mark.parametrize("server", ["3.5.9", "4.2.0", "5.0.0"])
def test_a_server_of_another_line_is_refused_before_it_is_asked(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    monkeypatch.setattr("hive_acid.user.acid_table.is_remote", lambda _: True)
    with pytest.raises(ConfigurationError) as caught:
        hive_acid.AcidTable.forName(cast(SparkSession, Server(server)), "t")
    assert caught.value.getCondition() == "HIVE_ACID_CONFIGURATION.CONNECT_CLIENT_OF_OTHER_LINE"
    assert caught.value.getMessageParameters()["line"] == ".".join(server.split(".")[:2])


def test_another_release_of_the_same_line_is_let_in() -> None:
    refuse_other_line(cast(SparkSession, Server(".".join([*pyspark.__version__.split(".")[:2], "99"]))))
