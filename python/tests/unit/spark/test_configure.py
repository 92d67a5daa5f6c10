"""Which metastore `configure` takes, before anything is started."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hive_acid
from hive_acid import config
from hive_acid.spark.session import find_early_settings

TIMEOUT = "hive.metastore.client.socket.timeout"
SITE = """\
<configuration>
  <property><name>hive.metastore.client.socket.timeout</name><value>10s</value></property>
  <property><name>{name}</name><value>thrift://site:9083, thrift://other:9083</value></property>
</configuration>
"""


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_CONF_DIR", "HIVE_CONF_DIR", "HADOOP_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)


def chosen_uris(options: Mapping[str, str], metastore: str | None = None) -> str:
    builder = SparkSession.Builder()
    for key, value in options.items():
        builder = builder.config(key, value)
    uris: str = hive_acid.configure(builder, metastore)._options[config.METASTORE_URIS.key]
    return uris


@pytest.mark.parametrize("name", ["hive.metastore.uris", "metastore.thrift.uris"])
@pytest.mark.parametrize("folder", ["HIVE_CONF_DIR", "SPARK_CONF_DIR", "HADOOP_CONF_DIR"])
def test_hive_site_names_the_metastore_by_either_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, folder: str
) -> None:
    (tmp_path / "hive-site.xml").write_text(SITE.format(name=name))
    monkeypatch.setenv(folder, str(tmp_path))
    assert chosen_uris({}) == "thrift://site:9083, thrift://other:9083"


@pytest.mark.parametrize(
    ("configured", "expected_ms"),
    [
        ({}, 10_000),
        ({f"spark.{TIMEOUT}": "20s"}, 20_000),
        ({f"spark.{TIMEOUT}": "20s", f"spark.hadoop.{TIMEOUT}": "30s"}, 30_000),
        ({f"spark.hadoop.{TIMEOUT}": "30s", config.METASTORE_TIMEOUT_MS.key: "40"}, 40),
    ],
)
def test_sparks_settings_for_hive_come_before_hive_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configured: Mapping[str, str], expected_ms: int
) -> None:
    (tmp_path / "hive-site.xml").write_text(SITE.format(name="hive.metastore.uris"))
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    assert find_early_settings(configured).number(config.METASTORE_TIMEOUT_MS) == expected_ms


def test_of_two_files_the_first_one_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, text in (("HIVE_CONF_DIR", "5s"), ("SPARK_CONF_DIR", "7s")):
        folder = tmp_path / variable
        folder.mkdir()
        entry = f"<property><name>{TIMEOUT}</name><value> {text} </value></property>"
        (folder / "hive-site.xml").write_text(f"<configuration>{entry}</configuration>")
        monkeypatch.setenv(variable, str(folder))
    assert find_early_settings({}).number(config.METASTORE_TIMEOUT_MS) == 7000


@pytest.mark.parametrize(
    "key", ["spark.hadoop.hive.metastore.uris", "spark.hadoop.metastore.thrift.uris", "spark.hive.metastore.uris"]
)
def test_the_builder_names_it_before_hive_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    (tmp_path / "hive-site.xml").write_text(SITE.format(name="hive.metastore.uris"))
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    assert chosen_uris({key: "thrift://built:9083"}) == "thrift://built:9083"
    assert chosen_uris({key: "thrift://built:9083"}, "thrift://given:9083") == "thrift://given:9083"
