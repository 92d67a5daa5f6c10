"""`hive-acid worker`."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from hive_acid.api.clocks import monotonic_ms
from hive_acid.api.command_line import (
    DONE,
    FAILED,
    INTERRUPTED,
    add_metastore_option,
    add_spark_options,
    find_uris,
    parse_count,
    parse_settings,
)
from hive_acid_ops.commands.metrics_port import add_metrics_options, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prometheus_client import CollectorRegistry

    from hive_acid.api.command_line import Commands
    from hive_acid_ops.worker_service import Compacts, Report

_POLL_S = 5.0
"""Hive's workers look as often (hive.compactor.worker.sleep.time)."""


def add_command(commands: Commands) -> None:
    """`hive-acid worker`."""
    worker = commands.add_parser(
        "worker", help="run the compactions in the metastore's queue (4.x), until SIGTERM or SIGINT"
    )
    add_metastore_option(worker)
    worker.add_argument(
        "--pools",
        default="",
        metavar="P,Q",
        help="run their requests, in this order; `-`: requests without a pool (default)",
    )
    worker.add_argument(
        "--parallel", type=parse_count, default=1, metavar="N", help="number of compactions at a time (default: 1)"
    )
    worker.add_argument("--once", action="store_true", help="run what is in the queue and exit")
    add_spark_options(worker)
    worker.add_argument(
        "--metrics", type=Path, metavar="FILE", help="write totals there, for Prometheus' textfile collector"
    )
    add_metrics_options(worker)
    worker.add_argument("--json", action="store_true", help="one JSON object per compaction")
    worker.set_defaults(run=run_worker)


def run_worker(chosen: argparse.Namespace) -> int:
    """Serve; a first signal lets what has begun be done, a second cancels it. --once: 2 if one failed, or the queue."""
    from hive_acid.api.compaction import WORKER_PREFIX
    from hive_acid.api.conditions import HiveAcidError, build_error
    from hive_acid.api.sessions import attach, job_session
    from hive_acid_ops.progress import watched

    try:
        conf = parse_settings(chosen.conf)
        with job_session(find_uris(chosen), chosen.master, conf) as session:
            attachment = attach(session)
            if not attachment.metastore.line.serves_workers:
                raise build_error("HIVE_ACID_CONFIGURATION.WORKER_ON_HIVE_3")
            host, process = socket.gethostname(), os.getpid()
            names = [f"{WORKER_PREFIX}{host}-{process}.{number}" for number in range(chosen.parallel)]
            workers = [attachment.build_worker(name) for name in names]
            with (
                counted(chosen, attachment.metastore, chosen.metrics is not None) as registry,
                watched(attachment.running_compactions),
            ):
                return Serving(chosen, session.sparkContext.cancelAllJobs, registry).run(workers)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED


class Serving:
    """One run of the command. `registry` is where it counts, if it does."""

    def __init__(
        self, chosen: argparse.Namespace, cancel_jobs: Callable[[], None], registry: CollectorRegistry | None = None
    ) -> None:
        self._chosen = chosen
        self._cancel_jobs = cancel_jobs
        self._stop = threading.Event()
        self._count = None if registry is None else _build_counter(registry, chosen.metrics)
        self._failures = 0
        self._is_cancelled = False

    def run(self, workers: Sequence[Compacts]) -> int:
        from hive_acid_ops.worker_service import Service

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        service = Service(
            _parse_pools(self._chosen.pools),
            _POLL_S,
            self._stop,
            monotonic_ms,
            self._report,
            self._trouble,
            self._tell_dead,
        )
        service.run(workers, self._chosen.once)
        if self._is_cancelled:
            return INTERRUPTED
        return FAILED if self._chosen.once and self._failures else DONE

    def _on_signal(self, *_: object) -> None:
        if self._stop.is_set():
            self._is_cancelled = True
            self._cancel_jobs()
        self._stop.set()

    def _trouble(self, error: Exception) -> None:
        self._failures += 1
        print(str(error) or type(error).__name__, file=sys.stderr, flush=True)

    def _tell_dead(self, compaction_id: int) -> None:
        print(f"compaction {compaction_id}: its worker has died", file=sys.stderr, flush=True)

    def _report(self, report: Report) -> None:
        from hive_acid_ops.worker_service import FAILED as FAILED_STATE

        self._failures += report.state == FAILED_STATE
        print(report.format_json() if self._chosen.json else report.format_text(), flush=True)
        if self._count is not None:
            self._count(report)


def _build_counter(registry: CollectorRegistry, file: Path | None) -> Callable[[Report], None]:
    """Counts a report, and writes all sums into the file, if there is one."""
    from prometheus_client import write_to_textfile

    from hive_acid_ops.service_metrics import CompactionCounters

    counters = CompactionCounters(registry)

    def count(report: Report) -> None:
        counters.add(report)
        if file is not None:
            write_to_textfile(str(file), registry)

    return count


def _parse_pools(text: str) -> list[str | None]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    return [None if name == "-" else name for name in names] or [None]
