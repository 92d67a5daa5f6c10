"""Deals tests out to processes: what shares servers stays in one process, and what takes longest begins first.

A *unit* is what one process runs: a folder whose tests share servers, but for a few files, else a file. A server or
session of module scope is so started once per run. How long a unit takes is known from the last run in this working
copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler.loadscope import LoadScopeScheduling
from xdist.workermanage import WorkerController

CACHE_KEY: Final = "hive-acid/seconds of units"
SHARING_FOLDERS: Final = ("python/tests/contract", "python/tests/integration/faults")
"""Their tests share servers."""
APART: Final = (
    "python/tests/integration/faults/test_cluster.py",
    "python/tests/integration/faults/test_killed_driver.py",
    "python/tests/integration/faults/test_killed_erasure.py",
    "python/tests/integration/faults/test_restarts.py",
    "python/tests/integration/faults/test_yarn.py",
)
"""Files of such folders that the gate leaves out, and that take so long that servers of their own are no loss."""
LONG_SECONDS: Final[Mapping[str, float]] = {
    "python/tests/integration/faults": 2300.0,
    "python/tests/integration/faults/test_killed_driver.py": 600.0,
    "python/tests/integration/faults/test_restarts.py": 300.0,
    "python/tests/integration/test_secured_site.py": 450.0,
    "python/tests/integration/test_many_statements.py": 1650.0,
    "python/tests/integration/faults/test_cluster.py": 1500.0,
    "python/tests/integration/test_erasure_releases.py": 1050.0,
    "python/tests/integration/faults/test_killed_erasure.py": 1050.0,
    "python/tests/integration/test_kerberos.py": 1000.0,
    "python/tests/integration/test_compaction_runs.py": 750.0,
    "python/tests/integration/test_concurrency_run.py": 700.0,
    "python/tests/integration/test_golden_files.py": 600.0,
    "python/tests/integration/test_long_sessions.py": 550.0,
    "python/tests/contract": 500.0,
    "python/tests/integration/test_erasure_planted.py": 500.0,
    "python/tests/integration/test_histories.py": 400.0,
    "python/tests/integration/test_door.py": 350.0,
    "python/tests/integration/test_benchmarks.py": 350.0,
    "python/tests/integration/test_metastore_releases.py": 350.0,
    "python/tests/integration/test_support_matrix.py": 350.0,
    "python/tests/integration/faults/test_yarn.py": 300.0,
    "python/tests/interop/test_hive_in_the_gate.py": 300.0,
    "python/tests/integration/test_dbt.py": 250.0,
    "python/tests/integration/test_catalog_chaos.py": 250.0,
    "python/tests/integration/hdfs/test_losses.py": 250.0,
    "python/tests/integration/test_guard_audit.py": 200.0,
    "python/tests/integration/test_object_stores.py": 200.0,
    "python/tests/integration/test_many_partitions.py": 200.0,
    "python/tests/unit/execution/test_fault_matrix.py": 200.0,
    "python/tests/integration/test_metastore_rights.py": 200.0,
    "python/tests/integration/test_object_store_faults.py": 200.0,
    "python/tests/integration/hdfs/test_rights.py": 150.0,
    "python/tests/integration/test_doctor.py": 150.0,
    "python/tests/integration/test_metastore_http.py": 150.0,
    "python/tests/integration/test_demo.py": 120.0,
    "python/tests/integration/test_jvm_first.py": 120.0,
    "python/tests/architecture/test_documents.py": 100.0,
    "python/tests/integration/test_settings_alone.py": 100.0,
}
"""Of units of few but long tests, until a run has told; with three processes on two cores."""
_TEST_SECONDS: Final[Mapping[str, float]] = {"interop": 12.0, "integration": 1.0, "architecture": 0.1, "unit": 0.01}


def find_unit(test_id: str) -> str:
    """The unit of a test, as a path from the root of the repository."""
    file = test_id.split("::", 1)[0]
    if file in APART:
        return file
    return next((folder for folder in SHARING_FOLDERS if file.startswith(f"{folder}/")), file)


def guess_seconds(unit: str, test_count: int, known_seconds: Mapping[str, float]) -> float:
    """How long a unit of so many tests takes."""
    known = known_seconds.get(unit) or LONG_SECONDS.get(unit)
    if known is not None:
        return known
    kind = next((part for part in PurePosixPath(unit).parts if part in _TEST_SECONDS), "unit")
    return _TEST_SECONDS[kind] * test_count


class UnitScheduling(LoadScopeScheduling):
    """A process that has no more than two tests left gets the longest unit that is nobody's."""

    def __init__(self, config: pytest.Config, log: Producer, known_seconds: Mapping[str, float]) -> None:
        super().__init__(config, log)
        self._known_seconds = known_seconds

    def _assign_work_unit(self, node: WorkerController) -> None:
        longest = max(
            self.workqueue, key=lambda unit: guess_seconds(unit, len(self.workqueue[unit]), self._known_seconds)
        )
        self.workqueue.move_to_end(longest, last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        return find_unit(nodeid)


class UnitSeconds:
    """Adds up how long each unit of a run takes."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Of each phase of a test."""
        unit = find_unit(report.nodeid)
        self.seconds[unit] = round(self.seconds.get(unit, 0.0) + report.duration, 2)
