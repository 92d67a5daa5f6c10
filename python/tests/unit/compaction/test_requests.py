"""What ALTER TABLE … COMPACT requests, and how it waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid import config
from hive_acid.compaction.queue.requests import CompactionRequests, RequestOutcome
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.compaction_types import (
    CompactionInfo,
    CompactionKind,
    CompactionRequest,
    CompactionState,
    RequestedCompaction,
)
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.operators.compact import build_requests
from hive_acid.sql.operator_parsing import find_operator_statement
from hive_acid.sql.operator_statements import Compact

T = TableName("db", "t")
FLAT = TableDescription(T, "/t", (Column("id", "int"),), parameters={"transactional": "true"})
PARTITIONED = replace(FLAT, partition_columns=(Column("k", "int"),))
BUCKETED = replace(FLAT, bucket_columns=("id",), bucket_count=4)
INSERT_ONLY = replace(FLAT, parameters={"transactional": "true", "transactional_properties": "insert_only"})
PLAIN = replace(FLAT, parameters={})
THREE, FOUR = MetastoreLine.HIVE_3, MetastoreLine.HIVE_4


def compact(clauses: str, partition: str = "") -> Compact:
    found = find_operator_statement(f"ALTER TABLE t {partition} COMPACT {clauses}")
    assert found is not None
    assert isinstance(found.statement, Compact)
    return found.statement


def requested(
    clauses: str, table: TableDescription = FLAT, names: Sequence[str] = (), line: MetastoreLine = FOUR
) -> tuple[CompactionRequest, ...]:
    return build_requests(compact(clauses), table, names, line, "host-manual")


def test_a_flat_table_is_one_request() -> None:
    clauses = "'major' POOL 'p' WITH OVERWRITE TBLPROPERTIES ('a' = 'b')"
    assert requested(clauses) == (
        CompactionRequest(T, CompactionKind.MAJOR, None, (("a", "b"),), "p", initiator="host-manual"),
    )


def test_each_partition_is_a_request() -> None:
    found = requested("'minor'", PARTITIONED, ["k=1", "k=2"])
    assert [(request.partition, request.kind) for request in found] == [
        ("k=1", CompactionKind.MINOR),
        ("k=2", CompactionKind.MINOR),
    ]
    assert requested("'minor'", PARTITIONED, []) == ()


def test_a_rebalance_says_how_many_buckets() -> None:
    (request,) = requested("'rebalance' CLUSTERED INTO 3 BUCKETS")
    assert (request.kind, request.buckets) == (CompactionKind.REBALANCE, 3)


@pytest.mark.parametrize("line", [THREE, FOUR])
@pytest.mark.parametrize(
    ("clauses", "table"), [("'major'", INSERT_ONLY), ("'major'", BUCKETED), ("'minor'", PARTITIONED), ("'minor'", FLAT)]
)
def test_what_both_lines_do(clauses: str, table: TableDescription, line: MetastoreLine) -> None:
    assert len(requested(clauses, table, ["k=1"], line)) == 1


@pytest.mark.parametrize(
    ("clauses", "table", "line", "reason"),
    [
        ("'major'", PLAIN, FOUR, "it is not transactional"),
        ("'major' CLUSTERED INTO 2 BUCKETS", FLAT, FOUR, "CLUSTERED INTO"),
        ("'rebalance' ORDER BY id", FLAT, FOUR, "ORDER BY id"),
        ("'rebalance'", BUCKETED, FOUR, "CLUSTERED BY"),
        ("'rebalance'", INSERT_ONLY, FOUR, "insert-only"),
        ("'rebalance'", FLAT, THREE, "3.1 line, which does not know COMPACT 'rebalance'"),
        ("'major' POOL 'p'", FLAT, THREE, "3.1 line, which does not know POOL"),
        ("'major' CLUSTERED INTO 2 BUCKETS", FLAT, THREE, "3.1 line, which does not know CLUSTERED INTO"),
        ("'minor'", INSERT_ONLY, THREE, "compacts such tables only with 'major'"),
    ],
)
def test_what_a_table_or_its_metastore_cannot_do_is_refused(
    clauses: str, table: TableDescription, line: MetastoreLine, reason: str
) -> None:
    with pytest.raises(HiveAcidError, match=reason.replace("(", r"\(")) as raised:
        requested(clauses, table, (), line)
    assert raised.value.main_condition == "HIVE_ACID_UNSUPPORTED_TABLE"
    assert raised.value.getMessageParameters()["operation"].startswith("COMPACT '")


def test_4_x_compacts_insert_only_tables_by_minor_too() -> None:
    assert len(requested("'minor'", INSERT_ONLY)) == 1


def test_a_partition_of_a_flat_table_is_refused() -> None:
    with pytest.raises(HiveAcidError, match="it has no partitions"):
        build_requests(compact("'major'", "PARTITION (k = 1)"), FLAT, (), FOUR, "host-manual")


@dataclass
class World:
    """A queue whose time passes when somebody waits; `on_pause` is what others do meanwhile."""

    memory: MemoryMetastore
    now_ms: int = 0
    pauses: list[int] = field(default_factory=list)
    on_pause: Callable[[], None] = lambda: None

    def pause(self, pause_ms: int) -> None:
        self.now_ms += pause_ms
        self.pauses.append(pause_ms)
        self.on_pause()

    def run(self, names: Sequence[str], *, waits: bool = True, **values: int) -> list[RequestOutcome]:
        keys = {"poll": config.COMPACTION_POLL_MS.key, "timeout": config.COMPACTION_WAIT_TIMEOUT_MS.key}
        settings = config.Settings({keys[name]: str(value) for name, value in values.items()})
        service = CompactionRequests(self.memory, lambda: self.now_ms, self.pause)
        requests = [CompactionRequest(T, CompactionKind.MAJOR, name) for name in names]
        return service.compact(requests, settings, waits=waits)

    def run_anew(self) -> RequestOutcome:
        service = CompactionRequests(self.memory, lambda: self.now_ms, self.pause)
        return service.compact_anew(CompactionRequest(T, CompactionKind.MAJOR, "k=1"), config.Settings({}))

    def work(self, error: str | None = None, *, does_nothing: bool = False) -> None:
        """Somebody does the next entry."""
        job = self.memory.next_compaction("host-0", "test", None)
        assert job is not None
        job = replace(job, error=error)
        if does_nothing:
            self.memory.mark_refused(job)
        elif error:
            self.memory.mark_failed(job)
        else:
            self.memory.mark_compacted(job)


@pytest.fixture
def world() -> World:
    return World(MemoryMetastore())


def test_a_request_that_nobody_waits_for_is_queued(world: World) -> None:
    first, second = world.run(["k=1", "k=2"], waits=False)
    assert first.row() == ("db", "t", "k=1", "MAJOR", 1, "initiated", True, None)
    assert (second.compaction_id, second.request.partition) == (2, "k=2")
    assert {len(first.row())} == {len(Compact.COLUMNS)}
    assert world.pauses == []


def test_a_second_request_is_not_accepted_and_says_why(world: World) -> None:
    world.run(["k=1"], waits=False)
    (again,) = world.run(["k=1"])  # nor waited for
    assert (again.compaction_id, again.accepted, again.state) == (None, False, "refused")
    assert "already scheduled" in again.reason
    three = World(MemoryMetastore(THREE))
    three.run(["k=1"], waits=False)
    (again,) = three.run(["k=1"])
    assert again.row()[4:] == (1, "initiated", False, "compaction 1 of it is initiated")


def test_who_waits_sees_how_each_ended(world: World) -> None:
    steps = [lambda: world.work(), lambda: world.work("nothing to do", does_nothing=True)]
    world.on_pause = lambda: steps.pop(0)()
    first, second = world.run(["k=1", "k=2"], poll=70)
    assert (first.state, first.reason) == ("ready for cleaning", "")
    assert (second.state, second.reason) == ("refused", "nothing to do")
    assert world.pauses == [70, 70]


def test_the_cleaner_changes_nothing_of_what_a_statement_tells(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    found = world.memory.compactions

    def cleaned() -> list[CompactionInfo]:
        return [replace(e, state=CompactionState.SUCCEEDED) if e.state is CompactionState.READY else e for e in found()]

    monkeypatch.setattr(world.memory, "compactions", cleaned)
    world.on_pause = lambda: world.work()
    (outcome,) = world.run(["k=1"])
    assert (outcome.state, outcome.reason) == ("ready for cleaning", "")


@pytest.mark.parametrize("error", [None, "the disk is full"])
def test_a_compaction_anew_begins_after_one_that_is_under_way_has_ended(world: World, error: str | None) -> None:
    world.run(["k=1"], waits=False)
    steps = [lambda: world.work(error), lambda: world.work()]
    world.on_pause = lambda: steps.pop(0)()
    outcome = world.run_anew()
    assert (outcome.compaction_id, outcome.state, steps) == (2, "ready for cleaning", [])


def test_a_compaction_anew_that_is_refused_for_good_is_a_failure(world: World) -> None:
    class Refusing(MemoryMetastore):
        def request_compaction(self, request: CompactionRequest) -> RequestedCompaction:
            return RequestedCompaction(None, CompactionState.REFUSED, False, "not of this table")

    with pytest.raises(HiveAcidError, match="not of this table"):
        World(Refusing()).run_anew()


def test_a_failure_is_told_once_all_have_ended(world: World) -> None:
    steps = [lambda: world.work("the disk is full"), lambda: world.work()]
    world.on_pause = lambda: steps.pop(0)()
    with pytest.raises(HiveAcidError) as raised:
        world.run(["k=1", "k=2"])
    assert raised.value.getCondition() == "HIVE_ACID_COMPACTION_FAILED"
    assert raised.value.getMessageParameters() == {
        "compactionId": "1",
        "table": "db.t (k=1)",
        "state": "failed",
        "reason": "the disk is full",
    }
    assert steps == []
    assert raised.value.__notes__ == ["requested were the compactions 1, 2, which SHOW COMPACTIONS lists"]


def test_a_wait_ends_in_time_and_the_request_stays(world: World) -> None:
    with pytest.raises(HiveAcidError) as raised:
        world.run(["k=1"], poll=400, timeout=1_000)
    assert raised.value.getCondition() == "HIVE_ACID_COMPACTION_TIMEOUT"
    assert raised.value.getMessageParameters()["waitedMs"] == "1000"
    assert world.pauses == [400, 400, 200]
    assert world.memory.compactions()[0].state is CompactionState.INITIATED


def test_a_wait_is_cancelled(world: World) -> None:
    def cancel() -> None:
        raise build_error("HIVE_ACID_CANCELLED", reason="job group x was cancelled")

    world.on_pause = cancel
    with pytest.raises(HiveAcidError, match="HIVE_ACID_CANCELLED") as raised:
        world.run(["k=1"])
    assert "compactions 1" in raised.value.__notes__[0]


def test_an_entry_that_is_forgotten_is_no_success(world: World) -> None:
    class Forgetting(MemoryMetastore):
        def compactions(self) -> list[CompactionInfo]:
            return []

    with pytest.raises(HiveAcidError, match="ended as unknown: the metastore no longer lists it"):
        World(Forgetting()).run(["k=1"])


def test_a_request_that_fails_says_what_was_requested_before(world: World) -> None:
    class Failing(MemoryMetastore):
        def request_compaction(self, request: CompactionRequest) -> RequestedCompaction:
            if request.partition == "k=2":
                raise build_error("HIVE_ACID_METASTORE_REFUSED", method="compact2", reason="no")
            return super().request_compaction(request)

    with pytest.raises(HiveAcidError, match="compact2") as raised:
        World(Failing()).run(["k=1", "k=2", "k=3"])
    assert raised.value.__notes__ == ["requested were the compactions 1, which SHOW COMPACTIONS lists"]


def test_a_runner_does_what_was_requested_before_anybody_waits(world: World) -> None:
    given: list[RequestOutcome] = []

    class Worker:
        def prepare(
            self, requests: Sequence[CompactionRequest], settings: config.Settings, *, skips_needless: bool
        ) -> Sequence[CompactionRequest]:
            return [replace(request, pool=None, initiator="this-session") for request in requests]

        def run(self, outcomes: Sequence[RequestOutcome], settings: config.Settings) -> Sequence[RequestOutcome]:
            given.extend(outcomes)
            world.work()
            return outcomes

    service = CompactionRequests(world.memory, lambda: 0, world.pause, Worker())
    request = CompactionRequest(T, CompactionKind.MAJOR, pool="asked")
    (outcome,) = service.compact([request], config.Settings({}), waits=False)
    assert [found.compaction_id for found in given] == [1]
    assert outcome.state == "ready for cleaning"
    assert world.memory.compactions()[0].initiator == "this-session"
    assert world.pauses == []
