"""The quirks that act on a metastore's line, called together by the steps of a statement."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.quirks.lower_write_ids import LowerWriteIds
from hive_acid.quirks.quirk import Quirk, QuirkScope
from hive_acid.quirks.unlocked_writers import BesideUnlockedWriters
from hive_acid.quirks.upper_write_ids import KeptInSight
from hive_acid.reading.warehouse import Warehouse
from hive_acid.writing.stages import Begun, Locked, Published, Written

OF_STATEMENTS: Sequence[type[Quirk]] = (LowerWriteIds, KeptInSight, BesideUnlockedWriters)
"""All that act in hooks, in the order in which each hook calls them."""


class ActingQuirks:
    """The quirks of one transaction that act; see `Quirk` for the hooks.

    The metastore is asked for its line when the first hook is called, not before.
    """

    def __init__(self, warehouse: Warehouse, scope: QuirkScope) -> None:
        self._warehouse = warehouse
        self._scope = scope
        self._known: tuple[Quirk, ...] | None = None

    def before_write_id(self, begun: Begun, before: ValidWriteIdList) -> None:
        for quirk in self._find():
            quirk.before_write_id(begun, before)

    def after_lock(self, locked: Locked) -> None:
        for quirk in self._find():
            quirk.after_lock(locked)

    def before_job(self, locked: Locked) -> None:
        for quirk in self._find():
            quirk.before_job(locked)

    def before_publish(self, written: Written) -> None:
        for quirk in self._find():
            quirk.before_publish(written)

    def before_commit(self, published: Published) -> None:
        for quirk in self._find():
            quirk.before_commit(published)

    def after_end(self, error: BaseException | None) -> None:
        """Nothing has to be ended where no hook was called before."""
        for quirk in self._known or ():
            quirk.after_end(error)

    def _find(self) -> Sequence[Quirk]:
        if self._known is None:
            line = self._warehouse.metastore.line
            acting = (kind for kind in OF_STATEMENTS if line in kind.FAULT.lines)
            self._known = tuple(kind(self._warehouse, self._scope) for kind in acting)
        return self._known
