"""The model without one of its rules: the checker has to find a violation, or the rule is not about order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hive_acid.compaction import compactor, renumbering
from hive_acid.compaction.plan import planning
from hive_acid.execution import executor, own_transaction, publishing_steps, session_transaction, steps
from hive_acid.execution.steps import STEPS
from hive_acid.metastore import memory_transactions
from hive_acid.metastore.types import LockKind, MetastoreLine
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading import missing_folders, partition_locks, read_transaction, session_snapshot
from hive_acid.snapshot import directory_choice
from hive_acid.transactions import ddl_locks, manager, validity
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing import snapshot_checks, write_job

_TUPLES = (
    (executor, "ALONE"),
    *((session_transaction, name) for name in ("IN_TRANSACTION", "TOGETHER", "LOCKED_AHEAD")),
    *((session_transaction, name) for name in ("AT_COMMIT", "AT_COMMIT_OF_A_TABLE")),
)
Place = tuple[Any, str, Any]
"""An owner, the name of an attribute, and the value that takes the place of the attribute's own."""


@dataclass(frozen=True)
class Mutant:
    """`places` are what is changed; `why` says of one that nothing finds why that is so.

    `models` are those in which it is looked for: names of actors, of lines with the kind of table, and bounds.
    """

    name: str
    places: tuple[Place, ...]
    models: tuple[str, ...] = ()
    why: str = ""

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Within it the rule does not hold."""
        with ExitStack() as stack:
            for owner, name, value in self.places:
                stack.callback(setattr, owner, name, getattr(owner, name))
                setattr(owner, name, value)
            yield


def nothing(*_: object, **__: object) -> None:
    """In place of a check."""


def step(name: str) -> tuple[Place, ...]:
    """No statement goes through the step."""
    found = next(one for one in STEPS if one.__name__ == name)
    return tuple(
        (owner, place, tuple(one for one in getattr(owner, place) if one is not found)) for owner, place in _TUPLES
    )


def rule(kind: StatementKind, line: MetastoreLine, **changes: Any) -> tuple[Place, ...]:
    """The validity table has another row."""
    return ((validity, "RULES", {**validity.RULES, (kind, line): replace(validity.RULES[kind, line], **changes)}),)


SEARCH_AT_COMMIT: tuple[Place, ...] = ((memory_transactions.TransactionTable, "find_commit_conflict", nothing),)
"""The metastore's own search for conflicts, which is no rule of ours, but stands behind some of them."""
