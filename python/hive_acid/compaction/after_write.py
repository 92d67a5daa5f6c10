"""After a committed statement: asks for compactions of what it has written, by setting."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from hive_acid import config
from hive_acid.compaction.services import has_initiator
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wings import load_wing

LOG = logging.getLogger(__name__)


class AfterWrite:
    """Called with what was committed: by table the partitions that were written, none of a flat one.

    The wing of operators looks and asks. Never raises: what was committed stays so, and a check that failed is a
    warning in the log. Where the metastore's own Initiator is on there is nothing to do: it looks at what was written
    by itself.
    """

    def __init__(self, metastore: Metastore, file_system: FileSystem, name: str, clock_ms: Callable[[], int]) -> None:
        self._metastore = metastore
        self._asker = (metastore, file_system, name, clock_ms)

    def __call__(self, written: Mapping[TableName, Sequence[str]], settings: config.Settings) -> None:
        """Looks, and asks, if the setting says so."""
        for name, partitions in written.items():
            try:
                if settings.flag(config.COMPACT_AFTER_WRITE) and not has_initiator(self._metastore):
                    self._look(name, partitions)
            except Exception as error:  # noqa: BLE001 (the statement has been committed)
                LOG.warning("whether %s needs a compaction could not be found out: %s", name, error)

    def _look(self, name: TableName, partitions: Sequence[str]) -> None:
        wing = load_wing("hive_acid_ops.initiator.initiator", config.COMPACT_AFTER_WRITE.key)
        for decision in wing.Initiator(*self._asker).look_at(self._metastore.table(name), partitions):
            where = f"{decision.table} {decision.partition or ''}".rstrip()
            level = logging.WARNING if decision.action is wing.Action.FAILED else logging.INFO
            LOG.log(level, "compaction of %s %s: %s", where, decision.action.value, decision.reason)
