"""Fetch artifacts by the Ivy jar inside PySpark, so that pip and Java are all a user needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from xml.sax.saxutils import quoteattr

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid_downloads.artifacts import Artifact
from hive_acid_downloads.cache import file_sha256
from hive_acid_downloads.java import Java
from hive_acid_downloads.progress import Progress

_POLL_SECONDS = 0.5
_CAUSES: Final[Mapping[str, str]] = {
    r"Host .* not found|UnknownHost|Connect(ion)?( ?Exception| refused| timed out)|unreachable": (
        "HIVE_ACID_DOWNLOAD.NO_CONNECTION"
    ),
    r"SSLHandshake|PKIX|certificate": "HIVE_ACID_DOWNLOAD.CERTIFICATE_NOT_TRUSTED",
    r"No space left": "HIVE_ACID_DOWNLOAD.DISK_FULL",
}
"""The condition by what Ivy and Java say of it; the first that is found counts."""


def download(
    artifacts: Sequence[Artifact], target: Path, kept: Path | None, java: Java, what: str, progress: Progress
) -> None:
    """Put every artifact's file into the folder `target`, each checked against its SHA-256.

    Files of `kept` that are right are taken from there. Files that Ivy had fetched before it failed stay beside
    `target` and are not fetched again. `what` names the artifacts for the user. Raises HIVE_ACID_DOWNLOAD.
    """
    for artifact in artifacts:
        old = kept / artifact.file_name if kept else None
        if old and old.is_file() and file_sha256(old) == artifact.sha256:
            shutil.copy2(old, target / artifact.file_name)
    missing = _wrong(artifacts, target)
    ivy_cache = target.parent / "ivy"
    for attempt in (1, 2):
        if not missing:
            break
        if attempt == 2:
            progress(f"{what}: {len(missing)} files came in damaged, fetching them again")
            shutil.rmtree(ivy_cache)
        output = _run_ivy(missing, target, ivy_cache, java, what, progress)
        absent = [artifact.file_name for artifact in missing if not (target / artifact.file_name).is_file()]
        if absent:
            raise _unavailable(absent, output, ivy_cache, what)
        missing = _wrong(artifacts, target)
    if missing:
        log = _kept_log(output, ivy_cache)
        files = ", ".join(artifact.file_name for artifact in missing)
        raise build_error("HIVE_ACID_DOWNLOAD.ARTIFACT_CORRUPT", what=what, files=files, log=log)
    shutil.rmtree(ivy_cache, ignore_errors=True)


def _wrong(artifacts: Sequence[Artifact], folder: Path) -> list[Artifact]:
    """The artifacts whose file is not in the folder or is not the one that was pinned; wrong files are removed."""
    wrong = []
    for artifact in artifacts:
        path = folder / artifact.file_name
        if not path.is_file():
            wrong.append(artifact)
        elif file_sha256(path) != artifact.sha256:
            path.unlink()
            wrong.append(artifact)
    return wrong


def _run_ivy(
    artifacts: Sequence[Artifact], target: Path, ivy_cache: Path, java: Java, what: str, progress: Progress
) -> str:
    """Ask Ivy for the artifacts and return what it said, whatever its exit code: the files are what counts."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".ivy-") as scratch:
        module, output = Path(scratch) / "ivy.xml", Path(scratch) / "output"
        module.write_text(_ivy_module(artifacts), "utf-8")
        command = [
            str(java.path),
            # Keeps Ivy's own folder out of the user's home.
            f"-Divy.default.ivy.user.dir={scratch}",
            *("-jar", str(_ivy_jar(what)), "-warn", "-cache", str(ivy_cache), "-ivy", str(module)),
            # Types of the main artifact in the POMs of such lists, and those of the artifacts named with one.
            *("-types", "jar", "bundle", "maven-plugin", *sorted({_type(a) for a in artifacts} - {"jar"})),
            *("-retrieve", f"{target}/[artifact]-[revision](-[classifier]).[ext]"),
        ]
        with output.open("wb") as sink:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink)
            try:
                _report_until_done(process, len(artifacts), ivy_cache, what, progress)
            finally:
                process.kill()
                process.wait()
        return output.read_text("utf-8", "replace")


