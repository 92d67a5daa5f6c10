"""The cache's content: the metastore's jars, PostgreSQL, and a database with the schema to copy for metastores."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from hive_acid.api.conditions import build_error
from hive_acid_downloads.artifacts import digest_artifacts
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.download import download
from hive_acid_downloads.java import Java
from hive_acid_downloads.progress import Progress
from hive_acid_local.artifacts import (
    SCHEMA_SOURCE,
    Release,
    platform_name,
    postgresql_artifact,
)
from hive_acid_local.class_archive import archive_path
from hive_acid_local.derby import Derby
from hive_acid_local.door import prepare_door
from hive_acid_local.postgresql import PostgreSql, unpack_binaries

DatabaseKind = Literal["postgresql", "derby"]
_TEMPLATE_VERSION: Final = "1"  # raise it when the way a template is built changes


def default_database() -> DatabaseKind:
    """PostgreSQL where it is published for this machine, else Derby."""
    return "postgresql" if postgresql_artifact() else "derby"


@dataclass(frozen=True)
class Installation:
    """Everything one metastore needs from the cache, whole. `jars` is the class path, with `door` as its last.

    `class_archive` is where the archive of its classes lies, or is to lie; None if its Java takes none.
    """

    java: Java
    jars: tuple[Path, ...]
    database: PostgreSql | Derby
    template: Path
    class_archive: Path | None = None
    door: Path | None = None

    def copy_template(self, target: Path) -> None:
        """Make `target` a copy of the template database. It appears whole or not at all."""
        half = target.with_name(target.name + ".new")
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(self.template, half, symlinks=True, ignore=shutil.ignore_patterns("manifest.json", "*.log"))
        half.rename(target)


def prepare_installation(
    release: Release, kind: DatabaseKind, java: Java, progress: Progress, runtime: Java | None = None
) -> Installation:
    """Find what is needed in the cache, fetch and build what is missing there or damaged.

    `java` fetches; `runtime`, by default the same, is the one that the metastore runs on.

    Raises HIVE_ACID_LOCAL_METASTORE.PLATFORM_UNSUPPORTED, HIVE_ACID_DOWNLOAD, and what `prepare_door` raises.
    """
    cache = cache_folder()
    with cache_lock(cache, progress):
        artifacts = release.artifacts

        def fetch(target: Path, damaged: Path | None) -> None:
            download(artifacts, target, damaged, java, f"the metastore {release.version}", progress)

        lib = whole_entry(cache / f"metastore-{release.version}-{digest_artifacts(artifacts)}", fetch, progress)
        files = [lib / artifact.file_name for artifact in artifacts]
        database = _postgresql(cache, java, progress) if kind == "postgresql" else Derby()

        def build(target: Path, _: Path | None) -> None:
            progress(f"building the template database ({kind}, {release.version})")
            database.build_template(target, files, runtime or java, release)

        binaries = [found] if kind == "postgresql" and (found := postgresql_artifact()) else []
        name = (
            f"template-{kind}-{digest_artifacts([*artifacts, *binaries], _TEMPLATE_VERSION + release.schema_changes)}"
        )
        template = whole_entry(cache / name, build, progress)
        jars = tuple(path for path in files if not path.name.startswith(SCHEMA_SOURCE))
        door = prepare_door(cache, progress)
        runs_on, classes = runtime or java, jars if door is None else (*jars, door)
        return Installation(runs_on, classes, database, template, archive_path(lib, runs_on, door), door)


def _postgresql(cache: Path, java: Java, progress: Progress) -> PostgreSql:
    artifact = postgresql_artifact()
    if artifact is None:
        raise build_error("HIVE_ACID_LOCAL_METASTORE.PLATFORM_UNSUPPORTED", platform=platform_name())

    def fetch_and_unpack(target: Path, _: Path | None) -> None:
        download([artifact], target, None, java, "PostgreSQL", progress)
        jar = target / artifact.file_name
        unpack_binaries(jar, target)
        jar.unlink()

    name = f"postgresql-{artifact.version}-{platform_name()}-{digest_artifacts([artifact])}"
    return PostgreSql(whole_entry(cache / name, fetch_and_unpack, progress))
