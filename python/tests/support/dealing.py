"""Deals tests out to processes: what shares servers stays in one process, and what takes longest begins first.

A *unit* is what one process runs: in the gate a folder whose tests share servers, else a file, or those of its tests
that one release of Hive's engine runs. In a run of everything the tests of a long file that share nothing are units.
A server or session of module scope is so started once per run. How long a unit takes is known from the last run in
this working copy.
"""

from __future__ import annotations

import re
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
SECONDS_OF_A_TEST: Final[Mapping[str, float]] = {
    "python/tests/integration/test_erasure_planted.py": 60.0,
    "python/tests/integration/test_every_entry.py": 30.0,
    "python/tests/integration/test_random_sql.py": 420.0,
    "python/tests/model_checker/test_models_with_faults.py": 3.0,
    "python/tests/model_checker/test_pairs_on_3_1.py": 3.0,
    "python/tests/model_checker/test_pairs_on_4.py": 3.0,
    "python/tests/unit/erasure/test_boundaries.py": 60.0,
}
"""Long files whose tests share nothing but a process's session: each test is a unit in a run of everything."""
LONG_SECONDS: Final[Mapping[str, float]] = {
    "python/tests/integration/test_golden_files.py": 900.0,
    "python/tests/integration/faults": 700.0,
    "python/tests/contract": 500.0,
    "python/tests/integration/test_metastore_releases.py": 400.0,
    "python/tests/integration/test_benchmarks.py": 350.0,
    "python/tests/integration/test_secured_site.py": 350.0,
    "python/tests/interop/gallery/test_changes.py[hive-4.1.0]": 350.0,
    "python/tests/integration/test_long_sessions.py": 340.0,
    "python/tests/integration/test_guard_audit.py": 330.0,
    "python/tests/integration/test_partition_values.py": 320.0,
    "python/tests/integration/test_support_matrix.py": 320.0,
    "python/tests/integration/test_yarn_kerberos.py": 320.0,
    "python/tests/integration/test_many_statements.py": 310.0,
    "python/tests/integration/faults/test_cluster.py": 300.0,
    "python/tests/integration/test_kerberos.py": 300.0,
    "python/tests/interop/test_compaction.py[hive-4.1.0]": 280.0,
    "python/tests/integration/test_concurrency_run.py": 260.0,
    "python/tests/integration/test_compaction_runs.py": 250.0,
    "python/tests/integration/test_object_store_golden.py": 250.0,
    "python/tests/interop/test_insert_only_compaction.py[hive-4.1.0]": 250.0,
    "python/tests/integration/faults/test_killed_erasure.py": 230.0,
    "python/tests/integration/test_entry_points.py": 230.0,
    "python/tests/integration/test_erasure_releases.py": 230.0,
    "python/tests/integration/test_isolation.py": 230.0,
    "python/tests/integration/test_catalog_chaos.py": 220.0,
    "python/tests/integration/test_dbt.py": 220.0,
    "python/tests/integration/test_doctor.py": 220.0,
    "python/tests/integration/test_object_store_faults.py": 220.0,
    "python/tests/integration/faults/test_lost_calls.py": 200.0,
    "python/tests/integration/test_many_partitions.py": 200.0,
    "python/tests/interop/gallery/test_changes.py[hive-3.1.3]": 200.0,
    "python/tests/unit/execution/test_fault_matrix.py": 200.0,
    "python/tests/integration/test_concurrency.py": 190.0,
    "python/tests/integration/test_demo.py": 190.0,
    "python/tests/integration/test_dry_run.py": 190.0,
    "python/tests/integration/test_jvm_first.py": 190.0,
    "python/tests/integration/test_kerberos_outages.py": 190.0,
    "python/tests/integration/test_metastore_rights.py": 190.0,
    "python/tests/interop/test_hive_and_spark.py[hive-4.1.0]": 190.0,
    "python/tests/integration/faults/test_random_kills.py": 180.0,
    "python/tests/interop/test_bucketing_time_zone.py": 180.0,
    "python/tests/interop/test_trino_overlaps.py": 180.0,
    "python/tests/interop/test_types_and_evolution.py[hive-4.1.0]": 180.0,
    "python/tests/integration/faults/test_matrix.py": 170.0,
    "python/tests/interop/test_type_changes.py[hive-4.1.0]": 160.0,
    "python/tests/integration/test_other_extensions.py": 150.0,
    "python/tests/integration/test_settings_alone.py": 150.0,
    "python/tests/interop/test_trino.py[hive-4.1.0]": 150.0,
    "python/tests/integration/test_changing_values.py": 140.0,
    "python/tests/integration/test_statement_fronts.py": 140.0,
    "python/tests/interop/test_calendars.py[hive-3.1.3]": 140.0,
    "python/tests/interop/test_calendars.py[hive-4.1.0]": 140.0,
    "python/tests/interop/test_catalogs.py[hive-4.1.0]": 140.0,
    "python/tests/interop/test_history.py[hive-4.1.0]": 140.0,
    "python/tests/interop/test_insert_only.py[hive-4.1.0]": 140.0,
    "python/tests/interop/test_streaming.py": 140.0,
    "python/tests/integration/hdfs/test_statements.py": 130.0,
    "python/tests/integration/test_catalog_secured.py": 130.0,
    "python/tests/integration/test_door.py": 130.0,
    "python/tests/interop/test_erasure.py[hive-4.1.0]": 130.0,
    "python/tests/integration/hdfs/test_losses.py": 120.0,
    "python/tests/integration/test_bookkeeping.py": 120.0,
    "python/tests/integration/test_kerberos_commands.py": 120.0,
    "python/tests/integration/test_metastore_http.py": 120.0,
    "python/tests/interop/test_json_tables.py[hive-3.1.3]": 120.0,
    "python/tests/interop/test_trino_buckets.py": 120.0,
    "python/tests/interop/test_types_and_evolution.py[hive-3.1.3]": 120.0,
    "python/tests/integration/faults/test_zombies.py": 110.0,
    "python/tests/integration/hdfs/test_rights.py": 110.0,
    "python/tests/interop/test_bucketed_tables.py[hive-4.1.0]": 110.0,
    "python/tests/interop/test_json_tables.py[hive-4.1.0]": 110.0,
    "python/tests/interop/test_type_changes.py[hive-3.1.3]": 110.0,
    "python/tests/integration/test_erasure_search.py": 100.0,
    "python/tests/interop/test_bucketed_tables.py[hive-3.1.3]": 100.0,
    "python/tests/interop/test_hive_in_the_gate.py": 100.0,
    "python/tests/unit/execution/test_committer_faults.py": 100.0,
    "python/tests/architecture/test_documents.py": 90.0,
    "python/tests/integration/faults/test_killed_driver.py": 90.0,
    "python/tests/integration/faults/test_several_steps.py": 90.0,
    "python/tests/integration/faults/test_yarn.py": 90.0,
    "python/tests/integration/test_embedded_metastore.py": 90.0,
    "python/tests/integration/test_embedded_metastore_processes.py": 90.0,
    "python/tests/integration/test_object_stores.py": 90.0,
    "python/tests/integration/test_read.py": 90.0,
    "python/tests/interop/test_compaction.py[hive-3.1.3]": 90.0,
    "python/tests/interop/test_originals.py[hive-3.1.3]": 90.0,
    "python/tests/interop/test_originals.py[hive-4.1.0]": 90.0,
    "python/tests/integration/test_beside_other_formats.py": 80.0,
    "python/tests/integration/test_callback_ports.py": 80.0,
    "python/tests/integration/test_catalog_operators.py": 80.0,
    "python/tests/integration/test_catalog_programs.py": 80.0,
    "python/tests/integration/test_catalog_rows.py": 80.0,
    "python/tests/integration/test_damaged_files.py": 80.0,
    "python/tests/integration/test_erasure_meanwhile.py": 80.0,
    "python/tests/integration/test_history.py": 80.0,
    "python/tests/integration/test_insert_only.py": 80.0,
    "python/tests/integration/test_insert_only_files.py": 80.0,
    "python/tests/integration/test_object_stores_on_3_1.py": 80.0,
    "python/tests/integration/test_spark_connect.py": 80.0,
    "python/tests/integration/test_typed_by_other_ways.py": 200.0,
    "python/tests/integration/test_write_notifications.py": 80.0,
    "python/tests/interop/test_insert_only_compaction.py[hive-3.1.3]": 80.0,
    "python/tests/integration/faults/test_restarts.py": 70.0,
    "python/tests/integration/hdfs/test_releases.py": 70.0,
    "python/tests/integration/test_erasure_kept_files.py": 65.0,
    "python/tests/interop/test_trino.py[hive-3.1.3]": 65.0,
    "python/tests/integration/faults/test_lost_compactions.py": 60.0,
    "python/tests/integration/hdfs/test_places.py": 60.0,
    "python/tests/integration/test_other_javas.py": 60.0,
    "python/tests/interop/test_erasure.py[hive-3.1.3]": 60.0,
    "python/tests/interop/test_insert_only.py[hive-3.1.3]": 60.0,
    "python/tests/interop/test_hive_and_spark.py[hive-3.1.3]": 55.0,
    "python/tests/integration/faults/test_alterations.py": 50.0,
    "python/tests/interop/gallery/test_replacements.py[hive-4.1.0]": 50.0,
    "python/tests/interop/test_compressions.py[hive-4.1.0]": 50.0,
    "python/tests/interop/test_hive_engines.py[hive-3.1.3]": 50.0,
    "python/tests/interop/test_hive_engines.py[hive-4.1.0]": 50.0,
    "python/tests/interop/test_history.py[hive-3.1.3]": 45.0,
    "python/tests/interop/test_compressions.py[hive-3.1.3]": 30.0,
}
"""Of units that take long for their number of tests; with three processes on two cores.

`pytest --part 1/1 --collect-only` tells how long all tests are expected to take.
"""
_RELEASE: Final = re.compile(r"^python/tests/interop/.*\[(?:.*-)?(hive-[0-9]+\.[0-9]+\.[0-9]+)\b")
"""Their fixture `hive` has an engine for each."""
_TEST_SECONDS: Final[Mapping[str, float]] = {
    "interop": 25.0,
    "integration": 1.0,
    "contract": 0.4,
    "architecture": 0.1,
    "unit": 0.01,
}


