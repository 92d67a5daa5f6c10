"""What every `Metastore` promises about transactions, snapshots and write IDs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hive_acid.errors import MetastoreRefused, TransactionAborted
from hive_acid.metastore.types import MetastoreLine, TransactionState
from hive_acid.model.table import TableName
from support.metastore_session import (
    INSERT,
    NEVER_BEGUN,
    READ,
    UPDATE,
    Session,
)


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
    def test_without_a_list_the_write_ids_are_those_of_a_transaction_that_begins_now(
        self, session: Session, table: TableName
    ) -> None:
        done, running, lost = session.begin(), session.begin(), session.begin()
        written = [session.metastore.allocate_write_id(txn_id, table) for txn_id in (done, running, lost)]
        session.metastore.commit(done)
        session.metastore.abort(lost)
        (found,) = session.metastore.valid_write_ids([table], None).values()
        assert [found.is_valid(write_id) for write_id in written[:2]] == [True, False]
        assert written[1] in found.open
        assert found == session.write_ids(0, table)

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
