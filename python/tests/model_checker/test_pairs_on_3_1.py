"""Each statement beside each other client, in every order of their calls, on the 3.1 line of the metastore.

These models take as long as the tests of several rooms: a run of everything has a process for each line.
"""

from __future__ import annotations

import pytest

from hive_acid.metastore.types import MetastoreLine
from support.model_checker.models import Model, list_pairs
from support.model_checker.replays import check


@pytest.mark.beyond_the_gate("some of the pairs: `model_checker/test_models.py`")
@pytest.mark.parametrize("model", [pair for pair in list_pairs() if pair.setting.line is MetastoreLine.HIVE_3], ids=str)
def test_each_statement_beside_each_other_client(model: Model) -> None:
    check(model)
