"""The package and the jar that the JVM has belong together, or the session says which is which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyspark
import pytest

import hive_acid
from hive_acid.errors import ConfigurationError
from hive_acid.session import shim
from hive_acid.spark_lines import LINES, SHUFFLE_CHECK, line_settings


class FakeStream:
    """An open resource."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


class FakeProperties:
    """java.util.Properties."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def load(self, stream: FakeStream) -> None:
        self._values = dict(line.split("=", 1) for line in stream.text.splitlines())

    def stringPropertyNames(self) -> list[str]:  # noqa: N802 (as in Java)
        return list(self._values)

    def getProperty(self, key: str) -> str:  # noqa: N802 (as in Java)
        return self._values[key]


class FakeJvm:
    """A JVM whose class loader has this description of a shim, or none."""

    def __init__(self, description: str | None) -> None:
        self.stream = None if description is None else FakeStream(description)

    def __getattr__(self, name: str) -> Any:
        return self

    def currentThread(self) -> FakeJvm:  # noqa: N802 (as in Java)
        return self

    def getContextClassLoader(self) -> FakeJvm:  # noqa: N802 (as in Java)
        return self

    def getResourceAsStream(self, name: str) -> FakeStream | None:  # noqa: N802 (as in Java)
        assert name == "hiveacid/shim.properties"
        return self.stream

    def Properties(self) -> FakeProperties:  # noqa: N802 (as in Java)
        return FakeProperties()


@pytest.mark.parametrize("line", LINES)
def test_the_jar_is_that_of_the_running_line(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", f"{line}.7")
    monkeypatch.setattr(shim, "SHIM_JARS", tmp_path / "jars")
    with pytest.raises(ConfigurationError, match=rf"NO_SHIM.*lines of Spark: none\..*--line {line} jars"):
        shim.find_shim_jar()
    others = [other for other in LINES if other != line]
    for built in others:
        jar = tmp_path / "jars" / f"spark-{built}" / "hive-acid-shim.jar"
        jar.parent.mkdir(parents=True)
        jar.touch()
    (tmp_path / "jars" / f"spark-{line}").mkdir()
    with pytest.raises(ConfigurationError, match=rf"NO_SHIM.*lines of Spark: {', '.join(others)}\."):
        shim.find_shim_jar()
    (tmp_path / "jars" / f"spark-{line}" / "hive-acid-shim.jar").touch()
    assert shim.find_shim_jar() == tmp_path / "jars" / f"spark-{line}" / "hive-acid-shim.jar"


@pytest.mark.parametrize("version", ["3.4.4", "4.4.0", "5.0.0.dev1"])
def test_a_pyspark_of_another_line_is_refused_and_told_what_to_install(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    with pytest.raises(ConfigurationError, match="UNKNOWN_SPARK_LINE") as raised:
        shim.find_shim_jar()
    assert f"no shim for PySpark {version}, only for Spark 3.5, 4.0, 4.1, 4.2, 4.3" in str(raised.value)
    assert "`pip install 'pyspark==4.3.*'`" in str(raised.value)


def test_the_check_of_shuffles_is_switched_on_where_it_is_off_by_default() -> None:
    assert line_settings("4.1", {}) == {SHUFFLE_CHECK: "true"}
    assert line_settings("4.1", {SHUFFLE_CHECK: "false"}) == {}, "what a user says is not overruled: writes are refused"
    assert (
        line_settings("3.5", {})
        == line_settings("4.0", {})
        == line_settings("4.2", {})
        == line_settings("4.3", {})
        == {}
    )


@pytest.mark.parametrize("line", LINES)
def test_the_package_takes_its_own_jar_for_the_line_of_the_running_spark(line: str) -> None:
    jvm = FakeJvm(f"version={hive_acid.__version__}\nspark={line}\n")
    shim.refuse_other(jvm, f"{line}.1")
    assert jvm.stream is not None
    assert not jvm.stream.is_open


@pytest.mark.parametrize(
    ("description", "found"),
    [
        ("version=0.0.9\nspark=4.3\n", "version 0.0.9 for Spark 4.3"),
        (f"version={hive_acid.__version__}\nspark=4.1\n", f"version {hive_acid.__version__} for Spark 4.1"),
        (None, "version unknown for Spark unknown"),
    ],
)
def test_another_jar_is_refused_and_the_right_one_named(
    description: str | None, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shim, "find_shim_jar", lambda: "/right/hive-acid-shim.jar")
    with pytest.raises(ConfigurationError, match=r"the right one is /right/hive-acid-shim\.jar") as raised:
        shim.refuse_other(FakeJvm(description), "4.3.0")
    assert f"the shim's jar is of {found}, the package of version {hive_acid.__version__}" in str(raised.value)
