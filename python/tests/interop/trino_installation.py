"""What a Trino server is made of, in the cache folder: its jars, those of its plugin for Hive, and a Java for it."""

import shutil
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hive_acid.errors import LocalMetastoreError
from hive_acid_downloads.artifacts import Artifact
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.download import download
from hive_acid_downloads.java import Java, find_java
from interop.hive_jars import EngineUnavailable
from support.java_runtimes import find_runtime
from support.unreachable import is_unreachable

SERVER: Final = Artifact(
    "io.trino",
    "trino-server",
    "476",
    "",
    "tar.gz",
    "cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f",
)
JAVA_RELEASE: Final = 25


@dataclass(frozen=True)
class TrinoInstallation:
    """A Trino release on this machine: `lib` holds the server's jars, `plugins` a folder for each plugin."""

    java: Java
    lib: Path
    plugins: Path


def trino_installation() -> TrinoInstallation:
    """Trino, fetched at the first call. Raises EngineUnavailable or LocalMetastoreError."""
    folder = cache_folder() / "trino"

    def fetch(target: Path, _: Path | None) -> None:
        download([SERVER], target, None, find_java(), f"Trino {SERVER.version}", _print_progress)
        _unpack(target / SERVER.file_name, target)

    with cache_lock(folder, _print_progress):
        try:
            entry = whole_entry(folder / f"{SERVER.version}-{SERVER.sha256[:12]}", fetch, _print_progress)
        except LocalMetastoreError as error:
            if is_unreachable(error):
                raise EngineUnavailable(str(error)) from error
            raise
    return TrinoInstallation(find_runtime(JAVA_RELEASE), entry / "lib", entry / "plugin")


def _unpack(archive: Path, target: Path) -> None:
    """The server and one of its many plugins; all else goes again."""
    whole = target / "whole"
    with tarfile.open(archive) as server:
        server.extractall(whole, filter="data")  # all of it: jars are hard links to others of the archive
    archive.unlink()
    (root,) = whole.iterdir()
    (target / "plugin").mkdir()
    for name in ("lib", "plugin/hive"):
        (root / name).rename(target / name)
    shutil.rmtree(whole)


def _print_progress(line: str) -> None:
    sys.stderr.write(f"interop: {line}\n")
