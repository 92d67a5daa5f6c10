"""Quirks act on the metastores of their fault, from the first hook on."""

from __future__ import annotations

from typing import Any

import pytest

from hive_acid.metastore.types import MetastoreLine
from hive_acid.quirks import acting
from hive_acid.quirks.fault import Fault
from hive_acid.quirks.quirk import Quirk
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.stages import Published
from support.statements import World

LOG: list[str] = []


class OnHive3(Quirk):
    """Tells which hooks were called."""

    FAULT = Fault("a fault", "3.1.3", (MetastoreLine.HIVE_3,), "harm", "3.1 has gone")

    def before_commit(self, published: Published) -> None:
        LOG.append("before_commit")

    def after_end(self, error: BaseException | None) -> None:
        LOG.append("failed" if error else "ended")


@pytest.fixture(autouse=True)
def _only_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    LOG.clear()
    monkeypatch.setattr(acting, "OF_STATEMENTS", (OnHive3,))


@pytest.mark.parametrize("line", MetastoreLine, ids=lambda line: line.value)
def test_a_quirk_acts_beside_the_metastores_of_its_fault_alone(line: MetastoreLine) -> None:
    World(line).run(StatementKind.INSERT)
    assert (["before_commit", "ended"] if line is MetastoreLine.HIVE_3 else []) == LOG


def test_a_quirk_hears_of_the_end_of_a_statement_that_fails() -> None:
    world = World(MetastoreLine.HIVE_3)
    world.engine.fails = RuntimeError("on purpose")
    with pytest.raises(RuntimeError, match="on purpose"):
        world.run(StatementKind.INSERT)
    assert LOG == ["failed"]


def test_nothing_is_asked_at_the_end_of_a_statement_that_has_come_to_no_hook() -> None:
    asked: Any = None  # a metastore that answers nothing
    acting.ActingQuirks(asked, asked).after_end(None)
    assert LOG == []
