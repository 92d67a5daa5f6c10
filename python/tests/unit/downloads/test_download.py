"""Downloads are checked file by file. A small shell script plays Java with its Ivy."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from hive_acid.errors import LocalMetastoreError
from hive_acid_downloads import download as ivy_module
from hive_acid_downloads.artifacts import Artifact
from hive_acid_downloads.download import download
from hive_acid_downloads.java import Java
from hive_acid_local.artifacts import embedded_release, platform_name

GOOD = "the content that was published"


def artifact(name: str, classifier: str = "", extension: str = "jar") -> Artifact:
    return Artifact("org.example", name, "1.0", classifier, extension, hashlib.sha256(GOOD.encode()).hexdigest())


ONE, TWO = artifact("one"), artifact("two", "src", "tar.gz")


class FakeIvy:
    """Writes, for each artifact in the ivy.xml it is given, the content it is told to; logs what it was asked."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.asked, self.says = folder / "asked", folder / "says"
        self.content, self.refuses = folder / "content", folder / "refuses"
        self.says.touch()
        self.content.write_text(GOOD)
        self.refuses.touch()
        script = folder / "java"
        script.write_text(
            f"""#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in -ivy) module=$2 ;; -retrieve) target=${{2%/*}} ;; -cache) cache=$2 ;; esac
  shift
done
mkdir -p "$cache"
cat "{self.says}"
grep -o '<dependency org="[^"]*" name="[^"]*"' "$module" | sed 's/.*name="//; s/"//' | while read -r name; do
  echo "$name" >> "{self.asked}"
  grep -q "^$name$" "{self.refuses}" && continue
  case $name in two) file=two-1.0-src.tar.gz ;; *) file=$name-1.0.jar ;; esac
  cat "{self.content}" > "$target/$file"
done
"""
        )
        script.chmod(0o755)
        self.java = Java(script, 17)

    def fetch(self, target: Path, kept: Path | None = None) -> None:
        target.mkdir()
        download([ONE, TWO], target, kept, self.java, "the test", progress=lambda _: None)


@pytest.fixture
def ivy(tmp_path: Path) -> FakeIvy:
    return FakeIvy(tmp_path / "fake")


def test_every_file_arrives_and_ivys_own_cache_goes(ivy: FakeIvy, tmp_path: Path) -> None:
    ivy.fetch(tmp_path / "target")
    assert sorted(path.name for path in (tmp_path / "target").iterdir()) == ["one-1.0.jar", "two-1.0-src.tar.gz"]
    assert not (tmp_path / "ivy").exists()


def test_good_files_of_a_damaged_entry_are_not_fetched_again(ivy: FakeIvy, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "one-1.0.jar").write_text(GOOD)
    (tmp_path / "old" / "two-1.0-src.tar.gz").write_text(GOOD[:-1])
    ivy.fetch(tmp_path / "target", kept=tmp_path / "old")
    assert ivy.asked.read_text().split() == ["two"]
    assert (tmp_path / "target" / "two-1.0-src.tar.gz").read_text() == GOOD


def test_a_file_that_is_not_what_was_pinned_is_refused_after_a_second_try(ivy: FakeIvy, tmp_path: Path) -> None:
    ivy.content.write_text("a login page of the hotel")
    with pytest.raises(LocalMetastoreError) as raised:
        ivy.fetch(tmp_path / "target")
    assert raised.value.getCondition() == "HIVE_ACID_DOWNLOAD.ARTIFACT_CORRUPT"
    assert raised.value.getMessageParameters()["files"] == "one-1.0.jar, two-1.0-src.tar.gz"
    assert ivy.asked.read_text().split() == ["one", "two"] * 2
    assert list((tmp_path / "target").iterdir()) == []


@pytest.mark.parametrize(
    ("says", "sub"),
    [
        ("Server access error at url … (java.net.UnknownHostException: repo)", "NO_CONNECTION"),
        ("java.net.ConnectException: Connection refused", "NO_CONNECTION"),
        ("javax.net.ssl.SSLHandshakeException: PKIX path building failed", "CERTIFICATE_NOT_TRUSTED"),
        ("java.io.IOException: No space left on device", "DISK_FULL"),
        ("module not found: org.example#two;1.0", "ARTIFACT_UNAVAILABLE"),
    ],
)
def test_a_file_that_does_not_come_is_named_with_the_reason(ivy: FakeIvy, tmp_path: Path, says: str, sub: str) -> None:
    ivy.says.write_text(says + "\n")
    ivy.refuses.write_text("two\n")
    with pytest.raises(LocalMetastoreError) as raised:
        ivy.fetch(tmp_path / "target")
    assert raised.value.getCondition() == f"HIVE_ACID_DOWNLOAD.{sub}"
    assert raised.value.getMessageParameters()["files"] == "two-1.0-src.tar.gz"
    assert says in Path(raised.value.getMessageParameters()["log"]).read_text()
    assert (tmp_path / "ivy").exists()  # what came in is kept for the next try


def test_every_artifact_is_pinned_by_its_hash() -> None:
    pinned = embedded_release().artifacts
    assert len(pinned) == 50
    assert all(len(artifact.sha256) == 64 for artifact in pinned)
    assert len({artifact.file_name for artifact in pinned}) == 50


@pytest.mark.parametrize(
    ("system", "machine", "libc", "name"),
    [
        ("linux", "x86_64", "glibc", "linux-amd64"),
        ("linux", "aarch64", "glibc", "linux-arm64v8"),
        ("linux", "x86_64", "", "linux-amd64-alpine"),
        ("darwin", "arm64", "", "darwin-arm64v8"),
        ("linux", "riscv64", "glibc", "linux-riscv64"),
    ],
)
def test_the_platform_is_named_as_the_postgresql_binaries_are(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, libc: str, name: str
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("platform.libc_ver", lambda: (libc, ""))
    assert platform_name() == name


def test_ivy_is_found_where_spark_submit_puts_pyspark_as_a_zip_first() -> None:
    zips = sorted((Path(pyspark.__file__).parent / "python" / "lib").glob("*.zip"))
    environment = {key: value for key, value in os.environ.items() if key not in {"SPARK_HOME", "CLASSPATH"}}
    program = "from importlib.util import find_spec; from hive_acid_downloads import download;"
    program += "print(find_spec('pyspark').submodule_search_locations[0]); print(download._ivy_jar('it'))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"PYTHONPATH": os.pathsep.join(map(str, zips))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    place, jar = done.stdout.splitlines()
    assert "pyspark.zip" in place
    assert Path(jar).is_file()


@pytest.mark.parametrize(("variable", "value"), [("SPARK_HOME", "{0}"), ("CLASSPATH", "{0}/conf:{0}/jars/*")])
def test_ivy_is_found_in_the_spark_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    jar = tmp_path / "jars" / "ivy-2.5.3.jar"
    jar.parent.mkdir()
    jar.touch()
    monkeypatch.setattr(ivy_module, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "path", [])
    for name in ("SPARK_HOME", "CLASSPATH"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(LocalMetastoreError, match="IVY_NOT_FOUND"):
        ivy_module._ivy_jar("it")
    monkeypatch.setenv(variable, value.format(tmp_path))
    assert ivy_module._ivy_jar("it") == jar
