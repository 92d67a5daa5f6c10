"""The ways to erase people from a table, one or more for each engine."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measures import ensure_equal

from peers.client import WorkerClient
from peers.environments import OURS
from peers.events import COLUMNS
from peers.files import list_sizes

VERIFY = "verify"
"""The phase that no peer has."""


@dataclass(frozen=True)
class Phase:
    """A part of an erasure, and what it took."""

    name: str
    wall_s: float
    cpu_s: float


@dataclass(frozen=True)
class Erased:
    """An erasure that was done. `files` are all that were there between two phases, with their sizes."""

    phases: tuple[Phase, ...]
    files: Mapping[str, int]
    peak_mib: int


@dataclass(frozen=True)
class Method:
    """One way. `steps` are phase → SQL; `{people}` in them is the list of literals, `{view}` a view of the same.

    `place` is the table's folder below the worker's. `steps` is empty for ours, which has its own phases.
    `rival` is the method of ours that a peer's is compared with: its files are compressed as strongly.
    """

    engine: str
    name: str
    table: str
    place: str
    clauses: str
    steps: tuple[tuple[str, str], ...] = ()
    rival: str = ""

    def root(self, worker: WorkerClient) -> Path:
        """The folder of the table's files."""
        return worker.folder / self.place

    def load(self, worker: WorkerClient, source: Path) -> float:
        """A new table with all rows of the source; the seconds of the INSERT."""
        worker.sql(f"DROP TABLE IF EXISTS {self.table}")  # one that a failure has left
        shutil.rmtree(self.root(worker), ignore_errors=True)
        worker.sql(f"CREATE TABLE {self.table} ({COLUMNS}) {self.clauses}")
        return worker.sql(f"INSERT INTO {self.table} SELECT * FROM parquet.`{source.as_uri()}`").wall_s

    def drop(self, worker: WorkerClient) -> None:
        """Takes the table away."""
        worker.sql(f"DROP TABLE {self.table}")

    def count(self, worker: WorkerClient) -> int:
        """The rows that a query shows."""
        return int(worker.sql(f"SELECT count(event_id) FROM {self.table}").result[0][0])

    def erase(self, worker: WorkerClient, people: Sequence[str]) -> Erased:
        """Removes the rows of people, and their bytes."""
        file = worker.folder / "people.txt"
        file.write_text("\n".join(people), "utf-8")
        return self._erase_by_steps(worker, people, file) if self.steps else self._erase_ours(worker, file)

    def _erase_by_steps(self, worker: WorkerClient, people: Sequence[str], file: Path) -> Erased:
        worker.sql(f"CREATE OR REPLACE TEMPORARY VIEW people AS SELECT value AS email FROM text.`{file.as_uri()}`")
        literals = ", ".join(f"'{person}'" for person in people)
        phases, files, peak = [], dict[str, int](), 0
        for name, statement in self.steps:
            text = statement.format(table=self.table, name=self.table.partition(".")[2], people=literals, view="people")
            answer = worker.sql(text)
            phases.append(Phase(name, answer.wall_s, answer.cpu_s))
            peak = max(peak, answer.peak_mib)
            files |= list_sizes(self.root(worker))
        return Erased(tuple(phases), files, peak)

    def _erase_ours(self, worker: WorkerClient, file: Path) -> Erased:
        answer = worker.call(
            "peers.erasing:erase", table=self.table, root=str(self.root(worker)), column="email", subjects=str(file)
        )
        ensure_equal("verdict", (answer.result["verdict"], answer.result["missing"]), ("erased", []))
        phases = tuple(Phase(name, wall, cpu) for name, wall, cpu in answer.result["phases"])
        return Erased(phases, answer.result["files"], answer.peak_mib)


_ZLIB, _ZSTD = "hive_acid.erase, ZLIB", "hive_acid.erase, ZSTD"


def _ours(name: str, properties: str = "") -> Method:
    clauses = f"PARTITIONED BY (day) STORED AS ORC TBLPROPERTIES ('transactional'='true'{properties})"
    return Method(OURS, name, "default.events", "metastore/warehouse/events", clauses)


def _delta(name: str, has_vectors: bool, steps: tuple[tuple[str, str], ...]) -> Method:
    clauses = (
        f"USING delta PARTITIONED BY (day) TBLPROPERTIES ('delta.enableDeletionVectors'='{str(has_vectors).lower()}')"
    )
    return Method("delta", name, "events", "warehouse/events", clauses, steps, _ZLIB)


def _iceberg(name: str, mode: str, steps: tuple[tuple[str, str], ...]) -> Method:
    clauses = (
        "USING iceberg PARTITIONED BY (day) "
        f"TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='{mode}', 'write.merge.mode'='{mode}')"
    )
    return Method("iceberg", name, "bench.db.events", "warehouse/db/events", clauses, steps, _ZSTD)


_DELTA_DELETE = "DELETE FROM {table} WHERE email IN ({people})"
_DELTA_VACUUM = "VACUUM {table} RETAIN 0 HOURS"
_ICEBERG_DELETE = "DELETE FROM {table} WHERE email IN (SELECT email FROM {view})"
_ICEBERG_REWRITE = (
    "CALL bench.system.rewrite_data_files(table => '{name}', options => "
    "map('delete-file-threshold', '1', 'remove-dangling-deletes', 'true'))"
)
# a time to come: every snapshot but the current one goes
_ICEBERG_EXPIRE = (
    "CALL bench.system.expire_snapshots(table => '{name}', older_than => TIMESTAMP '2999-01-01', retain_last => 1)"
)
_ICEBERG_ORPHANS = "CALL bench.system.remove_orphan_files(table => '{name}')"

METHODS: tuple[Method, ...] = (
    _ours(_ZLIB, ", 'orc.compress'='ZLIB'"),
    _ours(_ZSTD),
    _delta(
        "deletion vectors",
        True,
        (("delete", _DELTA_DELETE), ("purge", "REORG TABLE {table} APPLY (PURGE)"), ("vacuum", _DELTA_VACUUM)),
    ),
    _delta("copy on write", False, (("delete", _DELTA_DELETE), ("vacuum", _DELTA_VACUUM))),
    _iceberg(
        "merge on read",
        "merge-on-read",
        (
            ("delete", _ICEBERG_DELETE),
            ("rewrite", _ICEBERG_REWRITE),
            ("expire", _ICEBERG_EXPIRE),
            ("orphans", _ICEBERG_ORPHANS),
        ),
    ),
    _iceberg(
        "copy on write",
        "copy-on-write",
        (("delete", _ICEBERG_DELETE), ("expire", _ICEBERG_EXPIRE), ("orphans", _ICEBERG_ORPHANS)),
    ),
)
