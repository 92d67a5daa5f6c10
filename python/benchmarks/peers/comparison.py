"""What the programs that compare engines share: workers, the source of all tables, and the result."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from peers.client import Machine, WorkerClient, started_worker
from peers.environments import OURS, prepare
from peers.options import find_facts
from peers.statement_report import publish, summarise
from peers.statement_run import Cell

Workers = Mapping[str, WorkerClient]


@contextmanager
def started_workers(chosen: argparse.Namespace, folder: Path) -> Iterator[Workers]:
    """A worker for ours and each peer that was chosen."""
    for name in chosen.against:
        prepare(name)  # before anything runs beside it
    machine = Machine(len(os.sched_getaffinity(0)), chosen.memory)
    with ExitStack() as stack:
        workers = {OURS: stack.enter_context(started_worker(OURS, folder / OURS, machine))}
        ((_, metastore),) = workers[OURS].sql("SET spark.hadoop.hive.metastore.uris").result
        for name in chosen.against:
            workers[name] = stack.enter_context(started_worker(name, folder / name, machine, metastore))
        yield workers


def write_source(workers: Workers, folder: Path, rows: int) -> str:
    """Parquet files with so many rows; how SQL names them."""
    source = (folder / f"source-{rows}").as_uri()
    tasks = max(8, 2 * len(os.sched_getaffinity(0)))
    workers[OURS].call("peers.statements:write_rows", folder=source, rows=rows, tasks=tasks)
    return f"parquet.`{source}`"


def compare(
    chosen: argparse.Namespace,
    mark: str,
    title: str,
    measure: Callable[[Workers, Path], Sequence[Cell]],
) -> None:
    """Measures, prints, and writes the result as JSON and, if asked for, into the page at the mark.

    `title` tells what was compared, behind the number of rows.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"hive-acid-{mark}-", dir=chosen.folder)).resolve()
    load_before = os.getloadavg()
    try:
        with started_workers(chosen, folder) as workers:
            cells = measure(workers, folder)
            facts = find_facts(chosen, workers)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    result: dict[str, Any] = {
        **facts,
        "load_before": load_before,
        "load_after": os.getloadavg(),
        "medians": summarise(cells),
        "cells": [asdict(cell) for cell in cells],
    }
    chosen.result.parent.mkdir(exist_ok=True)
    chosen.result.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    print(f"\n{publish(result, mark, title, is_kept=chosen.publish)}\nwritten to {chosen.result}")
