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
    """A running metastore. Ends with `stop`, with the `with` block, or when this process ends, however that happens.

    `folder` holds the database, the warehouse, the configuration and the logs; `process_ids` tells the processes by
    name ("supervisor", "metastore" and, where there is one, "postgresql"). On Linux its owner and root alone get in.
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
        """Start a metastore and return when it answers; fetches what is needed the first time.

        folder: a new, an empty or an earlier metastore's folder, kept, with its data, when the metastore stops; without
            one a temporary folder, removed at the stop, whose database does not survive a crash of the machine.
        port: the Thrift port on 127.0.0.1, a free one by default.
        database: by default that of an earlier metastore's folder, else PostgreSQL where there are binaries of it.
        settings: of Hive's metastore-site.xml, such as {"metastore.txn.timeout": "5s"}; they win over ours.
        progress: told one line at a time what is fetched and built; by default standard error.

        Raises LocalMetastoreError. Nothing keeps running then.
        """
        return cls(start_metastore(Wish(folder, port, database, settings), progress or print_progress))

    @staticmethod
    def prefetch(progress: Progress | None = None, database: DatabaseKind | None = None) -> None:
        """Fetch the files and build the template database, so that a later start takes seconds and no network."""
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
        """End the metastore's Java process, if it still runs, and start it again on the same port and database."""
        self.process_ids = self._supervisor.restart()

    def kill(self) -> None:
        """End the metastore's Java process with SIGKILL; the database keeps running, `restart` brings the rest back."""
        os.kill(self.process_ids["metastore"], signal.SIGKILL)

    def stop(self) -> None:
        """End all processes; a temporary folder is removed. Does nothing the second time."""
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
