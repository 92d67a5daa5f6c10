"""An erasure that is killed at random moments, several times, beside others, ends right once it is left alone.

`integration/faults/test_killed_erasure.py` kills the command with its JVM.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest

from support.erasure_boundaries import (
    REMOVED_BY_AN_ERASURE,
    Boundaries,
    beside,
    count_others,
    find_bytes,
    find_lie,
    kill,
    watch,
)
from support.erasure_disk import Killed
from support.erasure_process import Killing
from support.erasure_shop import Shop

IN_THE_GATE = 10
SEEDS = [pytest.param(seed, marks=() if seed < IN_THE_GATE else pytest.mark.slow) for seed in range(110)]
IN_A_DELETION = ("open_transaction", "commit", "abort")
"""A kill within a compaction leaves a worker's job, which `integration/test_erasure_compactions.py` is about."""
CALLS = 400
CALLS_OF_A_PROCESS = 180
"""Of a run that nobody kills about so many are made; the engine's own calls of the metastore are none of them."""


def run_until_killed(shop: Shop, acts: dict[int, Callable[[], object]], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether it has ended well. A write of the ledger is a boundary as each call is: it may be the last."""
    with beside(shop, acts, IN_A_DELETION) as boundaries, monkeypatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: boundaries.pass_one())
        try:
            outcome = shop.erase()
        except Killed:
            return False
    assert outcome.certificate is not None
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_that_is_killed_at_random_moments_ends_right(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance, clock, others = random.Random(seed), watch(shop), count_others(shop)
    kills = 0

    def plant() -> None:
        before = count_others(shop)
        chance.choice(list(REMOVED_BY_AN_ERASURE.values()))(shop)
        others.update(count_others(shop) - before)

    for _ in range(chance.randint(1, 4)):
        acts: dict[int, Callable[[], object]] = {chance.randrange(1, CALLS): kill}
        if chance.random() < 0.5:
            acts[chance.randrange(1, CALLS)] = plant
        kills += not run_until_killed(shop, acts, monkeypatch)
        if kills and shop.ledger.exists() and chance.random() < 0.3:
            with shop.ledger.open("ab") as file:  # as a write that a crash has cut off
                file.write(b'{"at_ms":1,"ev')
        assert count_others(shop) == others
    outcome = shop.erase()
    assert outcome.certificate is not None
    assert find_lie(outcome.certificate, clock) == ""
    assert (outcome.verdict.state.value, find_bytes(shop)) == ("erased", []), kills
    assert count_others(shop) == others
    found = [line for line in shop.ledger.read_text().splitlines() if '"event":"found"' in line]
    assert len(found) == 3


def test_most_of_the_random_moments_lie_within_a_run(shop: Shop) -> None:
    with beside(shop, {}, IN_A_DELETION) as boundaries:
        shop.erase()
    assert isinstance(boundaries, Boundaries)
    assert CALLS * 0.8 < boundaries.calls + 20 < CALLS * 1.5


@pytest.mark.parametrize("seed", [pytest.param(s, marks=() if s < 4 else pytest.mark.slow) for s in range(44)])
def test_a_process_that_is_killed_at_random_moments_leaves_an_erasure_that_ends_right(shop: Shop, seed: int) -> None:
    """By SIGKILL: what it was writing into the ledger is cut off wherever that is, and nothing of it runs on."""
    chance, clock, others = random.Random(seed), watch(shop), count_others(shop)
    killings = (
        Killing(shop, chance.randrange(1, CALLS_OF_A_PROCESS), chance.uniform(0, 0.004))
        for _ in range(chance.randint(1, 3))
    )
    ended = [killing.run() for killing in killings]
    assert count_others(shop) == others
    outcome = shop.erase()
    assert outcome.certificate is not None
    assert find_lie(outcome.certificate, clock) == ""
    assert (outcome.verdict.state.value, find_bytes(shop)) == ("erased", []), ended
    assert shop.disk.deleted_rows == 3
