"""The model without one of its rules: the checker has to find a violation, or the rule is not about order.

A rule is a step of `STEPS`, a check of the validity table, a lock of it, or one of the answers to other engines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hive_acid.execution import executor, session_transaction
from hive_acid.execution.steps import STEPS
from hive_acid.metastore.types import LockKind, MetastoreLine
from hive_acid.transactions import validity
from hive_acid.wire.statement_kinds import StatementKind

_TUPLES = (
    (executor, "ALONE"),
    *((session_transaction, name) for name in ("IN_TRANSACTION", "TOGETHER", "LOCKED_AHEAD")),
    *((session_transaction, name) for name in ("AT_COMMIT", "AT_COMMIT_OF_A_TABLE")),
)


@contextmanager
def replaced(*places: tuple[Any, str, Any]) -> Iterator[None]:
    """Within it the attributes have these values."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    try:
        for owner, name, value in places:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


@contextmanager
def without_step(name: str) -> Iterator[None]:
    """No statement goes through the step."""
    step = next(step for step in STEPS if step.__name__ == name)
    with replaced(
        *((owner, place, tuple(one for one in getattr(owner, place) if one is not step)) for owner, place in _TUPLES)
    ):
        yield


@contextmanager
def with_rule(kind: StatementKind, line: MetastoreLine, rule: validity.Rule) -> Iterator[None]:
    """The validity table has another row."""
    with replaced((validity, "RULES", {**validity.RULES, (kind, line): rule})):
        yield


def without_check(kind: StatementKind, line: MetastoreLine, check: validity.SnapshotCheck):  # noqa: ANN201
    """The row lacks one of its checks."""
    rule = validity.RULES[kind, line]
    return with_rule(kind, line, replace(rule, checks=tuple(one for one in rule.checks if one is not check)))


def with_shared_lock(kind: StatementKind, line: MetastoreLine):  # noqa: ANN201
    """The row asks for a lock that keeps nobody out."""
    return with_rule(kind, line, replace(validity.RULES[kind, line], lock=LockKind.SHARED_READ))


def with_operation_of_insert(kind: StatementKind, line: MetastoreLine):  # noqa: ANN201
    """The change is registered as one that is in nobody's way."""
    rule = validity.RULES[kind, line]
    return with_rule(kind, line, replace(rule, operation=validity.OperationKind.INSERT))
