"""Random statements under random settings leave the rows and tell the numbers that plain tables of Spark's come to.

`HIVE_ACID_RANDOM_STATEMENTS=n` makes n of each seed (default 500); `./dev chaos --seed N` runs a seed again.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hive_acid
from integration.conftest import Tables
from support.random_sql.effects import Create, Delete, Insert
from support.random_sql.runner import Pair, Runner
from support.random_sql.steps import Step, sql
from support.random_sql.tables import Column, Kind, TableSpec
from support.random_sql.twins import Twins

LOG = logging.getLogger(__name__)
STATEMENTS = os.environ.get("HIVE_ACID_RANDOM_STATEMENTS", "500")
PATHS = os.pathsep.join(str(Path(place).parent.parent) for place in (hive_acid.__file__, Path(__file__)))
ANY_SEED = random.SystemRandom().randrange(1_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, pytest.param(ANY_SEED, id="any")])
def test_random_statements_do_what_they_do_to_plain_tables(seed: int, tmp_path: Path) -> None:
    LOG.warning("./dev chaos --seed %d --statements %s", seed, STATEMENTS)
    command = [sys.executable, "-m", "support.random_sql", "--seed", str(seed), "--statements", STATEMENTS]
    ran = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": PATHS}, check=False
    )
    LOG.info("%s", ran.stdout)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_delete_event_that_got_lost_is_noticed(tables: Tables) -> None:
    table = TableSpec("acid_a", Kind.ACID, (Column("id", "INT"),))
    twins = Twins(tables.spark)
    pair = Pair(Runner(tables.spark, tables.client), tables.database, twins)
    steps = (
        sql(table.sql, Create(table)),
        sql("INSERT INTO acid_a VALUES (1), (2)", Insert("acid_a", ("id",), "VALUES (1), (2)")),
        sql("DELETE FROM acid_a WHERE id = 1", Delete("acid_a", "acid_a", "id = 1")),
    )
    try:
        assert [pair.run(number, Step("", (call,))) for number, call in enumerate(steps)] == [None] * 3
        (lost,) = tables.location("acid_a").glob("delete_delta_*")
        shutil.rmtree(lost)
        assert "too many" in (pair.compare_tables(twins.names) or "")
        assert "too many" in (pair.compare_files() or "")
    finally:
        twins.end()
