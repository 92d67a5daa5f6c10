"""A metastore that outlives the process that starts it, known by its folder."""

from __future__ import annotations

import fcntl
import json
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hive_acid.errors import build_error
from hive_acid.local.cache import Progress
from hive_acid.local.installation import DatabaseKind
from hive_acid.local.probe import metastore_answers
from hive_acid.local.start import LOCK_FILE, STATE_FILE, Wish, print_progress, start_metastore


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
    """The metastore that runs in `folder`, whoever started it, or None."""
    state = folder / STATE_FILE
    if not state.exists() or not _is_locked(folder):
        return None
    told = json.loads(state.read_text("utf-8"))
    told |= {"warehouse": Path(told["warehouse"]), "log": Path(told["log"])}
    return RunningMetastore(**told)


def start_detached(
    folder: Path, port: int | None, database: DatabaseKind | None, progress: Progress = print_progress
) -> RunningMetastore:
    """Start a metastore that keeps running after this process, until `stop_detached`.

    Raises LocalMetastoreError as `EmbeddedMetastore.start`, whose arguments these are.
    """
    started = start_metastore(Wish(folder, port, database, detached=True), progress)
    started.supervisor.release()
    return _running(started.folder)


def stop_detached(folder: Path) -> None:
    """End the metastore that runs in `folder`; return when it is ended.

    Raises HIVE_ACID_LOCAL_METASTORE.NOT_RUNNING.
    """
    running = _running(folder)
    os.kill(running.process_ids["supervisor"], signal.SIGTERM)
    with (folder / LOCK_FILE).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def _running(folder: Path) -> RunningMetastore:
    running = find_running(folder)
    if running is None:
        raise build_error("HIVE_ACID_LOCAL_METASTORE.NOT_RUNNING", folder=folder)
    return running


def _is_locked(folder: Path) -> bool:
    with (folder / LOCK_FILE).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
