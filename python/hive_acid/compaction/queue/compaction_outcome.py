"""The outcome of a compaction."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind
from hive_acid.model.table import TableName
from hive_acid.wire.write_spec import WriteResult


@dataclass(frozen=True)
class CompactionOutcome:
    """The result of one compaction: the folders made, below the table or partition, and their rows and bytes.

    No folder, if nothing was worth it; `cleans`: the Cleaner was told to remove what nobody needs. `left_to` is the
    entry of the queue to which the place was left (3.1).
    """

    table: TableName
    partition: str | None
    kind: CompactionKind
    result: WriteResult
    cleans: bool
    left_to: CompactionInfo | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """Names of the folders that were made."""
        return tuple(folder.name for folder in self.result.folders)

    @property
    def is_refused(self) -> bool:
        """True if there was nothing to do."""
        return not self.cleans
