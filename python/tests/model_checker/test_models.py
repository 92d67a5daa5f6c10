"""Clients in every order of their calls within bounds; a fresh reader looks at the world after each step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.model_checker.models import Model, draw_triples
from support.model_checker.replays import check

IN_THE_GATE = [
    f"{setting} {names}"
    for setting, models in {
        "4 flat": "insert+overwrite update+update update+delete merge-inserts+merge-inserts update+truncate"
        " replace+insert transaction+update reader+update major+update minor+delete rebalance+update cleaner+merge"
        " cleaner+reader hive-update+update hive-insert+overwrite trino-update+update",
        "4 partitioned": "insert+update-named drop-partition+update drop-partition+insert overwrite-named+insert"
        " together+overwrite",
        "3.1 flat": "insert+overwrite update+merge cleaner+update major+insert hive-update+update trino-update+delete",
        "3.1 partitioned": "overwrite+update-named cleaner+reader",
    }.items()
    for names in models.split()
]
WITH_A_FAULT = ("4 flat insert+update", "4 flat update+overwrite", "3.1 partitioned insert+overwrite")
RUNS = 300
"""Of one model with a fault."""


@pytest.mark.parametrize("text", IN_THE_GATE)
def test_two_clients_in_every_order(text: str) -> None:
    check(Model.parse(text))


@pytest.mark.parametrize("text", WITH_A_FAULT)
def test_a_client_is_killed_or_its_transaction_aborted_anywhere(text: str) -> None:
    check(Model.parse(text).with_fault(RUNS))


@pytest.mark.parametrize("model", draw_triples(seed=7, count=6), ids=str)
def test_three_clients_in_some_orders(model: Model) -> None:
    check(replace(model, bounds=replace(model.bounds, runs=RUNS // 2)))
