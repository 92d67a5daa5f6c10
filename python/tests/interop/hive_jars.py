"""What a Hive engine is made of, in the cache folder: its jars, the metastore's schema scripts, the compiled driver.

`jars-VERSION.txt` is flat and pinned, since resolving hive-exec transitively by Ivy does not end. It holds the jars
from which the tests of this folder load a class, and those that failures and rarer statements would need.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hive_acid.errors import LocalMetastoreError
from hive_acid_downloads.artifacts import Artifact, parse_artifacts
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.download import download
from hive_acid_downloads.java import Java, find_java
from hive_acid_local.artifacts import SCHEMA_SOURCE, embedded_release
from support.unreachable import is_unreachable

HERE = Path(__file__).parent
DRIVER = HERE / "driver"


class EngineUnavailable(Exception):
    """This machine cannot get a Hive engine: its files cannot be fetched, or there is no Java compiler."""


@dataclass(frozen=True)
class Installation:
    """A Hive release on this machine. `schema` are the scripts for an empty Derby database, in order."""

    version: str
    java: Java
    jars: tuple[Path, ...]
    classes: Path
    schema: tuple[Path, ...]


def hive_installation(version: str) -> Installation:
    """Hive `version`, fetched and the driver compiled at the first call.

    Raises EngineUnavailable, LocalMetastoreError, or RuntimeError if the driver does not compile.
    """
    java = find_java()
    folder = cache_folder() / "hive-engines"
    with cache_lock(folder, _print_progress):
        try:
            jars = _jars(folder, version, java)
            scripts = _schema_scripts(folder, java)
        except LocalMetastoreError as error:
            if is_unreachable(error):
                raise EngineUnavailable(str(error)) from error
            raise
        classes = _compiled_driver(folder, version, jars, java)
    line = "3.1.0" if version.startswith("3.") else "4.0.0"
    changes = [path for path in (DRIVER / f"metastore-{version}.derby.sql",) if path.exists()]
    return Installation(version, java, jars, classes, (scripts / f"hive-schema-{line}.derby.sql", *changes))


def engine_artifacts(version: str) -> Sequence[Artifact]:
    """The pinned list of a release."""
    return parse_artifacts((HERE / f"jars-{version}.txt").read_text("utf-8"))


def _jars(folder: Path, version: str, java: Java) -> tuple[Path, ...]:
    artifacts = engine_artifacts(version)

    def fetch(target: Path, damaged: Path | None) -> None:
        download(artifacts, target, damaged, java, f"Hive {version}", _print_progress)

    digest = _digest(*(artifact.sha256.encode() for artifact in artifacts))
    entry = whole_entry(folder / f"{version}-{digest}", fetch, _print_progress)
    return tuple(entry / artifact.file_name for artifact in artifacts)


def _schema_scripts(folder: Path, java: Java) -> Path:
    """The folder of Derby's schema scripts, out of the source archive that the embedded metastore uses too."""
    source = next(artifact for artifact in embedded_release().artifacts if artifact.name == SCHEMA_SOURCE)

    def fetch(target: Path, _: Path | None) -> None:
        download([source], target, None, java, "the metastore's schema", _print_progress)
        with tarfile.open(target / source.file_name) as archive:
            for member in archive:
                content = archive.extractfile(member) if "/sql/derby/hive-schema-" in member.name else None
                if content is not None:
                    (target / Path(member.name).name).write_bytes(content.read())
        (target / source.file_name).unlink()

    return whole_entry(folder / f"schema-{source.version}", fetch, _print_progress)


def _compiled_driver(folder: Path, version: str, jars: Sequence[Path], java: Java) -> Path:
    sources = [*DRIVER.glob("*.java"), *(DRIVER / ("hive-3" if version.startswith("3.") else "hive-4")).glob("*.java")]
    sources.sort()

    def compile_driver(target: Path, _: Path | None) -> None:
        command = [_javac(java), "-proc:none", "-nowarn", "-cp", os.pathsep.join(map(str, jars)), "-d", str(target)]
        done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the driver does not compile against Hive {version}:\n{done.stdout}{done.stderr}")

    digest = _digest(*(source.read_bytes() for source in sources))
    return whole_entry(folder / f"driver-{version}-{digest}", compile_driver, _print_progress)


def _javac(java: Java) -> str:
    beside = java.path.resolve().parent / "javac"
    found = str(beside) if beside.exists() else shutil.which("javac")
    if found is None:
        raise EngineUnavailable(f"no javac beside {java.path} or on the PATH: a JRE is not enough for the Hive engines")
    return found


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\n".join(parts)).hexdigest()[:12]


def _print_progress(line: str) -> None:
    sys.stderr.write(f"interop: {line}\n")
