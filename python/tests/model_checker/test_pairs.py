"""Two clients in every order of their calls with two preemptions, each step of which a fresh reader looks at."""

from __future__ import annotations

import pytest

from hive_acid.metastore.types import MetastoreLine
from support.model_checker.models import ACTORS, PAIRS
from support.model_checker.replays import format_test
from support.model_checker.search import Bounds, Search
from support.model_checker.models import build_clients
from support.model_checker.world import Setting


def check(setting: Setting, names: tuple[str, ...], bounds: Bounds) -> None:
    """All schedules within the bounds keep every promise."""
    found = Search(setting, build_clients(names), bounds).run()
    if found.violation is not None:
        pytest.fail(format_test(setting, names, found))
    assert found.runs > 1
    assert found.is_whole or found.runs == bounds.runs


@pytest.mark.beyond_the_gate("the other cells", but=["4-insert-overwrite", "4-update-update", "3.1-update-merge"])
@pytest.mark.parametrize("names", PAIRS, ids="-".join)
@pytest.mark.parametrize("line", list(MetastoreLine), ids=lambda line: line.value)
def test_pairs_of_statements(line: MetastoreLine, names: tuple[str, str]) -> None:
    check(Setting(line), names, Bounds())
