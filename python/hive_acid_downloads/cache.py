"""The cache folder: entries that are either whole or rebuilt, and one process at a time that builds."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hive_acid.api.conditions import build_error
from hive_acid_downloads.progress import Progress

_MANIFEST: Final = "manifest.json"
_BLOCK_BYTES: Final = 1 << 20


def cache_folder() -> Path:
    """Where downloads and templates are kept: HIVE_ACID_CACHE, else spark-hive-acid in the user's cache folder."""
    own = os.environ.get("HIVE_ACID_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "spark-hive-acid"


@contextmanager
def cache_lock(folder: Path, progress: Progress) -> Iterator[None]:
    """Hold the cache folder alone, among all processes of this machine. Waits, and says so, while another holds it.

    Raises HIVE_ACID_LOCAL_METASTORE.CACHE_OPEN for a folder in which every user may put programs, which we would run.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_mode & stat.S_IWOTH:
        raise build_error("HIVE_ACID_LOCAL_METASTORE.CACHE_OPEN", folder=folder)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f"waiting for another process that prepares {folder}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def whole_entry(entry: Path, build: Callable[[Path, Path | None], None], progress: Progress) -> Path:
    """`entry`, as it is if it is whole, else built anew. The caller holds the cache's lock.

    `build(target, damaged)` fills the empty folder `target`; `damaged` is the old entry, to take its good files from.
    The entry appears under its name by one rename, after its manifest was written, so half an entry never counts.
    """
    faults = _faults(entry) if entry.exists() else ["missing"]
    if not faults:
        return entry
    damaged = entry if entry.exists() else None
    if damaged:
        progress(f"repairing {entry}: {faults[0]}")
    for left in entry.parent.glob(f".{entry.name}-*"):  # of a process that was killed while it built
        shutil.rmtree(left)
    target = Path(tempfile.mkdtemp(prefix=f".{entry.name}-", dir=entry.parent))
    try:
        build(target, damaged)
        _write_manifest(target)
        if damaged:
            trash = Path(tempfile.mkdtemp(prefix=f".{entry.name}-", dir=entry.parent))
            entry.rename(trash / entry.name)
            target.rename(entry)
            shutil.rmtree(trash)
        else:
            target.rename(entry)
    finally:
        shutil.rmtree(target, ignore_errors=True)
    return entry


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _write_manifest(folder: Path) -> None:
    described = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode):
            described[str(path.relative_to(folder))] = [status.st_size, status.st_mtime_ns, file_sha256(path)]
    (folder / _MANIFEST).write_text(json.dumps(described), "utf-8")


def _faults(folder: Path) -> list[str]:
    """The differences from the manifest. A file's content is read only where its time of change differs."""
    try:
        described = json.loads((folder / _MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return [f"{_MANIFEST} is missing or unreadable"]
    faults = []
    for name, (size, mtime_ns, sha256) in described.items():
        path = folder / name
        try:
            status = path.lstat()
        except FileNotFoundError:
            faults.append(f"{name} is missing")
            continue
        if status.st_size != size:
            faults.append(f"{name} has {status.st_size} bytes in place of {size}")
        elif status.st_mtime_ns != mtime_ns and file_sha256(path) != sha256:
            faults.append(f"{name} was changed")
    return faults