def find_unit(test_id: str, is_whole_run: bool = False) -> str:
    """The unit of a test: a path from the root of the repository, with a release in brackets where Hive has a part.

    In a run of everything the files of a folder take so long that servers of a file's own are no loss.
    """
    file = test_id.split("::", 1)[0]
    folder = next((folder for folder in SHARING_FOLDERS if file.startswith(f"{folder}/")), None)
    if folder and not is_whole_run:
        return folder
    if is_whole_run and file in SECONDS_OF_A_TEST:
        return test_id
    release = _RELEASE.search(test_id)
    return f"{file}[{release[1]}]" if release else file


def is_whole_run(config: pytest.Config) -> bool:
    """True for a run of everything, which says which part it is."""
    return config.getoption("--part") is not None


def guess_seconds(unit: str, test_count: int, known_seconds: Mapping[str, float]) -> float:
    """How long a unit of so many tests takes."""
    known = known_seconds.get(unit) or LONG_SECONDS.get(unit)
    if known is not None:
        return known
    per_test = SECONDS_OF_A_TEST.get(unit.split("::", 1)[0])
    if per_test is not None:
        return per_test * test_count
    kind = next((part for part in PurePosixPath(unit).parts if part in _TEST_SECONDS), "unit")
    return _TEST_SECONDS[kind] * test_count


