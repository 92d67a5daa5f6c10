"""Every setting in one table: key, type, default, meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """A Spark configuration key of ours. Values are whole numbers unless `default` is a text."""

    key: str
    default: int | str
    meaning: str


LOCK_TIMEOUT_MS = Setting("spark.hiveacid.lock.timeoutMs", 300_000, "longest wait for a lock, in milliseconds")
LOCK_POLL_MIN_MS = Setting("spark.hiveacid.lock.pollMinMs", 50, "first pause between two looks at a waiting lock")
LOCK_POLL_MAX_MS = Setting("spark.hiveacid.lock.pollMaxMs", 2_000, "longest pause between two looks at a waiting lock")
MAX_ATTEMPTS = Setting("spark.hiveacid.statement.maxAttempts", 5, "transactions one statement may try on conflicts")
INSERT_BUCKETS = Setting(
    "spark.hiveacid.insert.buckets",
    0,
    "files of one INSERT that share a statement ID; 0: 1 on metastores of the 3.1 line, 4096 on later ones",
)
READER_MAX_AGE_MS = Setting(
    "spark.hiveacid.reader.maxAgeMs", 86_400_000, "read transactions nobody ended are ended after this time"
)
COMMIT_RESOLVE_TIMEOUT_MS = Setting(
    "spark.hiveacid.commit.resolveTimeoutMs", 60_000, "how long a lost commit reply is asked after before it is unknown"
)
ALLOW_NON_ATOMIC_RENAME = Setting(
    "spark.hiveacid.storage.allowNonAtomicRename", "false", "true: write to storage whose folder rename is not atomic"
)
METASTORE_TIMEOUT_MS = Setting("spark.hiveacid.metastore.timeoutMs", 60_000, "longest wait for one metastore answer")
DELETE_CACHE_BYTES = Setting(
    "spark.hiveacid.deletes.cacheBytes", 268_435_456, "memory per executor for the row IDs of delete deltas"
)
METASTORE_URIS = Setting("spark.hadoop.hive.metastore.uris", "", "the metastore, as thrift://host:port")

SETTINGS: tuple[Setting, ...] = (
    LOCK_TIMEOUT_MS,
    LOCK_POLL_MIN_MS,
    LOCK_POLL_MAX_MS,
    MAX_ATTEMPTS,
    INSERT_BUCKETS,
    READER_MAX_AGE_MS,
    COMMIT_RESOLVE_TIMEOUT_MS,
    ALLOW_NON_ATOMIC_RENAME,
    METASTORE_TIMEOUT_MS,
    DELETE_CACHE_BYTES,
    METASTORE_URIS,
)


@dataclass(frozen=True)
class Settings:
    """The values of one session."""

    values: Mapping[str, str]

    def number(self, setting: Setting) -> int:
        """The value of a whole-number setting. Raises ValueError if the text is no number."""
        return int(self.values.get(setting.key, setting.default))

    def text(self, setting: Setting) -> str:
        """The value of a text setting."""
        return str(self.values.get(setting.key, setting.default))