def _report_until_done(
    process: subprocess.Popen[bytes], expected: int, ivy_cache: Path, what: str, progress: Progress
) -> None:
    last = ""
    while process.poll() is None:
        count, size_bytes = _arrived(ivy_cache)
        text = f"fetching {what}: {min(count, expected)} of {expected} files, {size_bytes // 1_000_000} MB"
        if text != last:
            progress(text)
            last = text
        try:
            process.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            continue


def _arrived(ivy_cache: Path) -> tuple[int, int]:
    count = size_bytes = 0
    for folder, _, names in os.walk(ivy_cache):
        for name in names:
            if name.endswith((".jar", ".jar.part", ".gz", ".gz.part")):
                count += not name.endswith(".part")
                try:
                    size_bytes += (Path(folder) / name).stat().st_size
                except FileNotFoundError:  # Ivy renamed it meanwhile; the next look counts it
                    continue
    return count, size_bytes


def _ivy_jar(what: str) -> Path:
    folders = [*dict.fromkeys(_spark_folders())]
    for folder in folders:
        for jar in sorted(folder.glob("ivy-*.jar")):
            return jar
    searched = ", ".join(map(str, folders)) or sys.prefix
    raise build_error("HIVE_ACID_DOWNLOAD.IVY_NOT_FOUND", what=what, searched=searched)


def _spark_folders() -> Iterator[Path]:
    """Where jars of Spark's may lie: in PySpark, in the installation, and on the class path of a container.

    spark-submit puts PySpark as a zip before the one that is installed, so the module alone does not tell.
    """
    spec = find_spec("pyspark")  # finds the folder without importing pyspark
    yield from (Path(place) / "jars" for place in (spec.submodule_search_locations if spec else None) or ())
    if home := os.environ.get("SPARK_HOME"):
        yield Path(home) / "jars"
    yield from (Path(place) / "pyspark" / "jars" for place in sys.path if place and Path(place).is_dir())
    entries = os.environ.get("CLASSPATH", "").split(os.pathsep)
    yield from (Path(entry).parent for entry in entries if entry.endswith("/*"))


def _ivy_module(artifacts: Sequence[Artifact]) -> str:
    lines = [
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">',
        '<info organisation="hive-acid" module="local"/><dependencies>',
    ]
    for artifact in artifacts:
        name = quoteattr(artifact.name)
        classifier = f" m:classifier={quoteattr(artifact.classifier)}" if artifact.classifier else ""
        kind = f"type={quoteattr(_type(artifact))} ext={quoteattr(artifact.extension)}{classifier}"
        inner = "" if _type(artifact) == "jar" else f"<artifact name={name} {kind}/>"
        lines.append(
            f"<dependency org={quoteattr(artifact.group)} name={name} rev={quoteattr(artifact.version)} "
            f'transitive="false">{inner}</dependency>'
        )
    return "\n".join([*lines, "</dependencies></ivy-module>"])


def _type(artifact: Artifact) -> str:
    """Ivy's word for an artifact's kind. A main jar is not named: its POM says what its packaging is called."""
    return artifact.classifier or artifact.extension


def _unavailable(absent: Sequence[str], output: str, ivy_cache: Path, what: str) -> HiveAcidError:
    found = (condition for pattern, condition in _CAUSES.items() if re.search(pattern, output))
    shown = ", ".join(absent[:3]) + (f" and {len(absent) - 3} more" if len(absent) > 3 else "")
    log = _kept_log(output, ivy_cache)
    return build_error(
        next(found, "HIVE_ACID_DOWNLOAD.ARTIFACT_UNAVAILABLE"), what=what, files=shown, cache=ivy_cache, log=log
    )


def _kept_log(output: str, ivy_cache: Path) -> Path:
    log = ivy_cache.parent / "download.log"
    log.write_text(output, "utf-8")
    return log
