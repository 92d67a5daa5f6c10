"""Which metastore `configure` takes and which it refuses, before anything is started."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

import hive_acid
import hive_acid_local
from hive_acid import cli, config
from hive_acid.errors import ConfigurationError, MetastoreUnavailable, build_error
from hive_acid.session import builder, early_settings, setup_settings, shim
from hive_acid.session.early_settings import find_early_settings
from hive_acid.transport import PLAIN, read_transport

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
    monkeypatch.setattr(builder, "find_running_settings", dict)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(shim, "find_shim_jar", lambda: Path("shim.jar"))  # a checkout need not have it


def test_a_package_without_the_jar_of_this_line_is_refused_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> Path:
        raise build_error("HIVE_ACID_CONFIGURATION.NO_SHIM", version="0", jar="no.jar", lines="none", line="0")

    monkeypatch.setattr(shim, "find_shim_jar", fail)
    monkeypatch.setattr(builder, "_start_embedded", lambda: pytest.fail("an embedded metastore was started"))
    with pytest.raises(ConfigurationError, match="NO_SHIM"):
        hive_acid.configure(SparkSession.Builder())


def chosen_uris(options: Mapping[str, str], metastore: str | None = None) -> str:
    unconfigured = SparkSession.Builder().config(map=dict(options))
    uris: str = hive_acid.configure(unconfigured, metastore)._options[config.METASTORE_URIS.key]
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


def test_spark_defaults_name_it_before_hive_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hive-site.xml").write_text(SITE.format(name="hive.metastore.uris"))
    lines = ("# spark.hadoop.hive.metastore.uris thrift://commented:9083", "", "spark.x  a=b", "spark.y = c d ")
    (tmp_path / "spark-defaults.conf").write_text("\n".join((*lines, "spark.hive.metastore.uris=thrift://d:9083")))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    expected = {"spark.x": "a=b", "spark.y": "c d", "spark.hive.metastore.uris": "thrift://d:9083"}
    assert early_settings.read_spark_defaults() == expected
    assert chosen_uris({}) == "thrift://d:9083"
    assert chosen_uris({"spark.hive.metastore.uris": "thrift://built:9083"}) == "thrift://built:9083"


def test_the_jvm_that_runs_names_it_before_hive_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hive-site.xml").write_text(SITE.format(name="hive.metastore.uris"))
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    submitted = {"spark.hadoop.hive.metastore.uris": "thrift://submitted:9083"}
    monkeypatch.setattr(builder, "find_running_settings", lambda: submitted)
    assert chosen_uris({}) == "thrift://submitted:9083"
    assert chosen_uris({}, "thrift://given:9083") == "thrift://given:9083"


class Embedded:
    """Counts its starts."""

    starts = 0
    warehouse = Path("/warehouse")

    @classmethod
    def start(cls) -> Embedded:
        cls.starts += 1
        return cls()

    @property
    def uri(self) -> str:
        return f"thrift://127.0.0.1:{9083 + self.starts}"

    def stop(self) -> None:
        pass


def test_a_process_has_one_embedded_metastore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hive_acid_local, "EmbeddedMetastore", Embedded)
    monkeypatch.setattr(builder, "_embedded", [])
    assert chosen_uris({}) == chosen_uris({}) == "thrift://127.0.0.1:9084"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hive.metastore.client.auth.mode", "JWT"),
        ("metastore.client.auth.mode", "JWT"),
        ("hive.metastore.client.thrift.transport.mode", "carrier"),
        ("metastore.client.thrift.transport.mode", "carrier"),
        ("hive.metastore.thrift.framed.transport.enabled", "true"),
        ("hive.metastore.thrift.compact.protocol.enabled", "true"),
        ("hive.metastore.service.discovery.mode", "zookeeper"),
        ("metastore.service.discovery.mode", "zookeeper"),
    ],
)
def test_a_way_to_the_metastore_that_is_not_there_is_refused_before_a_connection_or_a_jvm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setattr(setup_settings, "load_jvm_settings", pytest.fail)
    monkeypatch.setattr(setup_settings, "ThriftMetastore", pytest.fail)
    metastore = "thrift://127.0.0.1:9083"

    def refuse(options: Mapping[str, str]) -> None:
        with pytest.raises(ConfigurationError) as caught:
            hive_acid.configure(SparkSession.Builder().config(map=dict(options)), metastore).getOrCreate()
        assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_CONNECTION"
        assert caught.value.getMessageParameters()["name"] == name
        assert caught.value.getMessageParameters()["value"] == value

    refuse({f"spark.hadoop.{name}": value})
    if name.startswith("hive."):
        refuse({f"spark.{name}": value})
    entry = f"<property><name>{name}</name><value>{value}</value></property>"
    (tmp_path / "hive-site.xml").write_text(f"<configuration>{entry}</configuration>")
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    refuse({})


def test_a_plain_way_that_is_spelled_out_is_taken() -> None:
    plain = {
        "hive.metastore.sasl.enabled": "false",
        "hive.metastore.use.SSL": "False",
        "hive.metastore.client.auth.mode": "NOSASL",
        "metastore.client.thrift.transport.mode": "binary",
        "metastore.service.discovery.mode": "",
    }
    assert read_transport(plain.get) == PLAIN


@pytest.mark.parametrize(
    ("uris", "sub"),
    [
        ("http://host:1", "INVALID_METASTORE_ADDRESS"),
        ("thrift://", "INVALID_METASTORE_ADDRESS"),
        ("host:9083", "INVALID_METASTORE_ADDRESS"),
        ("thrift://host:port", "UNPARSABLE_METASTORE_ADDRESS"),
        (" , ", "NO_METASTORE_ADDRESS"),
    ],
)
def test_an_address_that_is_none_is_refused_before_a_jvm(monkeypatch: pytest.MonkeyPatch, uris: str, sub: str) -> None:
    monkeypatch.setattr(setup_settings, "load_jvm_settings", pytest.fail)
    with pytest.raises(ConfigurationError) as caught:
        hive_acid.configure(SparkSession.Builder(), uris).getOrCreate()
    assert caught.value.getCondition() == f"HIVE_ACID_CONFIGURATION.{sub}"


def test_a_metastore_that_does_not_answer_is_named_before_a_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_settings, "load_jvm_settings", pytest.fail)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        uris = f"thrift://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(MetastoreUnavailable) as caught:
            impatient = SparkSession.Builder().config("spark.hiveacid.metastore.connectTimeoutMs", "0")
            hive_acid.configure(impatient, uris).getOrCreate()
    assert uris in str(caught.value)


@pytest.mark.parametrize("command", ["txn status 1", "doctor", "history a.b", "initiator", "worker", "settings"])
def test_the_commands_refuse_another_way_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    entry = "<property><name>hive.metastore.client.auth.mode</name><value>JWT</value></property>"
    (tmp_path / "hive-site.xml").write_text(f"<configuration>{entry}</configuration>")
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    monkeypatch.setattr(setup_settings, "load_jvm_settings", pytest.fail)
    assert cli.main([*command.split(), "--metastore", "thrift://127.0.0.1:9083"]) == 2
    assert "HIVE_ACID_UNSUPPORTED_CONNECTION" in capsys.readouterr().err
