"""A server of HDFS fails while a statement writes."""

from __future__ import annotations

import pytest

from support.hdfs.lake import Lake
from support.hdfs.tables import BEFORE, NUMBERS
from support.mutations import BUCKETED, MUTATIONS, Mutation

pytestmark = pytest.mark.slow
SOME = [
    m for m in MUTATIONS if m.name in ("insert-partitions", "update-flat", "merge-partitions", "overwrite-partitions")
]


@pytest.mark.parametrize("mutation", (*MUTATIONS, *BUCKETED), ids=str)
def test_a_statement_outlives_the_fail_over_of_its_name_node(lake: Lake, mutation: Mutation) -> None:
    lake.assert_outlives(mutation, lambda: lake.hdfs.ask("failover"))


@pytest.mark.parametrize("method", ["write_text", "rename", "delete_tree"])
def test_a_statement_outlives_a_fail_over_before_a_call_of_the_driver(lake: Lake, method: str) -> None:
    merge = next(m for m in MUTATIONS if m.name == "merge-partitions")
    name, gate = lake.create(merge), lake.gate()
    hold = {"method": method, "nth": 1, "gate": str(gate)}
    running = lake.session.submit(merge.text(name, NUMBERS), hold=hold)
    gate.wait()
    lake.hdfs.ask("failover")
    gate.open()
    running.result(120)
    assert lake.rows(name) == merge.effect(BEFORE, NUMBERS)


@pytest.mark.parametrize("mutation", SOME, ids=str)
@pytest.mark.parametrize("lost", ["namenode", "datanode"])
def test_a_statement_outlives_the_loss_of_a_server(lake: Lake, mutation: Mutation, lost: str) -> None:
    try:
        lake.assert_outlives(mutation, lambda: lake.hdfs.ask(f"kill-{lost}"))
    finally:
        lake.hdfs.ask(f"start-{lost}")
