"""Start, restart and stop a Hive Metastore 4.0.0 with its own database in its own folder."""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from hive_acid_downloads.java import find_java
from hive_acid_downloads.progress import Progress, print_progress
from hive_acid_local.artifacts import embedded_release
from hive_acid_local.installation import DatabaseKind, default_database, prepare_installation
from hive_acid_local.start import (
    NO_SETTINGS,
    Started,
    Wish,
    log_of,
    start_metastore,
    warehouse_of,
)

if TYPE_CHECKING:
    from typing_extensions import Self


class EmbeddedMetastore:
    """A running metastore. It ends with `stop`, with the `with` block, or when this process ends in any way.

    `folder` contains the database, the warehouse, the configuration and the logs. `process_ids` has the processes by
    name ("supervisor", "metastore" and, if there is one, "postgresql"). On Linux only its owner and root can connect.
    """

    def __init__(self, started: Started) -> None:
        self.folder = started.folder
        self.port = started.port
        self.process_ids = started.process_ids
        self._supervisor = started.supervisor
        self._owner = os.getpid()
        atexit.register(self._stop_at_exit)

    @classmethod
    def start(
        cls,
        folder: Path | None = None,
        *,
        port: int | None = None,
        database: DatabaseKind | None = None,
        settings: Mapping[str, str] = NO_SETTINGS,
        progress: Progress | None = None,
    ) -> Self:
        """Starts a metastore, and returns when it answers. The first start downloads what is needed.

        folder: a new or empty folder, or that of an earlier metastore. It is kept, with its data, when the metastore
            stops. Default: a temporary folder, removed at the stop, whose database does not survive a crash of the
            machine.
        port: the Thrift port on 127.0.0.1. Default: a free one.
        database: default: that of an earlier metastore's folder, else PostgreSQL if it has binaries for this machine.
        settings: for Hive's metastore-site.xml, such as {"metastore.txn.timeout": "5s"}; they override ours.
        progress: called with one line at a time about downloads and builds. Default: standard error.

        Raises LocalMetastoreError; then nothing keeps running.
        """
        return cls(start_metastore(Wish(folder, port, database, settings), progress or print_progress))

    @staticmethod
    def prefetch(progress: Progress | None = None, database: DatabaseKind | None = None) -> None:
        """Downloads the files and builds the template database, so that a later start takes seconds and no network."""
        kind = database or default_database()
        prepare_installation(embedded_release(), kind, find_java(), progress or print_progress)

    @property
    def uri(self) -> str:
        """The Thrift address for Spark and Hive."""
        return f"thrift://127.0.0.1:{self.port}"

    @property
    def warehouse(self) -> Path:
        """The folder of managed tables."""
        return warehouse_of(self.folder)

    @property
    def log_path(self) -> Path:
        return log_of(self.folder)

    def restart(self) -> None:
        """Ends the metastore's Java process, if it still runs, and starts it again with the same port and database."""
        self.process_ids = self._supervisor.restart()

    def kill(self) -> None:
        """Ends the metastore's Java process with SIGKILL; `restart` starts it again. The database keeps running."""
        os.kill(self.process_ids["metastore"], signal.SIGKILL)

    def stop(self) -> None:
        """Ends all processes, and removes a temporary folder. A second call does nothing."""
        self._supervisor.stop()
        atexit.unregister(self._stop_at_exit)

    def _stop_at_exit(self) -> None:
        if os.getpid() == self._owner:  # a forked child leaves the metastore to its parent
            self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
