"""The rounds of the erasure benchmark: what is erased, and that it was."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.dataset
from measures import ensure_equal

from peers.client import WorkerClient
from peers.erasure_report import Cell, format_cells
from peers.events import Source
from peers.files import find_remains, list_sizes
from peers.methods import Method


@dataclass
class Run:
    """The results so far, the engines that failed, and the version of each engine's Spark."""

    cells: list[Cell] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    workers: dict[str, WorkerClient] = field(default_factory=dict)

    def attempt(self, method: Method, worker: WorkerClient, source: Source, groups: Sequence[int], round_: int) -> None:
        """As `erase_groups`; the others go on after an engine that fails. A wrong count is raised."""
        try:
            self.erase_groups(method, worker, source, groups, round_)
        except (RuntimeError, OSError) as error:
            self.failures.append(f"{method.engine}, {method.name}: {error}")
            print(f"  FAILED {self.failures[-1][:2000]}", file=sys.stderr, flush=True)

    def erase_groups(
        self, method: Method, worker: WorkerClient, source: Source, groups: Sequence[int], round_: int
    ) -> None:
        """A table of its own, from which one group of people after the other is erased; a result for each."""
        root, first, left = method.root(worker), 0, source.rows
        load_s = method.load(worker, source.folder)
        ensure_equal(f"{method.engine}: rows loaded", method.count(worker), left)
        for size in groups:
            people = source.victims(first, size)
            first += size
            rows = count_rows_of(source, people)
            before = list_sizes(root)
            done = method.erase(worker, people)
            left -= rows
            ensure_equal(f"{method.engine}, {method.name}: rows left", method.count(worker), left)
            remains = find_remains(root, "email", people)
            ensure_equal(f"{method.engine}, {method.name}: rows left in files", remains.rows, 0)
            written = sum(size_ for path, size_ in done.files.items() if path not in before)
            self.cells.append(
                Cell(
                    engine=method.engine,
                    method=method.name,
                    round=round_,
                    subjects=size,
                    rows=rows,
                    phases=done.phases,
                    bytes_before=sum(before.values()),
                    bytes_written=written,
                    peak_mib=done.peak_mib,
                    load_s=load_s,
                    texts_left=remains.texts,
                )
            )
            print(format_cells([self.cells[-1]]), flush=True)
        method.drop(worker)
        shutil.rmtree(root, ignore_errors=True)


def count_rows_of(source: Source, people: Sequence[str]) -> int:
    """The rows of people in the source, counted without any of the engines."""
    dataset = pyarrow.dataset.dataset(source.folder)
    return int(dataset.count_rows(filter=pyarrow.dataset.field("email").isin(list(people))))


def write_source(worker: WorkerClient, folder: Path, rows: int, days: int) -> Source:
    """The rows, written once."""
    source = Source(folder, rows, days)
    worker.call("peers.events:write_events", folder=folder.as_uri(), rows=rows, days=days, population=source.population)
    return source
