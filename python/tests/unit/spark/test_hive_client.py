"""Which Hive client Spark gets for a metastore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hive_acid.errors import ConfigurationError
from hive_acid.metastore.types import ServerInfo
from hive_acid.session.hive_client import NEWEST, SCHEMA_SERDES, WITH_GET_TABLE, choose_client, sees_insert_only
from hive_acid_downloads.spark_client import spark_client_artifacts
from hive_acid_local.artifacts import HIVE_VERSION, embedded_release

OF_3_1 = ServerInfo("3.0", has_get_table=True, transforms_tables=False)
OF_4_0_0 = ServerInfo("4.0.0", has_get_table=True, transforms_tables=True)
EMBEDDED = ServerInfo("4.0.0", has_get_table=True, transforms_tables=False)
OF_4_2_0 = ServerInfo("4.2.0", has_get_table=False, transforms_tables=True)
NAME = "spark.sql.hive.metastore"
CAPABILITIES = "spark.hadoop.hive.metastore.client.capabilities"


def jars(version: str) -> Sequence[Path]:
    return [Path(f"/cache/of {version}/hive-exec.jar"), Path("/cache/io.jar")]


def no_jars(version: str) -> Sequence[Path]:
    raise AssertionError(f"jars of {version} are fetched for nothing")


@pytest.mark.parametrize("server", [OF_3_1, EMBEDDED])
def test_the_built_in_client_stays_where_it_is_served(server: ServerInfo) -> None:
    choice = choose_client(server, {}, no_jars)
    assert list(choice.settings) == [SCHEMA_SERDES]
    assert choice.settings[SCHEMA_SERDES].endswith(",org.apache.hadoop.hive.serde2.JsonSerDe")
    assert choose_client(server, {SCHEMA_SERDES: "a.B"}, no_jars).settings == {}
    assert choice.reason == f"the one built in: metastore {server.version} serves it"


def test_a_way_that_the_built_in_client_does_not_know_takes_one_of_hive_4() -> None:
    old, new = EMBEDDED, OF_4_2_0
    choice = choose_client(old, {}, jars, beyond_built_in="a password")
    assert (choice.settings["spark.sql.hive.metastore.version"], choice.reason) == (
        WITH_GET_TABLE,
        f"{WITH_GET_TABLE}, by path: metastore 4.0.0 asks for a password",
    )
    with pytest.raises(ConfigurationError, match="NO_HIVE_CLIENT"):
        choose_client(OF_3_1, {}, jars, beyond_built_in="Kerberos and TLS")
    assert choose_client(new, {}, jars, beyond_built_in="a password") == choose_client(new, {}, jars)


@pytest.mark.parametrize(
    ("server", "version", "why"),
    [(OF_4_0_0, WITH_GET_TABLE, "transforms tables"), (OF_4_2_0, NEWEST, "has no get_table")],
)
def test_a_client_of_hive_4_is_loaded_by_path_where_the_built_in_one_is_not_enough(
    server: ServerInfo, version: str, why: str
) -> None:
    choice = choose_client(server, {}, jars)
    assert choice.settings[f"{NAME}.version"] == version
    assert choice.settings[f"{NAME}.jars"] == "path"
    assert choice.settings[f"{NAME}.jars.path"] == f"file:/cache/of {version}/hive-exec.jar,file:/cache/io.jar"
    assert "HIVEFULLACIDWRITE" in choice.settings[CAPABILITIES].split(",")
    assert choice.reason == f"{version}, by path: metastore {server.version} {why}"


@pytest.mark.parametrize("own", [{f"{NAME}.version": "4.0.1"}, {f"{NAME}.jars": "maven"}])
def test_the_users_own_client_is_left_alone(own: Mapping[str, str]) -> None:
    choice = choose_client(OF_4_2_0, own, no_jars)
    assert choice.settings == {}
    assert choice.reason == f"left to {next(iter(own))}"


def test_the_users_own_capabilities_are_left_alone() -> None:
    assert CAPABILITIES not in choose_client(OF_4_2_0, {CAPABILITIES: "EXTREAD"}, jars).settings


@pytest.mark.parametrize("version", [NEWEST, WITH_GET_TABLE])
def test_the_jars_of_each_client_are_pinned(version: str) -> None:
    artifacts = spark_client_artifacts(version)
    assert len(artifacts) == 11
    assert [artifact.version for artifact in artifacts if artifact.name == "hive-exec"] == [version]
    assert all(len(artifact.sha256) == 64 for artifact in artifacts)


def test_a_client_of_the_embedded_metastores_version_has_the_jars_that_it_has() -> None:
    assert set(spark_client_artifacts(HIVE_VERSION)) <= set(embedded_release().artifacts)


def test_a_client_that_nobody_pinned_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no Hive client 5\.0\.0"):
        spark_client_artifacts("5.0.0")


@pytest.mark.parametrize(("version", "sees"), [("", False), ("2.3.10", False), ("3.1.3", True), ("4.1.0", True)])
def test_clients_of_hive_3_and_later_are_shown_insert_only_tables(version: str, sees: bool) -> None:
    assert sees_insert_only(version) == sees
