"""The answer of the metastore's queue and its history to whether a compaction may be asked for once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hive_acid.api.compaction import CompactionInfo, CompactionState
from hive_acid.api.conditions import build_error
from hive_acid.api.settings import find_server_value, parse_duration_ms
from hive_acid.api.tables import Metastore, MetastoreLine

FAILED_COUNT = "hive.compactor.initiator.failed.compacts.threshold"
FAILED_RETRY_TIME = "hive.compactor.initiator.failed.retry.time"
_NOT_TRIED = (CompactionState.INITIATED, CompactionState.WORKING, CompactionState.DID_NOT_INITIATE)


def find_pending(entries: Sequence[CompactionInfo]) -> str | None:
    """Why nothing may be requested of a table or partition that has these entries, if one is under way."""
    pending = next((info for info in entries if info.state.is_pending), None)
    return f"its compaction {pending.id} is {pending.state.value}" if pending else None


@dataclass(frozen=True)
class FailureLimit:
    """When failures end automatic requests, as in `CompactionTxnHandler.checkFailedCompactions`.

    After `count` failures in a row nothing is asked for until `retry_ms` after the last request; 0 means for ever, as
    on 3.1.
    """

    count: int = 2
    retry_ms: int = 0

    @classmethod
    def load(cls, metastore: Metastore) -> FailureLimit:
        """As the metastore is set to. Raises HIVE_ACID_CONFIGURATION for a value that cannot be read."""
        has_retry = metastore.line is MetastoreLine.HIVE_4
        try:
            count = int(find_server_value(metastore.config_value, FAILED_COUNT, str(cls.count)))
            retry = find_server_value(metastore.config_value, FAILED_RETRY_TIME, "7d") if has_retry else "0"
            return cls(count, 0 if retry.startswith("-") else parse_duration_ms(retry))
        except ValueError as error:
            found = {"settings": f"{FAILED_COUNT} or {FAILED_RETRY_TIME}", "failure": error}
            raise build_error("HIVE_ACID_CONFIGURATION.SERVER_SETTINGS", **found) from error

    def find_excess(self, entries: Sequence[CompactionInfo], now_ms: int) -> str | None:
        """Why nothing may be requested of a table or partition that has these entries, the latest first, if so."""
        latest = [info for info in entries if info.state not in _NOT_TRIED][: self.count]
        if len(latest) < self.count or any(info.state is not CompactionState.FAILED for info in latest):
            return None
        if self.retry_ms and (latest[0].enqueued_ms or 0) + self.retry_ms <= now_ms:
            return None
        reasons = f": {latest[0].error}" if latest[0].error else ""
        return f"its last {self.count} compactions failed{reasons}"
