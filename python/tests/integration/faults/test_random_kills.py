"""Drivers that are killed at random moments: each statement is visible wholly or not at all, and others go on.

`HIVE_ACID_KILLS=n` kills n drivers (default 6), each with `HIVE_ACID_KILLED_STATEMENTS=n` statements on their way
(default 3), one on each kind of table; `HIVE_ACID_KILL_SEED=n` makes other choices.
"""

from __future__ import annotations

import logging
import os

import pytest

from support.drivers import Drivers
from support.random_kills import ENDS, Kills

LOG = logging.getLogger(__name__)
KILLS = int(os.environ.get("HIVE_ACID_KILLS", "6"))
STATEMENTS = int(os.environ.get("HIVE_ACID_KILLED_STATEMENTS", "3"))
SEED = int(os.environ.get("HIVE_ACID_KILL_SEED", "1"))


@pytest.mark.slow
def test_a_statement_struck_at_a_random_moment_is_visible_wholly_or_not_at_all(drivers: Drivers) -> None:
    kills = Kills(drivers, SEED, STATEMENTS)
    kills.run(KILLS)
    LOG.info("seed %d: %s", SEED, dict(kills.happened))
    assert sum(kills.happened[end] for end in ENDS) == KILLS * STATEMENTS
