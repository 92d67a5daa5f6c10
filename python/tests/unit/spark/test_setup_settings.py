"""The settings that any program of Spark's needs, beside those that it has."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hive_acid.metastore.types import ServerInfo
from hive_acid.spark import hive_client, shim
from hive_acid.spark.setup_settings import find_setup_settings, format_arguments, format_defaults

URIS = "thrift://host:9083"


@pytest.fixture(autouse=True)
def jar(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(shim, "find_shim_jar", lambda: Path("/package/jars/hive-acid-shim.jar"))
    return "/package/jars/hive-acid-shim.jar"


def test_what_others_have_set_stays_and_an_older_jar_of_ours_goes(jar: str) -> None:
    known = {
        "spark.jars": "/other.jar, /old/hive-acid-shim.jar",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    }
    settings = find_setup_settings(URIS, None, known)
    assert settings["spark.jars"] == f"/other.jar,{jar}"
    assert settings["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension,hiveacid.Extensions"
    assert settings["spark.sql.catalogImplementation"] == "hive"
    assert settings["spark.hadoop.hive.metastore.uris"] == URIS


def test_settings_that_were_printed_before_come_out_the_same() -> None:
    once = find_setup_settings(URIS, None, {})
    assert find_setup_settings(URIS, None, once).items() <= once.items()


def test_the_client_is_the_one_for_the_metastore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hive_client, "fetch_client_jars", lambda version: [Path(f"/client/{version}.jar")])
    server = ServerInfo(version="4.1.0", has_get_table=False, transforms_tables=False)
    settings = find_setup_settings(URIS, server, {})
    assert settings["spark.sql.hive.metastore.version"] == hive_client.NEWEST
    assert settings["spark.sql.hive.metastore.jars.path"] == f"file:/client/{hive_client.NEWEST}.jar"


def test_both_spellings_keep_blanks_and_backslashes(jar: str) -> None:
    settings = {"spark.jars": jar, "spark.hiveacid.python": "/a folder/\\python"}
    arguments = shlex.split(format_arguments(settings))
    assert arguments == ["--jars", jar, "--conf", "spark.hiveacid.python=/a folder/\\python"]
    assert format_defaults(settings).splitlines()[1] == "spark.hiveacid.python /a folder/\\\\python"
