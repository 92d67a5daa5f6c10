"""Nothing in the repository belongs to one machine."""

from __future__ import annotations

import re
import subprocess

import pytest

import hive_acid
from architecture.documents import ROOT
from hive_acid.older_python import tomllib
from hive_acid.spark_lines import LINES, line_of

HOME = re.compile(r"/(?:root|home/[a-z]\w*|Users/[A-Za-z]\w*|work|mnt|srv|opt)/")
URL_HOST = re.compile(r"\b[a-z][a-z0-9]+://(?:[^/@\s\"'`<>]*@)?([a-zA-Z0-9.-]+)")
ADDRESS = re.compile(r"\b(?:10|172|192|100)(?:\.\d{1,3}){3}:\d+\b")

PUBLIC_HOSTS = re.compile(
    r"localhost|[\w-]+"  # a placeholder of one word
    r"|127\.0\.0\.1|0\.0\.0\.0"
    r"|(?:[\w-]+\.)*(?:apache\.org|maven\.org|python\.org|scala-lang\.org|keepachangelog\.com|semver\.org|w3\.org)"
    r"|(?:[\w-]+\.)*(?:example|invalid|test|example\.(?:com|org))"  # reserved by RFC 2606
    r"|github\.com"
)


def tracked_files() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def machine_traces(text: str) -> list[str]:
    """Paths of somebody's machine and hosts that are not public."""
    hosts = (host.rstrip(".") for host in URL_HOST.findall(text))
    foreign = [host for host in hosts if not PUBLIC_HOSTS.fullmatch(host)]
    return [*HOME.findall(text), *ADDRESS.findall(text), *foreign]


def test_the_package_has_the_version_of_the_project() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert hive_acid.__version__ == declared, "the build gives the jar the project's"


def test_every_place_that_lists_the_lines_of_spark_lists_the_same() -> None:
    build, dev, project = ((ROOT / name).read_text("utf-8") for name in ("build.sbt", "dev", "pyproject.toml"))
    versions = re.search(r"^val lines =\s+Map\((.*)\)$", build, re.MULTILINE)
    wanted = re.search(r"^LINES=\(([^)]*)\)", dev, re.MULTILINE)
    allowed = re.search(r'"pyspark>=([\d.]+),<(\d+)\.(\d+)"', project)
    assert versions
    assert wanted
    assert allowed
    assert tuple(re.findall(r'"([\d.]+)" ->', versions[1])) == LINES
    assert tuple(re.findall(r'^lazy val \w+ = sparkLine\("(.*)"\)$', build, re.MULTILINE)) == LINES
    assert tuple(wanted[1].split()) == LINES
    assert allowed[1] == LINES[0]
    assert f"{allowed[2]}.{int(allowed[3]) - 1}" == LINES[-1]
    locked = {path.name for path in ROOT.glob("requirements-spark-*.lock")}
    assert locked == {f"requirements-spark-{line}.lock" for line in LINES[:-1]}, "requirements-dev.lock has the newest"
    judged = {path.name for path in (ROOT / "jvm-shim/lines").glob("spark-*")}
    assert judged == {f"spark-{line}" for line in LINES}


def test_every_place_that_names_the_maven_group_names_the_same() -> None:
    patterns = {
        "build.sbt": r'organization := "([^"]+)"',
        "dev": r"GROUP=(\S+)",
        "docs/guide/jvm.md": r"--packages (\S+):hive-acid-shim",
        "python/tests/integration/test_maven_module.py": r'GROUP = "([^"]+)"',
    }
    named = {name: re.findall(pattern, (ROOT / name).read_text("utf-8")) for name, pattern in patterns.items()}
    assert len({tuple(groups) for groups in named.values()}) == 1, named


@pytest.mark.parametrize("line", LINES)
def test_the_lock_of_a_line_pins_a_pyspark_of_that_line(line: str) -> None:
    name = "requirements-dev.lock" if line == LINES[-1] else f"requirements-spark-{line}.lock"
    pinned = re.findall(r"^pyspark==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE)
    assert [line_of(version) for version in pinned] == [line]


def test_no_tracked_file_names_a_machine() -> None:
    found = {}
    for name in tracked_files():
        try:
            text = (ROOT / name).read_text("utf-8")
        except UnicodeDecodeError:
            continue  # binary
        if name != "python/tests/architecture/test_repository.py" and (traces := machine_traces(text)):
            found[name] = traces
    assert found == {}


@pytest.mark.parametrize(
    "text",
    ["see /home/ada/data", "cd /root/x", "https://pypi.corp.internal/simple", "thrift://meta.corp:9083", "10.1.2.3:80"],
)
def test_a_trace_of_a_machine_is_found(text: str) -> None:
    assert machine_traces(text)


@pytest.mark.parametrize(
    "text", ["thrift://host:9083", "https://repo1.maven.org/maven2", "derby 10.14.2.0", "hdfs://h/x"]
)
def test_public_and_made_up_hosts_are_no_traces(text: str) -> None:
    assert machine_traces(text) == []
