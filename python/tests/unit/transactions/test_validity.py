"""The rules under which a statement may write."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.transactions.validity import (
    RULES,
    SnapshotCheck,
    build_lock_components,
    build_read_lock,
    find_rule,
    is_covered,
    is_unchanged,
)
from hive_acid.wire.statement_kinds import StatementKind

IDS = st.frozensets(st.integers(1, 12))


def test_every_statement_has_a_rule_on_every_line() -> None:
    assert set(RULES) == {(kind, line) for kind in StatementKind for line in MetastoreLine}


def test_no_rule_asks_the_3_1_line_for_what_it_does_not_know() -> None:
    assert all(
        rule.lock is not LockKind.EXCL_WRITE for (_, line), rule in RULES.items() if line is MetastoreLine.HIVE_3
    )


def test_a_delete_registers_as_update_on_3_1_where_two_deletes_do_not_conflict() -> None:
    assert RULES[StatementKind.DELETE, MetastoreLine.HIVE_3].operation is OperationKind.UPDATE


def test_a_replacement_by_a_condition_runs_again_after_an_insert_as_a_merge_does() -> None:
    for line in MetastoreLine:
        rule = RULES[StatementKind.REPLACE, line]
        assert rule == RULES[StatementKind.MERGE, line]
        assert SnapshotCheck.UNCHANGED in rule.checks and rule.can_be_kept


def test_sources_are_locked_for_reading_and_the_target_once() -> None:
    target, source = TableName("db", "t"), TableName("db", "s")
    rule = RULES[StatementKind.DELETE, MetastoreLine.HIVE_4]
    components = build_lock_components(rule, target, (source, target, source))
    assert [(c.table, c.kind, c.operation) for c in components] == [
        (target, LockKind.EXCL_WRITE, OperationKind.DELETE),
        (source, LockKind.SHARED_READ, OperationKind.SELECT),
    ]


@pytest.mark.parametrize("line", MetastoreLine)
@pytest.mark.parametrize("kind", [StatementKind.INSERT, StatementKind.OVERWRITE])
def test_a_statement_that_writes_to_a_partition_locks_the_table_that_it_reads(
    kind: StatementKind, line: MetastoreLine
) -> None:
    target, rule = TableName("db", "t"), find_rule(kind, line, reads_target=True)
    write = LockComponent(target, rule.lock, rule.operation, "d=a")
    locks = partial(build_lock_components, rule, target, is_partitioned=True, partitions=["d=a"])
    assert locks(()) == (write,)
    assert locks((target,)) == (write, build_read_lock(target))


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.DELETE, StatementKind.MERGE])
def test_a_statement_that_changes_rows_where_it_reads_them_needs_no_other_lock(kind: StatementKind) -> None:
    target, rule = TableName("db", "t"), RULES[kind, MetastoreLine.HIVE_4]
    (lock,) = build_lock_components(rule, target, (target,), is_partitioned=True, partitions=["d=a"])
    assert lock == LockComponent(target, LockKind.EXCL_WRITE, rule.operation, "d=a")


def test_a_lock_covers_weaker_ones_of_the_same_place_and_what_they_register() -> None:
    table, operations = TableName("db", "t"), OperationKind
    update = LockComponent(table, LockKind.EXCL_WRITE, operations.UPDATE)
    delete = LockComponent(table, LockKind.EXCL_WRITE, operations.DELETE)
    insert = LockComponent(table, LockKind.SHARED_READ, operations.INSERT)
    read, of_partition = build_read_lock(table), build_read_lock(table, "d=a")
    everything = (update, delete, insert, read, of_partition)
    covered = {held: [wanted for wanted in everything if is_covered(wanted, [held])] for held in everything}
    assert covered == {
        update: [*everything],
        delete: [*everything],
        insert: [insert, read, of_partition],
        read: [read, of_partition],
        of_partition: [of_partition],
    }
    elsewhere = (replace(update, table=TableName("db", "s")), replace(update, partition="d=a"))
    assert not any(is_covered(update, [other]) or is_covered(other, [update]) for other in elsewhere)
    assert not is_covered(replace(update, is_dynamic_partition_write=True), [update])


@given(st.integers(0, 12), IDS, IDS, st.integers(0, 12), IDS, IDS, st.integers(1, 13))
def test_unchanged_means_that_no_other_write_id_became_visible(
    hwm_before: int, open_before: frozenset[int], aborted_before: frozenset[int],
    hwm_now: int, open_now: frozenset[int], aborted_now: frozenset[int], own: int,
) -> None:  # fmt: skip
    before = ValidWriteIdList("db.t", hwm_before, open_before, aborted_before - open_before)
    now = ValidWriteIdList("db.t", hwm_now, open_now, aborted_now - open_now)
    unseen = [w for w in range(1, 20) if not before.is_valid(w) and w not in before.aborted and w != own]
    became = [w for w in unseen if now.is_valid(w)]
    assert is_unchanged(before, now, own) == (became == [])
