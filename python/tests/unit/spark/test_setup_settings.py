"""The settings that any program of Spark's needs, beside those that it has."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
import yaml

from hive_acid import cli
from hive_acid.metastore.types import ServerInfo
from hive_acid.session import hive_client, setup_settings, shim
from hive_acid.session.setup_settings import find_setup_settings, format_arguments
from hive_acid_ops.commands.settings import format_dbt, format_defaults

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


WAREHOUSE = "spark.sql.warehouse.dir"


def test_databases_are_made_where_the_metastore_makes_them() -> None:
    server = ServerInfo("3.0", has_get_table=True, transforms_tables=False, warehouse="hdfs://nn/warehouse")
    assert find_setup_settings(URIS, server, {})[WAREHOUSE] == "hdfs://nn/warehouse"
    for named in (WAREHOUSE, "spark.hadoop.hive.metastore.warehouse.dir", "spark.hive.metastore.warehouse.dir"):
        assert WAREHOUSE not in find_setup_settings(URIS, server, {named: "s3a://mine"}), named


def test_without_a_metastore_hive_site_says_where_databases_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, value = "hive.metastore.warehouse.dir", "/warehouse"
    (tmp_path / "hive-site.xml").write_text(
        f"<configuration><property><name>{name}</name><value>{value}</value></property></configuration>"
    )
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    assert find_setup_settings(URIS, None, {})[WAREHOUSE] == "/warehouse"


def test_all_spellings_keep_blanks_and_backslashes(jar: str) -> None:
    settings = {"spark.jars": jar, "spark.hiveacid.python": "/a folder/\\python"}
    arguments = shlex.split(format_arguments(settings))
    assert arguments == ["--jars", jar, "--conf", "spark.hiveacid.python=/a folder/\\python"]
    assert format_defaults(settings).splitlines()[1] == "spark.hiveacid.python /a folder/\\\\python"
    told = yaml.safe_load(format_dbt(settings))
    assert told["server_side_parameters"] == settings
    (package,) = told["packages"]
    assert (Path(package["local"]) / "dbt_project.yml").exists()


@pytest.mark.parametrize(
    ("form", "first"),
    [("defaults", "spark.jars "), ("arguments", "--jars "), ("dbt", 'server_side_parameters:\n  "spark.jars": "')],
)
def test_the_command_prints_them_in_each_form(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], jar: str, form: str, first: str
) -> None:
    server = ServerInfo(version="3.0", has_get_table=True, transforms_tables=False)
    monkeypatch.setattr(setup_settings, "ask_server", lambda *_: server)
    monkeypatch.setattr(setup_settings, "read_spark_defaults", lambda: {"spark.jars": "/other.jar"})
    assert cli.main(["settings", "--metastore", URIS, "--format", form]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{first}/other.jar,{jar}")
    assert sys.executable in printed
