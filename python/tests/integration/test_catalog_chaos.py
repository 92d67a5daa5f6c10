"""While clients read and write tables, others make them anew, rename them and alter their partitions: no wrong row.

Every answer is that of some serial order, or an error with a name. One seed is run for a minute on each line of the
metastore. `HIVE_ACID_CHAOS_SECONDS=n` says how long each run lasts, `HIVE_ACID_CHAOS_SEED=n` makes other choices,
`HIVE_ACID_CHAOS_METASTORES="4.0.0 3.1.3"` chooses the metastores, `HIVE_ACID_CHAOS_LOCKS=0.5` how many of the changes
by plain calls take Hive's locks. Each client's choices follow from the seed and its name. The history of a run is the
file `history` in its scratch folder.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from support.chaos.arena import SLOTS
from support.chaos.checker import count_faults, find_faults
from support.chaos.run import Plan, describe, drive, look_afterwards, start_stage
from support.drivers import quick_settings
from support.metastore_releases import EMBEDDED_VERSION, GATE_VERSION, started_version

LOG = logging.getLogger(__name__)
SECONDS = float(os.environ.get("HIVE_ACID_CHAOS_SECONDS", "60"))
SEED = int(os.environ.get("HIVE_ACID_CHAOS_SEED", "1"))
LOCKS = float(os.environ.get("HIVE_ACID_CHAOS_LOCKS", "0.5"))
RELEASES = os.environ.get("HIVE_ACID_CHAOS_METASTORES", f"{EMBEDDED_VERSION} {GATE_VERSION}").split()
SHOWN = 30
"""How many faults a failure shows."""


@pytest.mark.slow
@pytest.mark.parametrize("version", RELEASES)
def test_every_answer_is_that_of_a_serial_order_or_a_named_error(version: str, tmp_path: Path) -> None:
    plan = Plan(SECONDS, SEED, locks=LOCKS)
    LOG.info("%s", plan)
    with start_stage(
        tmp_path, started_version(version, tmp_path / "metastore", quick_settings(version)), plan
    ) as stage:
        drive(stage, plan)
        look_afterwards(stage)
        stage.assert_nothing_open()
        left = stage.staging()
        history = stage.arena.history.operations
    LOG.info("%s", describe(history))
    faults = find_faults(history, SLOTS)
    shown = "\n".join([f"{plan}, the history is {tmp_path / 'history'}", *map(str, faults[:SHOWN])])
    assert not faults, f"{dict(count_faults(faults))}\n{shown}"
    assert not left
