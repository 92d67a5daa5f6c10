"""A metastore that outlives the process that starts it, known by its folder."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hive_acid.api.conditions import build_error
from hive_acid_downloads.progress import Progress, print_progress
from hive_acid_local.home import default_folder
from hive_acid_local.installation import DatabaseKind
from hive_acid_local.launch import STOP_LIMIT_SECONDS
from hive_acid_local.probe import metastore_answers
from hive_acid_local.start import LOCK_FILE, STATE_FILE, Wish, start_metastore

_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class RunningMetastore:
    """The description that a running metastore wrote of itself.

    `process_ids` by name; the rest as `EmbeddedMetastore` has it.
    """

    uri: str
    port: int
    database: str
    warehouse: Path
    log: Path
    process_ids: Mapping[str, int]

    def answers(self) -> bool:
        """Whether it answers a call now."""
        return metastore_answers(self.port)


def find_running(folder: Path) -> RunningMetastore | None:
    """The metastore that runs in `folder`, whoever started it, or None.

    Its description counts only while the supervisor that it names is the process that holds the folder: it outlives a
    supervisor that is killed, whose number any program may have by then.
    """
    try:
        told = json.loads((folder / STATE_FILE).read_text("utf-8"))
    except FileNotFoundError:
        return None
    if not is_in_use(folder) or not _holds(told["process_ids"]["supervisor"], folder / LOCK_FILE):
        return None
    told |= {"warehouse": Path(told["warehouse"]), "log": Path(told["log"])}
    return RunningMetastore(**told)


def is_in_use(folder: Path) -> bool:
    """Whether a process holds the folder: that of a metastore which runs, or which starts or ends right now."""
    try:
        lock = (folder / LOCK_FILE).open("r")
    except FileNotFoundError:
        return False
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def find_left_running() -> str | None:
    """The address of the metastore that runs in this user's own folder, or None."""
    running = find_running(default_folder())
    return running.uri if running is not None else None


def start_detached(
    folder: Path,
    port: int | None,
    database: DatabaseKind | None,
    progress: Progress = print_progress,
    *,
    with_worker: bool = False,
) -> RunningMetastore:
    """Start a metastore that keeps running after this process, until `stop_detached`; with a worker if one is wanted.

    Raises LocalMetastoreError as `EmbeddedMetastore.start`, whose arguments these are.
    """
    started = start_metastore(Wish(folder, port, database, detached=True, with_worker=with_worker), progress)
    started.supervisor.release()
    return _running(started.folder)


def stop_detached(folder: Path) -> None:
    """End the metastore that runs in `folder`; return when it is ended.

    Raises HIVE_ACID_LOCAL_METASTORE.NOT_RUNNING, and .NOT_ENDED if it does not end in time.
    """
    running = _running(folder)
    supervisor, until = running.process_ids["supervisor"], time.monotonic() + STOP_LIMIT_SECONDS
    with suppress(ProcessLookupError):  # it has ended by itself
        os.kill(supervisor, signal.SIGTERM)
    while is_in_use(folder) and _holds(supervisor, folder / LOCK_FILE):
        if time.monotonic() >= until:
            found = {"folder": folder, "process": supervisor, "seconds": STOP_LIMIT_SECONDS}
            raise build_error("HIVE_ACID_LOCAL_METASTORE.NOT_ENDED", **found)
        time.sleep(_POLL_SECONDS)


def _running(folder: Path) -> RunningMetastore:
    running = find_running(folder)
    if running is None:
        raise build_error("HIVE_ACID_LOCAL_METASTORE.NOT_RUNNING", folder=folder)
    return running


def _holds(process_id: int, lock: Path) -> bool:
    """Whether the process has the lock file open. Where no /proc tells (macOS), whether there is such a process."""
    if not Path("/proc/self/fd").exists():
        with suppress(ProcessLookupError):
            os.kill(process_id, 0)
            return True
        return False
    try:
        descriptors = list(Path(f"/proc/{process_id}/fd").iterdir())
    except (FileNotFoundError, PermissionError):  # it has ended, or is another user's: not one that was started here
        return False
    return any(_is_same(descriptor, lock) for descriptor in descriptors)


def _is_same(descriptor: Path, lock: Path) -> bool:
    with suppress(OSError):  # it was closed meanwhile
        return descriptor.samefile(lock)
    return False