def find_next(seconds: Mapping[str, float], last: str) -> str:
    """What a process begins after the unit `last` ("" for none): the longest one.

    Among units of the release of Hive that it runs, if there is one: the engine keeps running.
    """
    release = last[last.find("[") :] if "[" in last else None
    of_release = [unit for unit in seconds if release and unit.endswith(release)]
    return max(of_release or seconds, key=lambda unit: seconds[unit])


class UnitScheduling(LoadScopeScheduling):
    """A process that has no more than two tests left gets another unit."""

    def __init__(self, config: pytest.Config, log: Producer, known_seconds: Mapping[str, float]) -> None:
        super().__init__(config, log)
        self._known_seconds = known_seconds
        self._is_whole_run = is_whole_run(config)

    def _assign_work_unit(self, node: WorkerController) -> None:
        seconds = {unit: guess_seconds(unit, len(tests), self._known_seconds) for unit, tests in self.workqueue.items()}
        last = next(reversed(self.assigned_work.get(node, {})), "")
        self.workqueue.move_to_end(find_next(seconds, last), last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        return find_unit(nodeid, self._is_whole_run)


class UnitSeconds:
    """Adds up how long each unit of a run takes."""

    def __init__(self, is_whole_run: bool) -> None:
        self.seconds: dict[str, float] = {}
        self._is_whole_run = is_whole_run

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Of each phase of a test."""
        unit = find_unit(report.nodeid, self._is_whole_run)
        self.seconds[unit] = round(self.seconds.get(unit, 0.0) + report.duration, 2)
