"""Every `Metastore` tells which of two writers conflicts with the other, as its line of Hive does."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError, TransactionAborted
from hive_acid.metastore.types import LockKind, MetastoreLine, TransactionState
from hive_acid.model.table import TableName
from support.metastore_session import ACQUIRED, DELETE, INSERT, READ, UPDATE, WAITING, Session


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
        assert error.value.getCondition() == "HIVE_ACID_INTERNAL"

    def test_exclusive_write_locks_are_for_the_new_line_only(self, session: Session, table: TableName) -> None:
        txn_id = session.begin()
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.lock(txn_id, table, LockKind.EXCL_WRITE, UPDATE)[1] is ACQUIRED
            return
        with pytest.raises(HiveAcidError) as error:
            session.lock(txn_id, table, LockKind.EXCL_WRITE, UPDATE)
        assert error.value.getCondition() == "HIVE_ACID_INTERNAL"


class TestPartitionLocks:
    """Changes of partitions that the lock names."""

    @pytest.mark.parametrize(("second_partition", "conflicts"), [("d=1", True), ("d=2", False)])
    def test_a_lock_on_a_partition_records_the_change_of_it(
        self, session: Session, second_partition: str, conflicts: bool
    ) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        first, second = session.begin(), session.begin()
        for txn_id, partition in ((first, "d=1"), (second, second_partition)):
            session.metastore.allocate_write_id(txn_id, table)
            assert session.lock(txn_id, table, READ, UPDATE, partition)[1] is ACQUIRED
        session.metastore.commit(first)
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.metastore.latest_conflict(second) == (first if conflicts else 0)
        if not conflicts:
            session.metastore.commit(second)
            return
        with pytest.raises(TransactionAborted, match="write conflict"):
            session.metastore.commit(second)

    def test_changing_writers_of_two_partitions_do_not_wait_for_each_other(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        states = [session.lock(session.begin(), table, session.writer, UPDATE, f"d={n}")[1] for n in (1, 2, 1)]
        assert states == [ACQUIRED, ACQUIRED, WAITING]

    def test_a_writer_of_unknown_partitions_waits_for_one_of_a_named_partition(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        assert session.lock(session.begin(), table, session.writer, UPDATE, "d=1")[1] is ACQUIRED
        assert session.lock(session.begin(), table, session.writer, UPDATE, is_dynamic=True)[1] is WAITING

    def test_a_partition_changed_by_name_conflicts_with_the_same_one_written_dynamically(
        self, session: Session
    ) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        named, dynamic = session.begin(), session.begin()
        session.metastore.allocate_write_id(named, table)
        session.lock(named, table, READ, UPDATE, "d=1")
        write_id = session.metastore.allocate_write_id(dynamic, table)
        session.lock(dynamic, table, READ, UPDATE, is_dynamic=True)
        session.metastore.add_dynamic_partitions(dynamic, write_id, table, ["d=1"], UPDATE)
        session.metastore.commit(dynamic)
        with pytest.raises(TransactionAborted, match="write conflict"):
            session.metastore.commit(named)
