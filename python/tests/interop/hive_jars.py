"""The artifacts of a Hive engine, fetched from Maven Central into a cache folder by the Ivy that PySpark ships.

The lists are flat and pinned (`jars-VERSION.txt`, one `group:artifact:version` a line): resolving hive-exec transitively by Ivy
does not end.
"""

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pyspark

HERE = Path(__file__).parent
DRIVER = HERE / "driver"
# The only artifact on Maven Central that holds the schema scripts of every metastore from 3.1 to 4.0 (4 MB).
SCHEMA_SOURCE = ("org.apache.hive", "hive-standalone-metastore", "4.0.1")


def cache_root() -> Path:
    """Where engines are kept: HIVE_ACID_CACHE, else XDG_CACHE_HOME/spark-hive-acid, else ~/.cache/spark-hive-acid."""
    chosen = os.environ.get("HIVE_ACID_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spark-hive-acid"


def java_tool(name: str) -> str:
    """The path of `java` or `javac`: of JAVA_HOME, else of the PATH. Raises RuntimeError if there is none."""
    home = os.environ.get("JAVA_HOME")
    path = shutil.which(name, path=str(Path(home) / "bin")) if home else shutil.which(name)
    if path is None:
        raise RuntimeError(f"{name} was not found: the Hive engines need a JDK 17 (a JRE has no javac); set JAVA_HOME to one")
    return path


def engine_folder(version: str) -> Path:
    """The folder of a Hive release: `lib/*.jar`, `schema/*.sql`. Fetched at the first call, whole or not at all."""
    folder = cache_root() / "hive-engines" / version
    coordinates = (HERE / f"jars-{version}.txt").read_text().split()
    stamp = folder / "coordinates.txt"
    if stamp.exists() and stamp.read_text().split() == coordinates:
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{version}.partial-", dir=folder.parent))
    try:
        _fetch(coordinates, partial)
        _unpack_schema(partial)
        (partial / stamp.name).write_text("\n".join(coordinates) + "\n")
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def compiled_driver(version: str) -> Path:
    """The class folder of the driver for a Hive release, compiled when a source is newer than it."""
    line = "hive-3" if version.startswith("3.") else "hive-4"
    sources = sorted([*DRIVER.glob("*.java"), *(DRIVER / line).glob("*.java")])
    folder = engine_folder(version)
    classes = folder / "driver"
    newest = max(source.stat().st_mtime for source in sources)
    if classes.exists() and classes.stat().st_mtime >= newest:
        return classes
    partial = Path(tempfile.mkdtemp(prefix="driver.partial-", dir=folder))
    command = [java_tool("javac"), "-proc:none", "-nowarn", "-Xlint:-options", "-cp", f"{folder}/lib/*", "-d", str(partial)]
    result = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"the driver does not compile against Hive {version}:\n{result.stderr}")
    shutil.rmtree(classes, ignore_errors=True)
    partial.rename(classes)
    return classes


def _fetch(coordinates: list[str], target: Path) -> None:
    """Retrieves the jars and the schema source into target/lib and target/schema."""
    ivy_jars = sorted((Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar"))
    module = target / "ivy.xml"
    module.write_text(_ivy_module(coordinates))
    command = [java_tool("java"), "-jar", str(ivy_jars[0]), "-warn", "-cache", str(target.parent / "ivy-cache")]
    # "bundle" and "maven-plugin" are packagings that some POMs give their jars
    command += ["-ivy", str(module), "-types", "jar", "bundle", "maven-plugin", "tar.gz"]
    command += ["-retrieve", f"{target}/lib/[artifact]-[revision].[ext]"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    jars = len(list((target / "lib").glob("*.jar")))
    if result.returncode != 0 or jars != len(coordinates):
        said = [line for line in (result.stdout + result.stderr).splitlines() if not line.startswith("..")]  # progress
        raise RuntimeError("\n".join([f"fetched {jars} of {len(coordinates)} jars from Maven Central:", *said]))


def _ivy_module(coordinates: list[str]) -> str:
    """An Ivy module that depends on exactly these artifacts, and on the source archive with the schema scripts."""
    lines = ['<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">']
    lines += ['<info organisation="hiveacid" module="hive-engine"/>', "<dependencies>"]
    for coordinate in coordinates:
        group, artifact, version = coordinate.split(":")
        lines.append(f'<dependency org="{group}" name="{artifact}" rev="{version}" transitive="false"/>')
    group, artifact, version = SCHEMA_SOURCE
    lines.append(f'<dependency org="{group}" name="{artifact}" rev="{version}" transitive="false">')
    lines.append(f'<artifact name="{artifact}" type="tar.gz" ext="tar.gz" m:classifier="src"/></dependency>')
    # without "all", one revision of hive-standalone-metastore would drive out the other
    conflicts = '<conflicts><manager org="*" module="*" name="all"/></conflicts>'
    return "\n".join([*lines, "</dependencies>", conflicts, "</ivy-module>"])


def _unpack_schema(target: Path) -> None:
    """Moves Derby's schema scripts out of the source archive into target/schema."""
    schema = target / "schema"
    schema.mkdir()
    _, artifact, version = SCHEMA_SOURCE
    archive = target / "lib" / f"{artifact}-{version}.tar.gz"
    wanted = {"hive-schema-3.1.0.derby.sql", "hive-schema-4.0.0.derby.sql"}
    with tarfile.open(archive) as source:
        for member in source:
            name = Path(member.name).name
            if name in wanted and (content := source.extractfile(member)):
                (schema / name).write_bytes(content.read())
    archive.unlink()
    missing = wanted - {path.name for path in schema.iterdir()}
    if missing:
        raise RuntimeError(f"{archive.name} lacks {', '.join(sorted(missing))}")
