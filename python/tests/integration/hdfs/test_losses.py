"""A server of HDFS fails while a statement writes."""

from __future__ import annotations

import pytest

from support.hdfs.lake import Lake
from support.hdfs.tables import BEFORE, NUMBERS
from support.mutations import EACH_WAY, MUTATIONS, Mutation, named

pytestmark = pytest.mark.slow


@EACH_WAY
def test_a_statement_outlives_the_fail_over_of_its_name_node(lake: Lake, mutation: Mutation) -> None:
    lake.assert_outlives(mutation, lambda: lake.hdfs.ask("failover"))


def strike_before_call(lake: Lake, statement: str, method: str, strike: str) -> None:
    """Runs a statement whose driver finds that something has happened just before one of its calls."""
    gate = lake.gate()
    running = lake.session.submit(statement, hold={"method": method, "nth": 1, "gate": str(gate)})
    gate.wait()
    lake.hdfs.ask(strike)
    gate.open()
    running.result(120)


@pytest.mark.parametrize("method", ["write_text", "rename", "delete_tree"])
def test_a_statement_outlives_a_fail_over_before_a_call_of_the_driver(lake: Lake, method: str) -> None:
    merge = next(m for m in MUTATIONS if m.name == "merge-partitions")
    name = lake.create(merge)
    strike_before_call(lake, merge.text(name, NUMBERS), method, "failover")
    assert lake.rows(name) == merge.effect(BEFORE, NUMBERS)


@pytest.mark.parametrize(("kind", "strike"), [("minor", "failover"), ("major", "kill-datanode")])
def test_a_compaction_outlives_the_loss_of_a_server_before_its_rename(lake: Lake, kind: str, strike: str) -> None:
    update = next(m for m in MUTATIONS if m.name == "update-flat")
    name = lake.create(update)
    lake.session.sql(update.text(name, NUMBERS))
    try:
        strike_before_call(lake, f"ALTER TABLE {name} COMPACT '{kind}'", "rename", strike)
    finally:
        if strike.startswith("kill-"):
            lake.hdfs.ask(strike.replace("kill", "start"))
    assert lake.rows(name) == update.effect(BEFORE, NUMBERS)
    made = "/base_" if kind == "major" else "/delete_delta_0000001_0000002_v"
    assert any(made in path for path in lake.hdfs.tree(lake.path(name)))


@named("truncate-partitions")
def test_a_truncation_outlives_a_fail_over_before_its_rename(lake: Lake, mutation: Mutation) -> None:
    name = lake.create(mutation)
    strike_before_call(lake, mutation.text(name, NUMBERS), "rename", "failover")
    assert lake.rows(name) == []


@named("update-partitions")
@pytest.mark.parametrize("lost", ["namenode", "datanode"])
def test_a_statement_outlives_the_loss_of_a_server(lake: Lake, mutation: Mutation, lost: str) -> None:
    try:
        lake.assert_outlives(mutation, lambda: lake.hdfs.ask(f"kill-{lost}"))
    finally:
        lake.hdfs.ask(f"start-{lost}")
