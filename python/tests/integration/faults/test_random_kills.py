"""Drivers that end at random moments: each statement is visible wholly or not at all, and others go on.

`HIVE_ACID_KILLS=n` ends n drivers (default 6), each with `HIVE_ACID_KILLED_STATEMENTS=n` statements on their way
(default 3), one on each kind of table; `HIVE_ACID_KILL_SEED=n` makes the same choices again.
"""

from __future__ import annotations

import logging
import os
import random

import pytest

from support.drivers import Drivers
from support.random_kills import DIES, ENDS, PROGRAMS_END, Kills

LOG = logging.getLogger(__name__)
KILLS = int(os.environ.get("HIVE_ACID_KILLS", "6"))
STATEMENTS = int(os.environ.get("HIVE_ACID_KILLED_STATEMENTS", "3"))
SEED = int(os.environ.get("HIVE_ACID_KILL_SEED", str(random.SystemRandom().randrange(1_000_000))))


@pytest.mark.slow
def test_a_statement_struck_at_a_random_moment_is_visible_wholly_or_not_at_all(drivers: Drivers) -> None:
    LOG.warning("HIVE_ACID_KILL_SEED=%d", SEED)
    kills = Kills(drivers, SEED, STATEMENTS)
    kills.run(KILLS)
    LOG.info("seed %d: %s", SEED, dict(kills.happened))
    assert sum(kills.happened[end] for end in ENDS) == KILLS * STATEMENTS


@pytest.mark.slow
def test_a_program_that_ends_at_a_random_moment_ends_its_threads_statements(drivers: Drivers) -> None:
    LOG.warning("HIVE_ACID_KILL_SEED=%d", SEED)
    programs = Kills(drivers, SEED, statements=2, ends=(*PROGRAMS_END, *PROGRAMS_END, *DIES))
    programs.run(KILLS)
    LOG.info("seed %d: %s", SEED, dict(programs.happened))
    assert sum(programs.happened[end] for end in ENDS) == 2 * KILLS
