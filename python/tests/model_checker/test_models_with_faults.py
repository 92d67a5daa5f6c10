"""Each pair of clients of which one is killed, or its transaction aborted, at any call: some schedules of each.

Pairs that name no partition are tried on flat tables.

They take a process of their own in a run of everything.
"""

from __future__ import annotations

import pytest

from support.model_checker.models import Model, list_pairs
from support.model_checker.replays import check

RUNS = 100
"""Of one model: schedules with few changes of turn come first. `./dev model` runs one to the end."""


@pytest.mark.beyond_the_gate("some of the pairs: `model_checker/test_models.py`")
@pytest.mark.parametrize("model", [model for model in list_pairs() if not model.is_of_flat_tables_too], ids=str)
def test_each_statement_beside_each_other_client_and_a_fault(model: Model) -> None:
    check(model.with_fault(RUNS))
