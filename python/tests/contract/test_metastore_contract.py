"""What every `Metastore` promises."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from hive_acid.errors import HiveAcidError, InvalidStatement, MetastoreRefused, TransactionAborted
from hive_acid.metastore import table_calls
from hive_acid.metastore.types import (
    LockComponent,
    LockKind,
    LockState,
    MetastoreLine,
    OperationKind,
    TransactionState,
)
from hive_acid.model.table import Column, TableKind, TableName
from hive_acid.model.write_ids import ValidWriteIdList
from support.metastore_setup import ACCURATE, TRANSACTIONAL, MetastoreSetup

ACQUIRED, WAITING = LockState.ACQUIRED, LockState.WAITING
READ, SHARED_WRITE, EXCLUSIVE = LockKind.SHARED_READ, LockKind.SHARED_WRITE, LockKind.EXCLUSIVE
SELECT, INSERT, UPDATE, DELETE = (
    OperationKind.SELECT,
    OperationKind.INSERT,
    OperationKind.UPDATE,
    OperationKind.DELETE,
)
NEVER_BEGUN = 10**12


@dataclass
class Session:
    """A metastore as one client uses it: remembers its transactions so that none stays open."""

    setup: MetastoreSetup
    begun: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metastore = self.setup.metastore

    def begin(self) -> int:
        self.begun.append(self.metastore.open_transaction("tester", "testhost", "contract"))
        return self.begun[-1]

    def write_ids(self, txn_id: int, table: TableName) -> ValidWriteIdList:
        return self.metastore.valid_write_ids([table], self.metastore.valid_transactions(txn_id))[table]

    def lock(
        self,
        txn_id: int,
        table: TableName,
        kind: LockKind,
        operation: OperationKind = SELECT,
        partition: str | None = None,
        *,
        is_dynamic: bool = False,
    ) -> tuple[int, LockState]:
        component = LockComponent(table, kind, operation, partition, is_dynamic)
        return self.metastore.lock(txn_id, [component], "tester", "testhost", "contract")

    @property
    def writer(self) -> LockKind:
        """The lock under which a row is changed."""
        return SHARED_WRITE if self.metastore.line is MetastoreLine.HIVE_3 else LockKind.EXCL_WRITE

    def begin_change(self, table: TableName, operation: OperationKind = UPDATE) -> tuple[int, int, LockState]:
        """A transaction that is about to change rows: its ID, its lock and whether that was granted."""
        txn_id = self.begin()
        self.metastore.allocate_write_id(txn_id, table)
        return txn_id, *self.lock(txn_id, table, self.writer, operation)

    def end_all(self) -> None:
        for txn_id in self.begun:
            if self.metastore.transaction_state(txn_id) is TransactionState.OPEN:
                self.metastore.abort(txn_id)


@pytest.fixture
def session(setup: MetastoreSetup):
    session = Session(setup)
    yield session
    session.end_all()


@pytest.fixture
def table(setup: MetastoreSetup) -> TableName:
    return setup.create_table("flat")


def condition_of(error: pytest.ExceptionInfo[HiveAcidError]) -> str | None:
    return error.value.getCondition()


class TestSnapshots:
    def test_a_transaction_sees_itself(self, session: Session) -> None:
        txn_id = session.begin()
        snapshot = session.metastore.valid_transactions(txn_id)
        assert snapshot.high_water_mark == txn_id
        assert snapshot.is_valid(txn_id)

    def test_nobodys_snapshot_sees_no_open_transaction(self, session: Session) -> None:
        txn_id = session.begin()
        snapshot = session.metastore.valid_transactions(0)
        assert snapshot.high_water_mark >= txn_id
        assert txn_id in snapshot.open

    def test_a_snapshot_does_not_see_a_transaction_that_was_open_when_it_was_taken(
        self, session: Session, table: TableName
    ) -> None:
        writer, reader = session.begin(), session.begin()
        write_id = session.metastore.allocate_write_id(writer, table)
        snapshot = session.metastore.valid_transactions(reader)
        session.metastore.commit(writer)
        assert not session.metastore.valid_write_ids([table], snapshot)[table].is_valid(write_id)

    def test_a_snapshot_sees_what_was_committed_before_it_was_taken(self, session: Session, table: TableName) -> None:
        writer = session.begin()
        write_id = session.metastore.allocate_write_id(writer, table)
        session.metastore.commit(writer)
        assert session.write_ids(session.begin(), table).is_valid(write_id)

    def test_a_snapshot_does_not_see_a_transaction_that_began_after_its_own(
        self, session: Session, table: TableName
    ) -> None:
        reader, writer = session.begin(), session.begin()
        write_id = session.metastore.allocate_write_id(writer, table)
        session.metastore.commit(writer)
        assert not session.write_ids(reader, table).is_valid(write_id)

    def test_an_aborted_transaction_is_listed_as_aborted(self, session: Session) -> None:
        lost = session.begin()
        session.metastore.abort(lost)
        snapshot = session.metastore.valid_transactions(session.begin())
        assert lost in snapshot.aborted
        assert lost not in snapshot.open


class TestWriteIds:
    def test_the_own_write_id_is_visible_to_its_own_snapshot(self, session: Session, table: TableName) -> None:
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        assert session.write_ids(txn_id, table).is_valid(write_id)

    def test_a_transaction_has_one_write_id_per_table(self, session: Session, table: TableName) -> None:
        txn_id = session.begin()
        first = session.metastore.allocate_write_id(txn_id, table)
        assert session.metastore.allocate_write_id(txn_id, table) == first

    def test_a_later_allocation_has_a_greater_write_id(self, session: Session, table: TableName) -> None:
        early, late = session.begin(), session.begin()
        first = session.metastore.allocate_write_id(late, table)
        assert session.metastore.allocate_write_id(early, table) > first

    def test_a_write_id_above_everything_visible_is_not_visible(self, session: Session, table: TableName) -> None:
        early, late = session.begin(), session.begin()
        of_late = session.metastore.allocate_write_id(late, table)
        of_early = session.metastore.allocate_write_id(early, table)
        seen = session.write_ids(early, table)
        assert seen.is_valid(of_early)
        assert not seen.is_valid(of_late)

    def test_an_aborted_write_id_is_listed_as_aborted(self, session: Session, table: TableName) -> None:
        kept, lost = session.begin(), session.begin()
        of_kept = session.metastore.allocate_write_id(kept, table)
        of_lost = session.metastore.allocate_write_id(lost, table)
        session.metastore.commit(kept)
        session.metastore.abort(lost)
        seen = session.write_ids(session.begin(), table)
        assert seen.is_valid(of_kept)
        assert seen.is_aborted(of_lost)
        assert not seen.is_valid(of_lost)

    def test_an_open_write_id_bounds_compacted_bases(self, session: Session, table: TableName) -> None:
        kept, still_open = session.begin(), session.begin()
        session.metastore.allocate_write_id(kept, table)
        of_open = session.metastore.allocate_write_id(still_open, table)
        session.metastore.commit(kept)
        assert session.write_ids(session.begin(), table).min_open == of_open

    def test_of_a_table_that_nobody_wrote_only_rows_from_before_are_visible(
        self, session: Session, table: TableName
    ) -> None:
        seen = session.write_ids(session.begin(), table)
        assert seen.max_visible == 0
        assert seen.is_valid(0)

    def test_nothing_is_visible_while_all_writers_are_open(self, session: Session, table: TableName) -> None:
        writers = [session.begin() for _ in range(3)]
        ids = [session.metastore.allocate_write_id(writer, table) for writer in writers]
        seen = session.write_ids(session.begin(), table)
        assert not any(seen.is_valid(write_id) for write_id in ids)

    def test_each_table_has_its_own_list(self, session: Session, table: TableName) -> None:
        other = session.setup.create_table("other")
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        lists = session.metastore.valid_write_ids([other, table], session.metastore.valid_transactions(txn_id))
        assert lists[table].table == str(table)
        assert (lists[table].max_visible, lists[other].max_visible) == (write_id, 0)

    def test_no_tables_have_no_lists(self, session: Session) -> None:
        assert session.metastore.valid_write_ids([], session.metastore.valid_transactions(0)) == {}


class TestLocks:
    def test_two_exclusive_writers_wait(self, session: Session, table: TableName) -> None:
        first, second = session.begin(), session.begin()
        assert session.lock(first, table, EXCLUSIVE, UPDATE)[1] is ACQUIRED
        lock_id, state = session.lock(second, table, EXCLUSIVE, UPDATE)
        assert state is WAITING
        assert session.metastore.check_lock(second, lock_id, 10) is WAITING

    @pytest.mark.parametrize("ending", ["commit", "abort"])
    def test_the_end_of_a_transaction_lets_the_next_one_in(
        self, session: Session, table: TableName, ending: str
    ) -> None:
        first, second = session.begin(), session.begin()
        session.lock(first, table, EXCLUSIVE, UPDATE)
        lock_id, _ = session.lock(second, table, EXCLUSIVE, UPDATE)
        getattr(session.metastore, ending)(first)
        assert session.metastore.check_lock(second, lock_id, 10) is ACQUIRED

    def test_readers_and_inserts_share(self, session: Session, table: TableName) -> None:
        states = [session.lock(session.begin(), table, READ, operation)[1] for operation in (SELECT, INSERT, SELECT)]
        assert states == [ACQUIRED] * 3

    def test_two_changing_writers_wait_for_each_other(self, session: Session, table: TableName) -> None:
        assert session.begin_change(table)[2] is ACQUIRED
        assert session.begin_change(table)[2] is WAITING

    def test_a_changing_writer_does_not_wait_for_readers(self, session: Session, table: TableName) -> None:
        session.lock(session.begin(), table, READ)
        assert session.begin_change(table)[2] is ACQUIRED
        assert session.lock(session.begin(), table, READ)[1] is ACQUIRED

    def test_shared_writers_wait_for_each_other_on_the_old_line_only(self, session: Session, table: TableName) -> None:
        session.lock(session.begin(), table, SHARED_WRITE, UPDATE)
        _, state = session.lock(session.begin(), table, SHARED_WRITE, UPDATE)
        assert state is (WAITING if session.metastore.line is MetastoreLine.HIVE_3 else ACQUIRED)

    def test_an_exclusive_lock_waits_for_a_reader_and_later_readers_wait_behind_it(
        self, session: Session, table: TableName
    ) -> None:
        reader, owner, late = session.begin(), session.begin(), session.begin()
        session.lock(reader, table, READ)
        lock_id, state = session.lock(owner, table, EXCLUSIVE, UPDATE)
        late_id, late_state = session.lock(late, table, READ)
        assert (state, late_state) == (WAITING, WAITING)
        session.metastore.commit(reader)
        assert session.metastore.check_lock(late, late_id, 10) is WAITING
        assert session.metastore.check_lock(owner, lock_id, 10) is ACQUIRED

    def test_locks_of_one_transaction_do_not_wait_for_each_other(self, session: Session, table: TableName) -> None:
        txn_id = session.begin()
        session.lock(txn_id, table, READ)
        assert session.lock(txn_id, table, EXCLUSIVE, UPDATE)[1] is ACQUIRED

    def test_all_objects_of_a_request_are_locked_or_none(self, session: Session, table: TableName) -> None:
        other = session.setup.create_table("other")
        holder, both, third = session.begin(), session.begin(), session.begin()
        session.lock(holder, table, EXCLUSIVE, UPDATE)
        components = [LockComponent(name, EXCLUSIVE, UPDATE) for name in (other, table)]
        _, state = session.metastore.lock(both, components, "tester", "testhost", "contract")
        assert state is WAITING
        assert {lock.state for lock in session.metastore.held_locks(other)} == {WAITING}
        assert session.lock(third, other, EXCLUSIVE, UPDATE)[1] is WAITING

    def test_partitions_are_locked_apart_and_the_table_covers_them(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        first, second, whole = session.begin(), session.begin(), session.begin()
        assert session.lock(first, table, EXCLUSIVE, UPDATE, "d=1")[1] is ACQUIRED
        assert session.lock(second, table, EXCLUSIVE, UPDATE, "d=2")[1] is ACQUIRED
        assert session.lock(whole, table, READ)[1] is WAITING

    def test_a_waiting_lock_can_be_taken_back(self, session: Session, table: TableName) -> None:
        session.lock(session.begin(), table, READ)
        lock_id, _ = session.lock(session.begin(), table, EXCLUSIVE, UPDATE)
        session.metastore.unlock(lock_id)
        assert session.lock(session.begin(), table, READ)[1] is ACQUIRED

    def test_a_lock_that_is_gone_can_be_taken_back_again(self, session: Session) -> None:
        session.metastore.unlock(NEVER_BEGUN)

    def test_a_granted_lock_stays_until_its_transaction_ends(self, session: Session, table: TableName) -> None:
        lock_id, _ = session.lock(session.begin(), table, EXCLUSIVE, UPDATE)
        with pytest.raises(MetastoreRefused):
            session.metastore.unlock(lock_id)
        assert [lock.state for lock in session.metastore.held_locks(table)] == [ACQUIRED]

    def test_a_lock_that_never_was_cannot_be_checked(self, session: Session) -> None:
        with pytest.raises(MetastoreRefused):
            session.metastore.check_lock(session.begin(), NEVER_BEGUN, 10)

    def test_held_locks_tell_who_waits_for_whom(self, session: Session, table: TableName) -> None:
        first, second = session.begin(), session.begin()
        held_id, _ = session.lock(first, table, EXCLUSIVE, UPDATE)
        waiting_id, _ = session.lock(second, table, READ)
        held, waiting = sorted(session.metastore.held_locks(table), key=lambda lock: lock.lock_id)
        assert (held.lock_id, held.txn_id, held.kind, held.state) == (held_id, first, EXCLUSIVE, ACQUIRED)
        assert (waiting.lock_id, waiting.txn_id, waiting.kind, waiting.state) == (waiting_id, second, READ, WAITING)
        assert waiting.blocked_by == held_id
        assert held.blocked_by is None
        assert (held.table, held.partition) == (table, None)
        assert (held.user, held.host, held.agent) == ("tester", "testhost", "contract")

    def test_held_locks_of_everything_include_those_of_each_table(self, session: Session, table: TableName) -> None:
        lock_id, _ = session.lock(session.begin(), table, READ, INSERT)
        assert lock_id in {lock.lock_id for lock in session.metastore.held_locks()}

    def test_no_lock_is_left_when_its_transaction_has_ended(self, session: Session, table: TableName) -> None:
        done, lost = session.begin(), session.begin()
        session.lock(done, table, READ)
        session.lock(lost, table, READ)
        session.metastore.commit(done)
        session.metastore.abort(lost)
        assert session.metastore.held_locks(table) == []


class TestConflicts:
    def test_the_second_updater_learns_of_the_first(self, session: Session, table: TableName) -> None:
        first, _, _ = session.begin_change(table)
        second, lock_id, _ = session.begin_change(table)
        session.metastore.commit(first)
        assert session.metastore.check_lock(second, lock_id, 10) is ACQUIRED
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(second) == first
        with pytest.raises(TransactionAborted, match="write conflict"):
            session.metastore.commit(second)
        assert session.metastore.transaction_state(second) is TransactionState.ABORTED

    def test_two_deletes_conflict_on_the_new_line_only(self, session: Session, table: TableName) -> None:
        first, _, _ = session.begin_change(table, DELETE)
        second, lock_id, _ = session.begin_change(table, DELETE)
        session.metastore.commit(first)
        session.metastore.check_lock(second, lock_id, 10)
        if session.metastore.line is MetastoreLine.HIVE_3:
            session.metastore.commit(second)
            return
        assert session.metastore.latest_conflict(second) == first
        with pytest.raises(TransactionAborted, match="write conflict"):
            session.metastore.commit(second)

    def test_inserts_never_conflict(self, session: Session, table: TableName) -> None:
        first, second = session.begin(), session.begin()
        for txn_id in (first, second):
            session.metastore.allocate_write_id(txn_id, table)
            session.lock(txn_id, table, READ, INSERT)
        session.metastore.commit(first)
        session.metastore.commit(second)

    def test_an_update_that_began_after_the_other_ended_does_not_conflict(
        self, session: Session, table: TableName
    ) -> None:
        first, _, _ = session.begin_change(table)
        session.metastore.commit(first)
        second, _, state = session.begin_change(table)
        assert state is ACQUIRED
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(second) == 0
        session.metastore.commit(second)

    def test_an_aborted_update_is_no_conflict(self, session: Session, table: TableName) -> None:
        first, _, _ = session.begin_change(table)
        second, lock_id, _ = session.begin_change(table)
        session.metastore.abort(first)
        session.metastore.check_lock(second, lock_id, 10)
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(second) == 0
        session.metastore.commit(second)

    @pytest.mark.parametrize(("second_partition", "conflicts"), [("d=1", True), ("d=2", False)])
    def test_partitions_written_dynamically_conflict_one_by_one(
        self, session: Session, second_partition: str, conflicts: bool
    ) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        writers = [session.begin(), session.begin()]
        for txn_id, partition in zip(writers, ("d=1", second_partition), strict=True):
            write_id = session.metastore.allocate_write_id(txn_id, table)
            session.lock(txn_id, table, READ, UPDATE, is_dynamic=True)
            session.metastore.add_dynamic_partitions(txn_id, write_id, table, [partition], UPDATE)
        session.metastore.commit(writers[0])
        if not conflicts:
            session.metastore.commit(writers[1])
            return
        with pytest.raises(TransactionAborted, match="write conflict"):
            session.metastore.commit(writers[1])

    def test_a_writer_of_unknown_partitions_learns_of_every_partition_changed(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        first, second = session.begin(), session.begin()
        write_id = session.metastore.allocate_write_id(first, table)
        session.lock(first, table, session.writer, UPDATE, is_dynamic=True)
        lock_id, _ = session.lock(second, table, session.writer, UPDATE, is_dynamic=True)
        session.metastore.add_dynamic_partitions(first, write_id, table, ["d=1"], UPDATE)
        session.metastore.commit(first)
        assert session.metastore.check_lock(second, lock_id, 10) is ACQUIRED
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(second) == first

    def test_conflicts_are_asked_for_on_the_new_line_only(self, session: Session) -> None:
        txn_id = session.begin()
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(txn_id) == 0
            return
        with pytest.raises(HiveAcidError) as error:
            session.metastore.latest_conflict(txn_id)
        assert condition_of(error) == "HIVE_ACID_INTERNAL"

    def test_exclusive_write_locks_are_for_the_new_line_only(self, session: Session, table: TableName) -> None:
        txn_id = session.begin()
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.lock(txn_id, table, LockKind.EXCL_WRITE, UPDATE)[1] is ACQUIRED
            return
        with pytest.raises(HiveAcidError) as error:
            session.lock(txn_id, table, LockKind.EXCL_WRITE, UPDATE)
        assert condition_of(error) == "HIVE_ACID_INTERNAL"


class TestEnds:
    @pytest.mark.parametrize(
        "call", ["heartbeat", "commit", "allocate", "lock", "check_lock", "add_dynamic_partitions"]
    )
    def test_every_use_of_an_aborted_transaction_fails_by_name(
        self, session: Session, table: TableName, call: str
    ) -> None:
        txn_id = session.begin()
        lock_id, _ = session.lock(txn_id, table, READ)
        session.metastore.abort(txn_id)
        with pytest.raises(TransactionAborted) as error:
            self._use(session, call, txn_id, lock_id, table)
        assert error.value.getMessageParameters()["txnId"] == str(txn_id)

    @pytest.mark.parametrize("call", ["heartbeat", "commit", "allocate", "lock"])
    def test_every_use_of_a_transaction_that_never_was_fails_by_name(
        self, session: Session, table: TableName, call: str
    ) -> None:
        with pytest.raises(TransactionAborted):
            self._use(session, call, NEVER_BEGUN, 1, table)

    def _use(self, session: Session, call: str, txn_id: int, lock_id: int, table: TableName) -> None:
        metastore = session.metastore
        match call:
            case "allocate":
                metastore.allocate_write_id(txn_id, table)
            case "lock":
                session.lock(txn_id, table, READ)
            case "check_lock":
                metastore.check_lock(txn_id, lock_id, 10)
            case "add_dynamic_partitions":
                metastore.add_dynamic_partitions(txn_id, 1, table, ["d=1"], UPDATE)
            case _:
                getattr(metastore, call)(txn_id)

    def test_an_open_transaction_takes_heartbeats(self, session: Session) -> None:
        txn_id = session.begin()
        session.metastore.heartbeat(txn_id)
        assert session.metastore.transaction_state(txn_id) is TransactionState.OPEN

    def test_a_committed_transaction_takes_no_heartbeat(self, session: Session) -> None:
        txn_id = session.begin()
        session.metastore.commit(txn_id)
        with pytest.raises(TransactionAborted):
            session.metastore.heartbeat(txn_id)

    def test_committing_a_write_twice_changes_nothing(self, session: Session, table: TableName) -> None:
        txn_id, _, _ = session.begin_change(table)
        session.metastore.commit(txn_id)
        session.metastore.commit(txn_id)
        assert session.metastore.transaction_state(txn_id) is TransactionState.COMMITTED

    def test_aborting_twice_changes_nothing(self, session: Session, table: TableName) -> None:
        txn_id, _, _ = session.begin_change(table)
        session.metastore.abort(txn_id)
        session.metastore.abort(txn_id)
        assert session.metastore.transaction_state(txn_id) is TransactionState.ABORTED

    def test_a_committed_transaction_cannot_be_aborted(self, session: Session, table: TableName) -> None:
        txn_id, _, _ = session.begin_change(table)
        session.metastore.commit(txn_id)
        with pytest.raises(MetastoreRefused):
            session.metastore.abort(txn_id)
        assert session.metastore.transaction_state(txn_id) is TransactionState.COMMITTED

    def test_a_transaction_that_never_was_cannot_be_aborted(self, session: Session) -> None:
        with pytest.raises(MetastoreRefused):
            session.metastore.abort(NEVER_BEGUN)

    def test_the_state_of_a_transaction_that_never_was_cannot_be_told(self, session: Session) -> None:
        assert session.metastore.transaction_state(NEVER_BEGUN) is None

    def test_the_commit_of_a_reader_is_told_or_forgotten_but_never_taken_for_an_abort(self, session: Session) -> None:
        txn_id = session.begin()
        session.metastore.commit(txn_id)
        state = session.metastore.transaction_state(txn_id)
        assert state is (None if session.metastore.line is MetastoreLine.HIVE_3 else TransactionState.COMMITTED)

    def test_open_and_aborted_transactions_are_listed_and_committed_ones_are_not(
        self, session: Session, table: TableName
    ) -> None:
        still_open, (lost, *_), done = session.begin(), session.begin_change(table), session.begin()
        session.metastore.abort(lost)
        session.metastore.commit(done)
        listed = {info.id: info for info in session.metastore.transactions()}
        assert listed[still_open].state is TransactionState.OPEN
        assert listed[lost].state is TransactionState.ABORTED
        assert done not in listed
        assert (listed[still_open].user, listed[still_open].host) == ("tester", "testhost")
        assert list(listed) == sorted(listed)

    def test_many_threads_use_one_client(self, session: Session, table: TableName) -> None:
        def write_once(_: int) -> tuple[int, int]:
            txn_id = session.begin()
            write_id = session.metastore.allocate_write_id(txn_id, table)
            session.lock(txn_id, table, READ, INSERT)
            session.metastore.commit(txn_id)
            return txn_id, write_id

        with ThreadPoolExecutor(8) as threads:
            written = list(threads.map(write_once, range(24)))
        assert len({txn_id for txn_id, _ in written}) == 24
        assert sorted(write_id for _, write_id in written) == list(range(1, 25))
        assert session.write_ids(session.begin(), table).max_visible == 24


class TestTables:
    def test_a_table_is_described(self, session: Session) -> None:
        name = session.setup.create_table("Described", partition_columns=["D", "e"])
        table = session.metastore.table(name)
        assert table.name == TableName(session.setup.database, "described")
        assert table.columns == (Column("id", "bigint"), Column("v", "string"))
        assert table.partition_columns == (Column("d", "string"), Column("e", "string"))
        assert table.bucket_count == 0
        assert table.location.lower().endswith("/described")
        assert table.input_format.endswith(".OrcInputFormat")
        assert table.kind is TableKind.FULL_ACID

    def test_insert_only_and_plain_tables_are_told_apart(self, session: Session) -> None:
        insert_only = {**TRANSACTIONAL, "transactional_properties": "insert_only"}
        kinds = [
            session.metastore.table(session.setup.create_table(name, parameters=parameters)).kind
            for name, parameters in (("io", insert_only), ("plain", {}))
        ]
        assert kinds == [TableKind.INSERT_ONLY, TableKind.PLAIN]

    @pytest.mark.parametrize("call", ["table", "partition_names", "partitions", "drop_statistics"])
    @pytest.mark.parametrize("database", [None, "no_such_database"])
    def test_an_unknown_table_is_a_named_error(self, session: Session, call: str, database: str | None) -> None:
        name = TableName(database or session.setup.database, "nowhere")
        arguments: dict[str, tuple[object, ...]] = {
            "partitions": (["d=1"],),
            "drop_statistics": (1, ValidWriteIdList(str(name), 1)),
        }
        with pytest.raises(InvalidStatement) as error:
            getattr(session.metastore, call)(name, *arguments.get(call, ()))
        assert condition_of(error) == "HIVE_ACID_TABLE_NOT_FOUND"
        assert str(name) in str(error.value)

    def test_partitions_come_in_the_order_asked_for_and_missing_ones_are_left_out(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(table_calls, "_PARTITIONS_PER_CALL", 2)
        table = session.setup.create_table("parts", partition_columns=["d"])
        for value in "abcde":
            session.setup.add_partition(table, f"d={value}", parameters={"value": value})
        found = session.metastore.partitions(table, ["d=e", "d=nowhere", "d=a", "d=c", "d=b"])
        assert [partition.name for partition in found] == ["d=e", "d=a", "d=c", "d=b"]
        assert [partition.parameters["value"] for partition in found] == ["e", "a", "c", "b"]

    def test_partition_names_are_escaped_and_values_are_not(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d", "e"])
        names = ["d=a%2Fb%3Dc/e=x y", "d=__HIVE_DEFAULT_PARTITION__/e=Grüße", "d=A/e=%25"]
        for name in names:
            session.setup.add_partition(table, name)
        assert session.metastore.partition_names(table) == sorted(names)
        found = session.metastore.partitions(table, names)
        assert [partition.name for partition in found] == names
        values = [partition.values for partition in found]
        assert values == [("a/b=c", "x y"), ("__HIVE_DEFAULT_PARTITION__", "Grüße"), ("A", "%")]

    def test_a_partition_has_its_own_location(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        below = f"{session.metastore.table(table).location}/d=1"
        elsewhere = f"{session.metastore.table(table).location}_elsewhere"
        session.setup.add_partition(table, "d=1")
        session.setup.add_partition(table, "d=2", location=elsewhere)
        locations = [partition.location for partition in session.metastore.partitions(table, ["d=1", "d=2"])]
        assert locations == [below, elsewhere]

    def test_a_table_without_partitions_has_no_names(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        assert session.metastore.partition_names(table) == []
        assert session.metastore.partitions(table, []) == []


class TestStatistics:
    PARAMETERS = {"COLUMN_STATS_ACCURATE": ACCURATE, "numRows": "7", "mine": "kept"}  # noqa: RUF012 (never changed)

    def test_dropping_statistics_takes_the_mark_away_and_moves_the_write_id_of_the_table(
        self, session: Session
    ) -> None:
        table = session.setup.create_table("flat", parameters={**TRANSACTIONAL, **self.PARAMETERS})
        before = session.metastore.table(table)
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        session.metastore.drop_statistics(table, write_id, session.write_ids(txn_id, table))
        after = session.metastore.table(table)
        expected = {key: value for key, value in before.parameters.items() if key != "COLUMN_STATS_ACCURATE"}
        assert "COLUMN_STATS_ACCURATE" in before.parameters
        assert after.parameters == expected
        assert (after.columns, after.location, after.kind) == (before.columns, before.location, before.kind)
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.setup.stored_write_id(table) == write_id

    def test_the_write_id_of_a_table_moves_even_if_it_has_no_statistics(
        self, session: Session, table: TableName
    ) -> None:
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        session.metastore.drop_statistics(table, write_id, session.write_ids(txn_id, table))
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.setup.stored_write_id(table) == write_id
        assert "COLUMN_STATS_ACCURATE" not in session.metastore.table(table).parameters

    def test_dropping_statistics_of_partitions_leaves_the_others_alone(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        names = ["d=1", "d=2", "d=a%2Fb"]
        for name in names:
            session.setup.add_partition(table, name, parameters=self.PARAMETERS)
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        chosen = ["d=a%2Fb", "d=1", "d=nowhere"]
        session.metastore.drop_partition_statistics(table, chosen, write_id, session.write_ids(txn_id, table))
        marked = [
            partition.name
            for partition in session.metastore.partitions(table, names)
            if "COLUMN_STATS_ACCURATE" in partition.parameters
        ]
        assert marked == ["d=2"]
        assert all(p.parameters["mine"] == "kept" for p in session.metastore.partitions(table, names))
        if session.metastore.line is MetastoreLine.HIVE_4:
            stored = [session.setup.stored_write_id(table, name) for name in names]
            assert stored == [write_id, -1, write_id]

    def test_a_list_that_hides_the_writer_is_refused_and_nothing_changes(self, session: Session) -> None:
        table = session.setup.create_table("flat", parameters={**TRANSACTIONAL, **self.PARAMETERS})
        with pytest.raises(HiveAcidError) as error:
            session.metastore.drop_statistics(table, 5, ValidWriteIdList(str(table), 4))
        assert condition_of(error) == "HIVE_ACID_INTERNAL"
        assert "COLUMN_STATS_ACCURATE" in session.metastore.table(table).parameters


def test_a_setting_that_is_not_set_has_the_default_asked_for(session: Session) -> None:
    assert session.metastore.config_value("hive.no.such.setting", "fallback") == "fallback"
