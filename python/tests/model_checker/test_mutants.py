"""The checker finds that a rule is missing: each step and each row of the validity table is left out in turn."""

from __future__ import annotations

import pytest

from architecture.documents import HOOKS
from hive_acid.execution.steps import STEPS
from hive_acid.quirks.acting import OF_STATEMENTS
from hive_acid.transactions.validity import RULES
from support.model_checker.mutants import CHECKS, Mutant
from support.model_checker.rules import MUTANTS, OF_QUIRKS, OF_STEPS

FOUND = [mutant for mutant in MUTANTS if mutant.model]
HIDDEN = [mutant for mutant in FOUND if mutant.behind and CHECKS not in mutant.behind]


@pytest.mark.parametrize("mutant", FOUND, ids=lambda mutant: mutant.rule)
def test_a_rule_that_is_left_out_is_missed(mutant: Mutant) -> None:
    assert mutant.search().violation is not None


@pytest.mark.beyond_the_gate("what is found without both")
@pytest.mark.parametrize("mutant", HIDDEN, ids=lambda mutant: mutant.rule)
def test_what_stands_behind_a_rule_hides_that_it_is_missing(mutant: Mutant) -> None:
    assert mutant.search(is_whole=False).violation is None


@pytest.mark.beyond_the_gate("what is found without both")
@pytest.mark.parametrize("mutant", HIDDEN, ids=lambda mutant: mutant.rule)
def test_the_rule_hides_that_what_stands_behind_it_is_missing(mutant: Mutant) -> None:
    places = tuple(place for behind in mutant.behind for place in behind.places)
    assert Mutant(mutant.rule, places, mutant.model).search().violation is None


def test_every_rule_is_left_out_once_or_it_is_said_why_not() -> None:
    assert [mutant.rule for mutant in OF_STEPS] == [step.__name__ for step in STEPS.functions]
    assert [mutant.rule for mutant in OF_QUIRKS] == [
        f"{quirk.__name__}.{hook}" for quirk in OF_STATEMENTS for hook in HOOKS if hook in vars(quirk)
    ]
    of_rows = {(kind.value.upper(), line.value) for kind, line in RULES}
    assert {tuple(mutant.rule.partition(":")[0].split(" on ")) for mutant in MUTANTS if ":" in mutant.rule} >= of_rows
    assert all(bool(mutant.model) != bool(mutant.why) for mutant in MUTANTS)
