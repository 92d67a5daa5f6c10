"""Every `Metastore` grants locks that go together, and has the others wait in their order."""

from __future__ import annotations

import pytest

from hive_acid.errors import MetastoreRefused
from hive_acid.metastore.types import LockComponent, MetastoreLine
from hive_acid.model.table import TableName
from support.metastore_session import (
    ACQUIRED,
    EXCLUSIVE,
    INSERT,
    NEVER_BEGUN,
    READ,
    SELECT,
    SHARED_WRITE,
    UPDATE,
    WAITING,
    Session,
)


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

    def test_two_inserts_that_keep_each_other_out_wait_too(self, session: Session, table: TableName) -> None:
        """Those of an immutable table. Other inserts share a lock."""
        states = [session.lock(session.begin(), table, session.writer, INSERT)[1] for _ in range(2)]
        assert states == [ACQUIRED, WAITING]
        assert session.lock(session.begin(), table, READ, SELECT)[1] is ACQUIRED

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
        assert (held.component, waiting.component, waiting.blocked_by_component) == (1, 1, 1)
        assert held.acquired_ms is not None
        assert waiting.acquired_ms is None
        assert (held.last_heartbeat_ms, waiting.last_heartbeat_ms) == (None, None)

    def test_the_components_of_a_lock_are_numbered(self, session: Session, table: TableName) -> None:
        other = session.setup.create_table("other")
        first, second = session.begin(), session.begin()
        components = [LockComponent(name, EXCLUSIVE, UPDATE) for name in (other, table)]
        session.metastore.lock(first, components, "tester", "testhost", "contract")
        found = [lock for lock in session.metastore.held_locks() if lock.txn_id == first]
        numbers = {lock.component: lock.table for lock in found}
        assert sorted(numbers) == [1, 2]
        session.lock(second, numbers[2], READ)
        (waiting,) = [lock for lock in session.metastore.held_locks() if lock.txn_id == second]
        assert waiting.blocked_by_component == 2

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


class TestKeptLocks:
    """A lock that is kept while a younger transaction of the same client does the work."""

    def test_a_younger_transaction_works_behind_a_kept_lock_and_the_next_writer_waits(
        self, session: Session, table: TableName
    ) -> None:
        first, _, _ = session.begin_change(table)
        keeper, kept_lock, _ = session.begin_change(table)
        session.metastore.commit(first)
        assert session.metastore.check_lock(keeper, kept_lock, 10) is ACQUIRED
        rival, rival_lock, state = session.begin_change(table)
        assert state is WAITING
        younger = session.begin()
        session.metastore.allocate_write_id(younger, table)
        assert session.lock(younger, table, READ, UPDATE)[1] is ACQUIRED
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(younger) == 0
        session.metastore.commit(younger)
        assert session.metastore.check_lock(rival, rival_lock, 10) is WAITING
        session.metastore.abort(keeper)
        assert session.metastore.check_lock(rival, rival_lock, 10) is ACQUIRED
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(rival) == younger

    def test_behind_a_kept_lock_one_waits_for_an_exclusive_request_that_waits_for_it(
        self, session: Session, table: TableName
    ) -> None:
        """So nobody may wait there: the two would wait for each other."""
        keeper, _, _ = session.begin_change(table)
        assert session.lock(session.begin(), table, EXCLUSIVE, UPDATE)[1] is WAITING
        younger = session.begin()
        lock_id, state = session.lock(younger, table, READ, UPDATE)
        assert state is WAITING
        session.metastore.unlock(lock_id)
        session.metastore.abort(keeper)
