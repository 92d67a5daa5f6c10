"""What every `Metastore` promises about its compaction queue; the worker's side is that of 4.x."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import (
    CompactionInfo,
    CompactionJob,
    CompactionKind,
    CompactionRequest,
    CompactionState,
)
from hive_acid.metastore.types import LockState, MetastoreLine, TransactionState
from hive_acid.model.table import TableName
from support.compaction_states import LEFT_TO_CLEANER
from support.metastore_releases import GATE_VERSION, OTHER_VERSIONS
from support.metastore_session import READ, Session

MAJOR = CompactionKind.MAJOR
WITH_WORKERS = ("memory-4", "embedded", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHER_VERSIONS[1:]))
WORKER = "testhost-0"


@pytest.fixture
def pool(session: Session, table: TableName) -> str | None:
    """One that nobody else serves."""
    return None if session.metastore.line is MetastoreLine.HIVE_3 else f"pool_{table}"


@pytest.fixture
def request_(session: Session, table: TableName, pool: str | None) -> CompactionRequest:
    return CompactionRequest(table, MAJOR, pool=pool, user="tester")


def entry(session: Session, table: TableName) -> CompactionInfo:
    (found,) = [info for info in session.metastore.compactions() if info.table == table]
    return found


def test_what_was_requested_is_listed(session: Session, request_: CompactionRequest) -> None:
    answer = session.metastore.request_compaction(request_)
    assert answer.accepted
    assert answer.state is CompactionState.INITIATED
    listed = entry(session, request_.table)
    assert (listed.id, listed.kind, listed.state) == (answer.id, MAJOR, CompactionState.INITIATED)
    assert (listed.partition, listed.user, listed.pool) == (None, "tester", request_.pool)
    assert listed.txn_id is None


def test_the_same_is_not_requested_twice(session: Session, request_: CompactionRequest) -> None:
    first = session.metastore.request_compaction(request_)
    second = session.metastore.request_compaction(replace(request_, kind=CompactionKind.MINOR))
    assert not second.accepted
    if session.metastore.line is MetastoreLine.HIVE_3:
        assert (second.id, second.state) == (first.id, CompactionState.INITIATED)
    else:
        assert (second.id, second.state) == (None, CompactionState.REFUSED)
        assert str(first.id) in second.reason
    assert entry(session, request_.table).kind is MAJOR


def test_the_latest_request_is_listed_first(session: Session, request_: CompactionRequest) -> None:
    tables = [request_.table, *(session.setup.create_table(name) for name in ("later", "latest"))]
    for table in tables:
        session.metastore.request_compaction(replace(request_, table=table))
    assert [info.table for info in session.metastore.compactions() if info.table in tables] == tables[::-1]


def test_what_was_requested_for_no_pool_is_listed_with_none(session: Session, request_: CompactionRequest) -> None:
    session.metastore.request_compaction(replace(request_, pool=None))
    assert entry(session, request_.table).pool is None


def test_transactions_of_anybody_are_aborted(session: Session) -> None:
    first, second, ended = session.begin(), session.begin(), session.begin()
    session.metastore.commit(ended)
    session.metastore.abort_transactions([first, second])
    states = [session.metastore.transaction_state(txn_id) for txn_id in (first, second)]
    assert states == [TransactionState.ABORTED] * 2


def test_all_tables_are_listed(session: Session, table: TableName) -> None:
    assert table in session.metastore.table_names()


@pytest.mark.parametrize("setup", WITH_WORKERS, indirect=True)
def test_a_request_that_nobody_has_begun_is_aborted(session: Session, request_: CompactionRequest) -> None:
    requested = session.metastore.request_compaction(request_)
    assert requested.id is not None
    unknown = 9_000_000_000
    answers = session.metastore.abort_compactions([unknown, requested.id])
    assert [(answer.id, answer.status) for answer in answers] == [(unknown, "Error"), (requested.id, "Success")]
    assert entry(session, request_.table).state is CompactionState.ABORTED
    (again,) = session.metastore.abort_compactions([requested.id])
    assert again.status == "Error"


@pytest.mark.parametrize("setup", WITH_WORKERS, indirect=True)
class TestWorker:
    """3.1 has none of it: see `test_3_1_lets_nobody_else_compact`."""

    @pytest.fixture
    def job(self, session: Session, request_: CompactionRequest) -> CompactionJob:
        session.metastore.request_compaction(request_)
        job = session.metastore.next_compaction(WORKER, "test", request_.pool)
        assert job is not None
        return job

    @pytest.fixture
    def started(self, session: Session, job: CompactionJob) -> tuple[CompactionJob, int]:
        txn_id = session.metastore.open_compaction("tester", "testhost", "contract", job.kind)
        session.begun.append(txn_id)
        assert session.lock(txn_id, job.table, READ)[1] is LockState.ACQUIRED
        job = replace(job, user="tester", highest_write_id=7)
        session.metastore.start_compaction(job, txn_id)
        return job, txn_id

    def test_an_entry_is_given_once(self, session: Session, job: CompactionJob, pool: str) -> None:
        assert (job.kind, job.partition, job.worker) == (MAJOR, None, WORKER)
        assert session.metastore.next_compaction(WORKER, "test", pool) is None
        listed = entry(session, job.table)
        assert (listed.id, listed.state, listed.worker) == (job.id, CompactionState.WORKING, WORKER)

    def test_an_entry_is_given_by_its_pool_only(self, session: Session, request_: CompactionRequest) -> None:
        session.metastore.request_compaction(request_)
        assert session.metastore.next_compaction(WORKER, "test", "another_pool") is None

    def test_what_was_done_waits_for_the_cleaner(self, session: Session, started: tuple[CompactionJob, int]) -> None:
        job, txn_id = started
        listed = entry(session, job.table)
        assert (listed.txn_id, listed.highest_write_id, listed.user) == (txn_id, 7, "tester")
        session.metastore.mark_compacted(job)
        session.metastore.commit(txn_id)
        assert entry(session, job.table).state in LEFT_TO_CLEANER

    def test_an_entry_tells_when_it_was_committed(self, session: Session, started: tuple[CompactionJob, int]) -> None:
        job, txn_id = started
        assert entry(session, job.table).committed_ms is None
        session.metastore.commit(txn_id)
        listed = entry(session, job.table)
        assert (listed.state, listed.committed_ms is not None) == (CompactionState.WORKING, True)
        session.metastore.mark_compacted(job)

    def test_a_failure_carries_its_reason(self, session: Session, started: tuple[CompactionJob, int]) -> None:
        job, txn_id = started
        session.metastore.mark_failed(replace(job, error="the disk is full"))
        session.metastore.abort(txn_id)
        listed = entry(session, job.table)
        assert (listed.state, listed.error) == (CompactionState.FAILED, "the disk is full")

    def test_nothing_to_do_is_said(self, session: Session, job: CompactionJob) -> None:
        session.metastore.mark_refused(replace(job, error="nothing to do"))
        listed = entry(session, job.table)
        assert (listed.state, listed.error) == (CompactionState.REFUSED, "nothing to do")

    def test_a_compaction_does_not_stand_in_the_way_of_a_snapshot(
        self, session: Session, started: tuple[CompactionJob, int]
    ) -> None:
        job, txn_id = started
        assert not session.metastore.valid_transactions(0).is_valid(txn_id)
        assert session.metastore.valid_transactions(txn_id).is_valid(txn_id)
        assert session.write_ids(session.begin(), job.table).open == frozenset()


@pytest.mark.parametrize("setup", ["memory-3.1", GATE_VERSION], indirect=True)
def test_3_1_lets_nobody_else_compact(session: Session, table: TableName) -> None:
    job = CompactionJob(1, table, MAJOR, None, "tester", None, WORKER, highest_write_id=1)
    txn_id = session.begin()
    calls: list[Callable[[], object]] = [
        lambda: session.metastore.next_compaction(WORKER, "test", None),
        lambda: session.metastore.open_compaction("tester", "testhost", "contract", MAJOR),
        lambda: session.metastore.start_compaction(job, txn_id),
        lambda: session.metastore.mark_compacted(job),
        lambda: session.metastore.mark_failed(job),
        lambda: session.metastore.mark_refused(job),
    ]
    for call in calls:
        with pytest.raises(HiveAcidError, match=r"3\.1"):
            call()
