"""The services that compact and clean beside a metastore, and why a compaction is not cleaned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hive_acid.metastore.compaction_types import CompactionInfo
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.server_settings import find_server_value
from hive_acid.metastore.types import MetastoreLine

INITIATOR_ON = "hive.compactor.initiator.on"
ABORTS_BY_CLEANER = "hive.compactor.clean.aborts.using.cleaner"
WAITING_MS = 3_600_000
"""The age from which a waiting request or cleaning is reported."""
AFTER_COMPACTION = "a Cleaner removes them after the next compaction of the table: ALTER TABLE … COMPACT 'major'"
"""Advice for leftovers if no compaction waits for the Cleaner."""
_CLEANER = "hive.compactor.cleaner.on"
_CLEANER_ON = "metastore.compactor.cleaner.on=true"
_LOG_ADVICE = "look into the metastore's log for what keeps its Cleaner; it also waits for the table's readers"
_UNTYPED_PARAMETER = "could not determine data type of parameter $4"
_POSTGRESQL_CURE = (
    "add preferQueryMode=simple to the parameters of its JDBC URL "
    "and -Dspring.jdbc.getParameterType.ignore=true to its Java options"
)


def has_initiator(metastore: Metastore) -> bool:
    """True if the metastore runs its own Initiator."""
    return find_server_value(metastore.config_value, INITIATOR_ON, "false") == "true"


def cleans_aborted_at_once(line: MetastoreLine, config_value: Callable[[str, str], str]) -> bool:
    """True if the metastore's Cleaner itself removes what aborted transactions left (the default of 4.x)."""
    return line is MetastoreLine.HIVE_4 and find_server_value(config_value, ABORTS_BY_CLEANER, "true") == "true"


@dataclass(frozen=True)
class Services:
    """The services that run beside the metastore, by its settings, and the smallest open transaction (None: none).

    `version` is what the metastore calls itself. `cleans_aborted`: a cleaner of its own removes at once what aborted
    transactions left.
    """

    line: MetastoreLine
    has_initiator: bool
    has_cleaner: bool
    oldest_txn_id: int | None = None
    version: str = ""
    cleans_aborted: bool = False

    @property
    def cleaner_advice(self) -> str:
        """How to have a Cleaner."""
        if not self.line.has_cleaner_setting:
            return "start one: hive.compactor.initiator.on=true on one server of the metastore starts it too"
        return f"start one: {_CLEANER_ON} on one server of the metastore, where housekeeping runs"


def load_services(metastore: Metastore) -> Services:
    """The services that run beside the metastore. Raises what the metastore raises."""
    initiates = has_initiator(metastore)
    cleans = find_server_value(metastore.config_value, _CLEANER, "false") == "true"
    has_cleaner = cleans if metastore.line.has_cleaner_setting else initiates
    oldest = min(metastore.valid_transactions(0).open, default=None)
    cleans_aborted = cleans_aborted_at_once(metastore.line, metastore.config_value)
    return Services(metastore.line, initiates, has_cleaner, oldest, metastore.version, cleans_aborted)


def find_cleaning_cure(info: CompactionInfo, service: Services) -> str:
    """Advice for a compaction that has ended and is not cleaned."""
    if not service.has_cleaner:
        return f"no Cleaner runs; {service.cleaner_advice}"
    if info.error:
        found = _POSTGRESQL_CURE if _UNTYPED_PARAMETER in info.error else "remove the cause"
        return f"the metastore's Cleaner fails ({info.error}); {found}, and it tries again"
    oldest = service.oldest_txn_id
    if service.line.cleans_behind_transactions and oldest and info.next_txn_id and oldest < info.next_txn_id:
        return f"the Cleaner waits for transaction {oldest} to end, which began before it was done"
    if info.partition is None and service.version.startswith("4.0."):
        # the failure itself cannot be stored: its text has a zero byte, which PostgreSQL refuses (tried on 4.0.0)
        return f'{_LOG_ADVICE}; if it says "{_UNTYPED_PARAMETER}" (Hive 4.0 on PostgreSQL), {_POSTGRESQL_CURE}'
    return _LOG_ADVICE
