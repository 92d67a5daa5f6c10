"""The base of quirks, and when the steps of a statement call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from hive_acid import config
from hive_acid.metastore.types import LockComponent
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.quirks.fault import Fault
from hive_acid.reading.warehouse import Warehouse
from hive_acid.writing.stages import Begun, Locked, Published, TableWork, Written


class QuirkScope(Protocol):
    """The part of a statement's scope that quirks see; see `WritingScope`."""

    settings: config.Settings
    overwrites: bool
    has_several: bool
    held: Sequence[LockComponent]
    work: dict[TableName, TableWork]


class Quirk:
    """One fault, as one transaction meets it. A hook that a quirk does not override does nothing."""

    FAULT: ClassVar[Fault]

    def __init__(self, warehouse: Warehouse, scope: QuirkScope) -> None:
        self.warehouse = warehouse
        self.scope = scope

    def before_write_id(self, begun: Begun, before: ValidWriteIdList) -> None:
        """The transaction is about to get its write ID on the table; its snapshot has `before`."""

    def after_lock(self, locked: Locked) -> None:
        """The locks are held, and the snapshot has not been checked yet."""

    def before_job(self, locked: Locked) -> None:
        """The snapshot is still valid, and no row has been read."""

    def before_publish(self, written: Written) -> None:
        """The rows are written, but no folder is in place and the metastore knows nothing of them."""

    def before_commit(self, published: Published) -> None:
        """The transaction is about to commit; `published` is its last statement."""

    def after_end(self, error: BaseException | None) -> None:
        """The transaction ended, with or without `error`; after CommitStateUnknown it may have. May be called twice."""
