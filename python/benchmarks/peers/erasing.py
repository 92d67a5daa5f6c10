"""Our erasure, in the worker of ours."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.sql import SparkSession

from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, SIGNING_KEY_FILE, Signer, make_keys
from hive_acid_erasure.plan.plan_parsing import build_plan
from hive_acid_erasure.run import erase_subjects
from hive_acid_erasure.spark.erasing import build_case, build_world
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.subjects import build_subjects
from peers.files import list_sizes
from peers.processes import cpu_seconds


class PhaseClock:
    """Time and processor time by phase, and all files that were there between two of them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._phase = "find"
        self._began = self._now()
        self.phases: dict[str, tuple[float, float]] = {}
        self.files: dict[str, int] = {}

    def tell(self, message: str) -> None:
        """Hears of an erasure's progress; its messages begin with the name of the phase."""
        phase, has_name, _ = message.partition(":")
        if phase != self._phase and (has_name or phase == "certify"):
            self.end()
            self._phase = phase

    def end(self) -> None:
        """The phase that runs has ended. The listing is on nobody's account."""
        wall, cpu = self._now()
        spent = self.phases.get(self._phase, (0.0, 0.0))
        self.phases[self._phase] = (spent[0] + wall - self._began[0], spent[1] + cpu - self._began[1])
        self.files |= list_sizes(self._root)
        self._began = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), cpu_seconds(os.getpid())


def erase(session: SparkSession, table: str, root: str, column: str, subjects: str) -> Mapping[str, Any]:
    """Erases the people of a file, as `hive_acid.erase` does: verdict, phases in their order, files and their sizes."""
    names: Sequence[str] = Path(subjects).read_text("utf-8").split()
    with TemporaryDirectory() as name:
        folder = Path(name)
        make_keys(folder / "keys")
        key = HashKey(bytes.fromhex((folder / "keys" / HASH_KEY_FILE).read_text().strip()))
        plan = build_plan({"subjects": [column], "tables": {table: {"keys": {column: column}}}})
        case = build_case("erasure", plan, build_subjects(names, plan.subject_columns), key)
        signer = Signer.read(folder / "keys" / SIGNING_KEY_FILE)
        clock = PhaseClock(Path(root))
        world = build_world(session, key, clock.tell)
        outcome = erase_subjects(case, world, folder / "ledger", signer, folder / "certificate.json")
        clock.end()
    return {
        "verdict": outcome.verdict.state.value,
        "missing": [str(place) for place in outcome.verdict.places],
        "phases": [[phase, *spent] for phase, spent in clock.phases.items()],
        "files": clock.files,
    }
