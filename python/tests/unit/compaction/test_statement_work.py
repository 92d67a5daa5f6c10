"""A statement is told what was done for it, and what waits in the queue already is met without harm to others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.compaction.queue.liveness import STATEMENT_POOL_PREFIX
from hive_acid.compaction.queue.requests import RequestOutcome
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from support.statements import TABLE, build_table
from unit.compaction.session_shop import OTHER, add_other, ask
from unit.compaction.worker_shop import FAILED, INSERT_ONLY, MAJOR, MINOR, READY, REFUSED, Shop

REBALANCE = CompactionKind.REBALANCE
INITIATED = CompactionState.INITIATED
DEAD = f"{STATEMENT_POOL_PREFIX}dead-1"
BASE, DELTA = "base_0000002", "delta_0000001_0000002"


def wait_for(shop: Shop, kind: CompactionKind, pool: str | None = None, **wishes: object) -> int:
    """The ID of a request that waits, of another session or of an Initiator."""
    request = replace(CompactionRequest(TABLE, kind, pool=pool), **wishes)  # type: ignore[arg-type]
    id_ = shop.world.memory.request_compaction(request).id
    assert id_ is not None
    return id_


def states(shop: Shop) -> dict[int, CompactionState]:
    return {info.id: info.state for info in shop.world.memory.compactions()}


def made(shop: Shop) -> list[str]:
    """Folders that were made, without the transactions in their names."""
    return [name.partition("_v")[0] for name in shop.world.folders() if name not in shop.before]


def told(outcome: RequestOutcome) -> tuple[object, ...]:
    """Type, ID, state and whether it was accepted."""
    return outcome.row()[3:7]


@pytest.mark.parametrize("pool", [None, DEAD])
@pytest.mark.parametrize(
    ("waiting", "asked", "folder"), [(MAJOR, MAJOR, BASE), (MINOR, MINOR, DELTA), (MAJOR, MINOR, BASE)]
)
def test_an_entry_that_does_what_is_asked_for_is_done_and_told_as_what_it_is(
    pool: str | None, waiting: CompactionKind, asked: CompactionKind, folder: str
) -> None:
    shop = Shop()
    earlier = wait_for(shop, waiting, pool)
    (outcome,) = ask(shop, CompactionRequest(TABLE, asked))
    assert told(outcome) == (waiting.name, earlier, "ready for cleaning", True)
    assert made(shop) == [folder]


@pytest.mark.parametrize("pool", [None, DEAD])
@pytest.mark.parametrize(("waiting", "asked"), [(MINOR, MAJOR), (MINOR, REBALANCE), (MAJOR, REBALANCE)])
def test_an_entry_that_does_less_is_given_up_for_what_is_asked_for(
    pool: str | None, waiting: CompactionKind, asked: CompactionKind
) -> None:
    shop = Shop()
    earlier = wait_for(shop, waiting, pool)
    (outcome,) = ask(shop, CompactionRequest(TABLE, asked))
    assert told(outcome) == (asked.name, earlier + 1, "ready for cleaning", True)
    assert made(shop) == [BASE]
    assert states(shop) == {earlier: REFUSED, earlier + 1: READY}
    given_up = shop.world.memory.compactions()[-1]
    assert given_up.error == f"a {asked.value} compaction was asked for meanwhile"
    assert shop.world.open_transactions() == []


@pytest.mark.parametrize("asked", [MINOR, MAJOR])
def test_a_rebalance_is_not_done_for_who_asks_for_less(asked: CompactionKind) -> None:
    shop = Shop()
    earlier = wait_for(shop, REBALANCE)
    (outcome,) = ask(shop, CompactionRequest(TABLE, asked))
    assert told(outcome) == (asked.name, earlier, "refused", False)
    assert outcome.reason.endswith("; it is a rebalance one")
    assert (made(shop), states(shop)) == ([], {earlier: INITIATED})


def test_properties_of_the_statement_are_not_dropped_for_an_entry_that_has_none() -> None:
    shop = Shop()
    earlier = wait_for(shop, MAJOR)
    (outcome,) = ask(shop, CompactionRequest(TABLE, MAJOR, properties=(("tblprops.orc.compress", "ZLIB"),)))
    assert told(outcome) == ("MAJOR", earlier + 1, "ready for cleaning", True)
    (spec,) = shop.engine.specs
    assert "ZLIB" in repr(spec)


def test_an_entry_with_wishes_of_its_own_is_not_given_up() -> None:
    shop = Shop()
    earlier = wait_for(shop, MINOR, properties=(("tblprops.orc.compress", "ZLIB"),))
    ask(shop, CompactionRequest(TABLE, MAJOR))
    assert states(shop)[earlier] is READY
    assert DELTA in made(shop)


def test_one_that_another_worker_takes_meanwhile_is_not_told_as_done() -> None:
    """It takes the minor one after the look at the queue."""
    shop = Shop()
    wait_for(shop, MINOR)
    shop.world.metastore.before["next_compaction"] = lambda: shop.world.memory.next_compaction("hive-1", "test", None)
    (outcome,) = ask(shop)
    assert (outcome.accepted, outcome.state) == (False, "refused")
    assert "state='working'" in outcome.reason
    assert made(shop) == []


def test_entries_of_several_partitions_are_met_in_any_order() -> None:
    """The queue has them in another order than the statement."""
    shop = Shop()
    other = add_other(shop)
    shop.world.memory.request_compaction(replace(other, kind=MINOR))
    wait_for(shop, MINOR)
    outcomes = ask(shop, CompactionRequest(TABLE, MAJOR), other)
    assert [told(outcome)[0::3] for outcome in outcomes] == [("MAJOR", True), ("MAJOR", True)]
    assert states(shop) == {1: REFUSED, 2: REFUSED, 3: READY, 4: READY}


class TestBehindOthers:
    """The queue gives out the oldest entry of a pool, whoever's it is."""

    def add_text(self, shop: Shop) -> None:
        """A table that only Hive compacts, with a request of no pool."""
        text = "org.apache.hadoop.mapred.TextInputFormat"
        table = build_table(name=OTHER, location="/warehouse/logs", parameters=INSERT_ONLY, input_format=text)
        shop.world.memory.add_table(table)
        assert shop.world.memory.request_compaction(CompactionRequest(OTHER, MAJOR)).accepted

    def test_one_that_only_hive_can_do_is_not_taken(self) -> None:
        shop = Shop()
        self.add_text(shop)
        earlier = wait_for(shop, MAJOR)
        (outcome,) = ask(shop)
        assert states(shop) == {1: INITIATED, earlier: INITIATED}
        assert told(outcome) == ("MAJOR", earlier, "refused", False)
        assert outcome.reason.endswith("; it waits behind 1 that only Hive's workers do")

    @pytest.mark.parametrize("kind", [CompactionKind.SMART_OPTIMIZE, CompactionKind.OTHER, REBALANCE])
    def test_one_of_a_kind_that_may_be_hives_alone_is_not_taken(self, kind: CompactionKind) -> None:
        shop = Shop()
        shop.world.memory.request_compaction(replace(add_other(shop), kind=kind))
        wait_for(shop, MINOR)
        assert not ask(shop)[0].accepted
        assert states(shop) == {1: INITIATED, 2: INITIATED}

    def test_one_that_we_can_do_is_done_first(self) -> None:
        shop = Shop()
        shop.world.memory.request_compaction(add_other(shop))
        earlier = wait_for(shop, MAJOR)
        assert told(ask(shop)[0]) == ("MAJOR", earlier, "ready for cleaning", True)
        assert states(shop) == {1: READY, earlier: READY}

    def test_its_failure_is_not_the_statements(self) -> None:
        shop = Shop()
        shop.world.memory.request_compaction(add_other(shop))
        earlier = wait_for(shop, MAJOR)
        shop.engine.before = lambda: setattr(
            shop.engine, "fails", RuntimeError("full") if not shop.engine.specs[1:] else None
        )
        assert told(ask(shop)[0]) == ("MAJOR", earlier, "ready for cleaning", True)
        assert states(shop) == {1: FAILED, earlier: READY}

    def test_the_failure_of_the_entry_itself_is_the_statements(self) -> None:
        shop = Shop()
        shop.world.memory.request_compaction(add_other(shop))
        wait_for(shop, MAJOR)
        shop.engine.before = lambda: setattr(
            shop.engine, "fails", RuntimeError("full") if shop.engine.specs[1:] else None
        )
        with pytest.raises(RuntimeError, match="full"):
            ask(shop)
        assert states(shop) == {1: READY, 2: FAILED}

    def test_a_metastore_that_has_gone_is_no_table_that_only_hive_compacts(self) -> None:
        shop = Shop()
        shop.world.memory.request_compaction(add_other(shop))
        wait_for(shop, MAJOR)
        shop.world.metastore.method, shop.world.metastore.nth = "table", 2
        with pytest.raises(HiveAcidError):
            ask(shop)
        assert states(shop) == {1: INITIATED, 2: INITIATED}
