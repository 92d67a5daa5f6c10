"""On 3.1, whose Workers hold no lock, no base of ours stands beside a result of Hive's that meets it in part."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.compaction.queue.requests import CompactionRequests
from hive_acid.compaction.queue.session_runner import SessionRunner
from hive_acid.config import Settings
from hive_acid.errors import WriteConflict
from hive_acid.metastore.compaction_types import CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE
from unit.compaction.worker_shop import MAJOR, MINOR, Shop

OTHER = replace(TABLE, table="other")
REQUEST = CompactionRequest(TABLE, MAJOR)


@pytest.fixture
def shop() -> Shop:
    return Shop(MetastoreLine.HIVE_3)


def ask(shop: Shop) -> CompactionRequests:
    clock = shop.world.clock
    runner = SessionRunner(shop.world.metastore, lambda _: shop.worker, "pool", clock.pause_ms)
    return CompactionRequests(shop.world.metastore, clock, clock.pause_ms, runner)


def set_state(shop: Shop, state: CompactionState) -> None:
    """As Hive's Worker does, in the latest entry."""
    shop.world.memory._compactions._change(shop.entry().id, state=state)


def bases(shop: Shop) -> list[str]:
    return [name for name in shop.world.folders() if name.startswith("base_")]


def test_what_hive_has_folded_meanwhile_is_folded_in_its_stead(shop: Shop) -> None:
    """Hive's minor compaction of the writes 1 to 3 ends while the writes 1 and 2 are being folded.

    With base_2 beside it, readers would meet the rows of these twice.
    """

    def fold_in_hive() -> None:
        shop.engine.before = None
        for _ in range(2):
            shop.world.run(StatementKind.INSERT)
        shop.world.file_system.add_file(f"{LOCATION}/delta_0000001_0000003/bucket_00000")

    shop.engine.before = fold_in_hive
    outcome = shop.worker.publish_base(TABLE, None)
    assert outcome.folders == ("base_0000004",)
    assert bases(shop) == ["base_0000004"]
    assert shop.world.open_transactions() == []


def test_a_table_that_hive_folds_again_and_again_is_a_conflict(shop: Shop) -> None:
    def fold_in_hive() -> None:
        for _ in range(2):
            shop.world.run(StatementKind.INSERT)
        last = 1 + 2 * len(shop.engine.specs)
        shop.world.file_system.add_file(f"{LOCATION}/delta_0000001_{last:07d}/bucket_00000")

    shop.engine.before = fold_in_hive
    with pytest.raises(WriteConflict, match="delta_0000001_"):
        shop.worker.publish_base(TABLE, None)
    assert bases(shop) == []
    assert not [path for path in shop.world.file_system.files if f"/{STAGING_PREFIX}" in path]
    assert shop.world.open_transactions() == []


def test_a_base_that_hive_has_made_meanwhile_is_enough(shop: Shop) -> None:
    """A rename to the name of its base would put ours into it."""
    path = f"{LOCATION}/base_0000002"

    def fold_in_hive() -> None:
        shop.engine.before = None
        shop.world.file_system.add_file(f"{path}/bucket_00000")
        shop.world.file_system.add_file(f"{path}/_metadata_acid", text='{"dataFormat":"compacted"}')

    shop.engine.before = fold_in_hive
    assert shop.worker.publish_base(TABLE, None).folders == ()
    assert bases(shop) == ["base_0000002"]


@pytest.mark.parametrize("state", [CompactionState.INITIATED, CompactionState.WORKING])
@pytest.mark.parametrize("is_late", [False, True])
def test_nothing_is_published_beside_a_compaction_that_hive_may_be_at(
    shop: Shop, state: CompactionState, is_late: bool
) -> None:
    def request() -> None:
        shop.request(MINOR)
        set_state(shop, state)

    if is_late:
        shop.engine.before = request
    else:
        request()
    (outcome,) = ask(shop).compact([REQUEST], Settings({}), waits=False)
    assert (outcome.accepted, outcome.compaction_id, outcome.state) == (False, shop.entry().id, state.value)
    assert outcome.reason == f"compaction {shop.entry().id} of it is {state.value}"
    assert bases(shop) == []
    assert len(shop.world.memory.compactions()) == 1, "Hive is asked for nothing that has no base before it"
    assert shop.world.open_transactions() == []


def test_nothing_is_asked_for_if_it_ends_right_then(shop: Shop) -> None:
    """Hive would fold by itself what a session is to fold."""
    shop.request(MINOR)
    shop.world.metastore.before["request_compaction"] = lambda: set_state(shop, CompactionState.SUCCEEDED)
    (outcome,) = ask(shop).compact([REQUEST], Settings({}), waits=False)
    assert not outcome.accepted
    assert "request_compaction" not in shop.world.metastore.calls


def test_an_erasure_waits_for_it_and_then_has_its_own(shop: Shop) -> None:
    shop.request(MINOR)

    def end() -> None:
        set_state(shop, CompactionState.SUCCEEDED)

    shop.world.clock.after_pause = end
    outcome = ask(shop).compact_anew(REQUEST, Settings({}))
    assert (outcome.accepted, bases(shop)) == (True, ["base_0000002"])


def test_a_major_one_that_nobody_has_begun_is_in_nobodys_way(shop: Shop) -> None:
    """That of an earlier statement waits for Hive's Worker, which finds nothing left to fold."""
    shop.request(MAJOR)
    (outcome,) = ask(shop).compact([REQUEST], Settings({}), waits=False)
    assert (outcome.accepted, outcome.compaction_id, bases(shop)) == (False, 1, ["base_0000002"])


def test_compactions_of_others_are_in_nobodys_way(shop: Shop) -> None:
    for request in (CompactionRequest(OTHER, MINOR), CompactionRequest(TABLE, MINOR, partition="day=1")):
        shop.world.memory.request_compaction(request)
    shop.worker.publish_base(TABLE, None)
    assert bases(shop) == ["base_0000002"]
