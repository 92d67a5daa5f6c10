"""The model without one of its rules: the checker has to find a violation, or the rule is not about order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from doubles import memory_transactions
from hive_acid.execution import executor, session_transaction
from hive_acid.execution.steps import STEPS
from hive_acid.metastore.types import LockKind, MetastoreLine, OperationKind
from hive_acid.transactions import validity
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.snapshot_checks import SnapshotChecks
from support.model_checker.models import Model
from support.model_checker.search import Found

Place = tuple[Any, str, Any]
"""An owner, the name of an attribute, and the value that takes the place of the attribute's own."""
Places = tuple[Place, ...]

_SEQUENCES = (
    (executor, "ALONE"),
    *((session_transaction, name) for name in ("IN_TRANSACTION", "TOGETHER", "LOCKED_AHEAD")),
    *((session_transaction, name) for name in ("AT_COMMIT", "AT_COMMIT_OF_A_TABLE")),
)


@dataclass(frozen=True)
class Behind:
    """What stands behind a rule, and hides that it is missing."""

    name: str
    places: Places = ()


@dataclass(frozen=True)
class Mutant:
    """`rule` is left out by `places`, together with what stands `behind` it; `model` shows a violation then.

    Without a model, `why` says why there is none.
    """

    rule: str
    places: Places = ()
    model: str = ""
    behind: tuple[Behind, ...] = ()
    why: str = ""

    @contextmanager
    def applied(self, *, is_whole: bool = True) -> Iterator[None]:
        """Within it the rule does not hold; what stands behind it does, unless it `is_whole`."""
        also = [place for one in self.behind for place in one.places] if is_whole else []
        with ExitStack() as stack:
            for owner, name, value in (*self.places, *also):
                stack.callback(setattr, owner, name, getattr(owner, name))
                setattr(owner, name, value)
            yield

    def search(self, *, is_whole: bool = True) -> Found:
        """Looks for a violation in its model."""
        with self.applied(is_whole=is_whole):
            return Model.parse(self.model).search()


def nothing(*_: object, **__: object) -> None:
    """In place of a check."""


def returning(value: object) -> Callable[..., object]:
    """In place of a question."""
    return lambda *_, **__: value


def step(name: str) -> Places:
    """No statement goes through the step, which adds nothing for later ones."""
    found = next(one for one in STEPS.functions if one.__name__ == name)
    sequences = [(owner, place, getattr(owner, place)) for owner, place in _SEQUENCES]
    return tuple((owner, place, some.without(found)) for owner, place, some in sequences if found in some.functions)


SEARCH = Behind(
    "the search of the metastore at the commit",
    ((memory_transactions.TransactionTable, "find_commit_conflict", nothing),),
)
FOLDERS = Behind("the comparison of folders before they are put in place", ((SnapshotChecks, "check_bases", nothing),))
CHECKS = Behind("the other checks of its row")
_CONFLICTS_OF_TWO = (FOLDERS, SEARCH)
_ROW_ID = validity.SnapshotCheck
K = StatementKind
_MODELS = {
    K.UPDATE: "flat update+update",
    K.DELETE: "flat delete+delete",
    K.MERGE: "flat merge-inserts+merge-inserts",
    K.REPLACE: "flat replace+replace",
    K.OVERWRITE: "flat insert+overwrite",
    K.TRUNCATE: "flat insert+truncate",
}
_LOOSENS = "It loosens another one: without it each base that came since is a conflict."
_COMPARED = "On 3.1 Hive and we compare write IDs under the lock, whatever is registered."
_MOVES = "It is about rows that others move between partitions before these are dropped, which no actor does."


def build_rule_mutants() -> list[Mutant]:
    """Those of each row of the validity table: its lock, each of its checks, what it is registered as."""
    found = []
    for (kind, line), row in validity.RULES.items():
        title = f"{kind.value.upper()} on {line.value}"
        if row.lock is not LockKind.SHARED_READ:
            behind = () if kind.replaces else (SEARCH,)
            found.append(_mutate(f"{title}: the lock {row.lock.name}", kind, line, behind, lock=LockKind.SHARED_READ))
        found += [_without_check(f"{title}: {check.name}", kind, line, check) for check in row.checks]
        if row.operation.is_conflicting:
            found.append(_registered_as_insert(f"{title}: registered as {row.operation.name}", kind, line))
    return found


def _mutate(
    rule: str, kind: StatementKind, line: MetastoreLine, behind: tuple[Behind, ...], model: str = "", **changes: Any
) -> Mutant:
    if CHECKS in behind:
        changes["checks"] = ()
    table = {**validity.RULES, (kind, line): replace(validity.RULES[kind, line], **changes)}
    return Mutant(rule, ((validity, "RULES", table),), f"{line.value} {model or _MODELS[kind]}", behind)


def _without_check(rule: str, kind: StatementKind, line: MetastoreLine, check: validity.SnapshotCheck) -> Mutant:
    if check is _ROW_ID.NO_NEWER_BASE:
        return Mutant(rule, why=_LOOSENS)
    if check is _ROW_ID.SAME_PARTITIONS:
        return Mutant(rule, why=_MOVES)
    left = tuple(one for one in validity.RULES[kind, line].checks if one is not check)
    behind: tuple[Behind, ...] = () if kind.replaces else _CONFLICTS_OF_TWO
    if kind is K.MERGE:
        behind = (SEARCH,)
    if left and not kind.replaces:
        behind = (CHECKS, *behind)
    return _mutate(rule, kind, line, behind, checks=left)


def _registered_as_insert(rule: str, kind: StatementKind, line: MetastoreLine) -> Mutant:
    if kind.replaces and line is MetastoreLine.HIVE_3:
        return Mutant(rule, why=_COMPARED)
    if kind.replaces:
        return _mutate(rule, kind, line, (), _BESIDE_HIVE[kind], operation=OperationKind.INSERT)
    alone = kind in (K.UPDATE, K.DELETE) and line is MetastoreLine.HIVE_4
    return _mutate(rule, kind, line, () if alone else (CHECKS,), operation=OperationKind.INSERT)


_BESIDE_HIVE = {K.OVERWRITE: "flat hive-update+overwrite", K.TRUNCATE: "flat hive-update+truncate"}
