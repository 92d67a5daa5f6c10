"""Every setting in one table: key, type, default, meaning."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.errors import build_error
from hive_acid.hive_settings import (
    LOCK_PAUSE,
    HiveSetting,
    find_connect_timeout_ms,
    find_lock_timeout_ms,
    read_duration_ms,
)
from hive_acid.setting import Setting

LOCK_TIMEOUT_MS = Setting("spark.hiveacid.lock.timeoutMs", 300_000, "Longest wait for a lock, in milliseconds.")
LOCK_POLL_MIN_MS = Setting(
    "spark.hiveacid.lock.pollMinMs", 50, "First pause between two looks at a waiting lock, in milliseconds.", 1
)
LOCK_POLL_MAX_MS = Setting(
    "spark.hiveacid.lock.pollMaxMs",
    2_000,
    "Longest pause between two looks at a waiting lock, in milliseconds.",
    1,
    hive_names=(LOCK_PAUSE,),
)
LOCK_MAX_PARTITIONS = Setting(
    "spark.hiveacid.lock.maxPartitions",
    100,
    "Most partitions that a statement locks one by one. If there are more, it locks the table.",
)
UNLOCKED_WRITERS = Setting(
    "spark.hiveacid.lock.unlockedWriters",
    "wait",
    "How a statement that changes rows treats statements of other engines that change rows of the same table "
    "under a lock that blocks nobody, as Trino's do. `wait`: it waits for their end, at most as long as for a lock. "
    "`refuse`: it is refused. `ignore`: it continues, which is correct only if no such engine changes rows.",
)
MAX_ATTEMPTS = Setting(
    "spark.hiveacid.statement.maxAttempts",
    5,
    "Maximum number of attempts of one statement. After a conflict it is tried again in a new transaction.",
    1,
)
INSERT_BUCKETS = Setting(
    "spark.hiveacid.insert.buckets",
    0,
    "Maximum number of files an INSERT writes per partition before it starts a second delta folder. 0 = "
    "automatic: 1 on metastores of the 3.1 line, 4096 on later ones.",
)
INSERT_SHUFFLE = Setting(
    "spark.hiveacid.insert.shuffleByPartition",
    "true",
    "`true`: an INSERT brings the rows of a partition together before it writes. `false`: rows stay in the tasks "
    "that read them, and each task writes a file in every partition of its rows.",
)
INSERT_SPLIT_BUCKETS = Setting(
    "spark.hiveacid.insert.splitBuckets",
    "false",
    "`false`: an INSERT writes each bucket of a bucketed table by one task, as Hive does. `true`: several tasks write "
    "a bucket that has most of the rows, each into its own delta folder. Use `true` only for tables that Trino does "
    "not change: its UPDATE, DELETE and MERGE damage such buckets.",
)
MERGE_PRUNING_MAX_SOURCE_BYTES = Setting(
    "spark.hiveacid.merge.pruningMaxSourceBytes",
    1_073_741_824,
    "Largest source, in bytes as Spark estimates them, that a MERGE reads beforehand to find the target's partitions "
    "that its ON condition can match, and the target's rows too if that costs little. 0: no source is read "
    "beforehand.",
)
BUCKETING_HIVE_TIME_ZONE = Setting(
    "spark.hiveacid.bucketing.hiveTimeZone",
    "",
    "Time zone of the JVMs of Hive's servers, such as `America/Los_Angeles`. Hive's hash of a TIMESTAMP depends "
    "on it in bucketing version 1, and in maps. Empty: no new rows go into tables clustered by such columns.",
)
TRANSACTION_ADMITS_OTHERS = Setting(
    "spark.hiveacid.transaction.admitOthers",
    "false",
    "`true`: other statements can run within a transaction of several statements, such as DDL and writes to tables "
    "that are not transactional. They are not part of the transaction: they take effect at once, and remain if it is "
    "rolled back.",
)
READER_IDLE_MS = Setting(
    "spark.hiveacid.reader.idleMs",
    600_000,
    "How long the snapshot of an RDD is kept while no Spark job runs, in milliseconds. The RDD can be read later "
    "as long as no file of its snapshot has been removed.",
    of_application=True,
)
READER_MAX_AGE_MS = Setting(
    "spark.hiveacid.reader.maxAgeMs",
    86_400_000,
    "Maximum age of a read transaction, in milliseconds. One that is still open then is ended.",
    of_application=True,
)
READ_TRANSACTIONS = Setting(
    "spark.hiveacid.read.transactions",
    "true",
    "`false`: queries open no transaction and hold no lock, so files can be removed while they are read.",
)
COLUMNS_BY_POSITION = Setting(
    "spark.hiveacid.read.columnsByPosition",
    "",
    "`true`: columns are found in files by position, so renamed ones keep their values. `false`: by name. Empty: "
    "as Hive does by default, by name on metastores of the 3.1 line, by position on later ones.",
    hive_names=("orc.force.positional.evolution",),
)
"""Whether columns are found in files by position or by name."""
COMPACTION_RUN_IN = Setting(
    "spark.hiveacid.compaction.runIn",
    "session",
    "Where compactions of a session run. `session`: in the session itself, at once. `queue`: in a worker that serves "
    "the metastore's queue.",
)
COMPACTION_POLL_MS = Setting(
    "spark.hiveacid.compaction.pollMs",
    1_000,
    "Pause between two looks at a compaction that is waited for, in milliseconds.",
    1,
)
COMPACTION_WAIT_TIMEOUT_MS = Setting(
    "spark.hiveacid.compaction.waitTimeoutMs",
    3_600_000,
    "Longest wait of ALTER TABLE … COMPACT … AND WAIT, in milliseconds.",
)
COMMIT_RESOLVE_TIMEOUT_MS = Setting(
    "spark.hiveacid.commit.resolveTimeoutMs",
    60_000,
    "How long a statement tries to find out whether its commit succeeded if the metastore's answer is lost, in "
    "milliseconds. After that the outcome is reported as unknown.",
)
ALLOW_NON_ATOMIC_RENAME = Setting(
    "spark.hiveacid.storage.allowNonAtomicRename",
    "false",
    "`true`: statements rename folders even where that is not atomic, instead of using one of Hadoop's committers.",
)
ALLOW_LOCAL_FILES_ON_CLUSTER = Setting(
    "spark.hiveacid.storage.allowLocalFilesOnCluster",
    "false",
    "`true`: statements and compactions write to tables at `file:` although tasks run on other machines. This is "
    "correct only if all machines have the same folder there, as with NFS.",
)
GUARD_MAX_ROWS = Setting(
    "spark.hiveacid.guard.maxRows",
    "",
    "Most rows that one statement may update, delete, truncate or overwrite. Empty: any number.",
)
GUARD_MAX_PERCENT = Setting(
    "spark.hiveacid.guard.maxPercent",
    "",
    "The same limit, in per cent of the rows that the table had. It costs a count of the table. Empty: any number.",
    maximum=100,
)
COMPACT_AFTER_WRITE = Setting(
    "spark.hiveacid.compaction.afterWrite",
    "false",
    "`true`: after its commit, a statement requests a compaction of the table or partitions that it wrote to, if "
    "they exceed Hive's thresholds and the metastore has no Initiator of its own.",
)
METASTORE_TIMEOUT_MS = Setting(
    "spark.hiveacid.metastore.timeoutMs",
    60_000,
    "Longest wait for one answer of the metastore, in milliseconds.",
    hive_names=("hive.metastore.client.socket.timeout", "metastore.client.socket.timeout"),
    of_application=True,
)
METASTORE_CONNECT_TIMEOUT_MS = Setting(
    "spark.hiveacid.metastore.connectTimeoutMs",
    10_000,
    "How long a metastore call tries to connect while no address accepts the connection, in milliseconds. 0: it tries "
    "each address once.",
    of_application=True,
)
METASTORE_CA_FILE = Setting(
    "spark.hiveacid.metastore.caFile",
    "",
    "PEM file with the certificates of the authorities that may sign the certificate of a metastore with TLS. Empty: "
    "the certificates in `hive.metastore.truststore.path`, or the system's if that is not set.",
    of_application=True,
)
NOTIFY_WRITES = Setting(
    "spark.hiveacid.metastore.notifyWrites",
    "false",
    "`true`: the metastore's listeners are told which files a statement has written. Replication and Impala need this.",
    hive_names=("hive.metastore.dml.events",),
)
HISTORY_ENABLED = Setting(
    "spark.hiveacid.history.enabled",
    "true",
    "`false`: statements write no note for the table's history.",
)
HISTORY_STATEMENT_TEXT = Setting(
    "spark.hiveacid.history.statementText",
    "true",
    "`false`: history notes do not contain the statement's text. `true`: they do, with `?` instead of each literal.",
)
DELETE_CACHE_BYTES = Setting(
    "spark.hiveacid.deletes.cacheBytes",
    268_435_456,
    "Memory per executor for the row IDs of delete deltas, in bytes.",
    of_application=True,
)
SIDECAR_PYTHON = Setting(
    "spark.hiveacid.python",
    "",
    "The Python program that runs the package's Python process if the driver is not a Python program. Empty: the one "
    "in `spark.pyspark.driver.python`, `spark.pyspark.python` or PYSPARK_PYTHON (the first set), else `python3`.",
    of_application=True,
)
METASTORE_URIS = Setting(
    "spark.hadoop.hive.metastore.uris",
    "",
    "Address of the metastore, as thrift://host:port. Several addresses, separated by commas, are alternatives.",
    hive_names=("hive.metastore.uris", "metastore.thrift.uris"),
    of_application=True,
)

SETTINGS: tuple[Setting, ...] = tuple(value for value in list(vars().values()) if isinstance(value, Setting))
"""All of this module, in its order."""

PREFIX = "spark.hiveacid."
_BOUNDS = (
    (LOCK_TIMEOUT_MS, find_lock_timeout_ms),
    (METASTORE_CONNECT_TIMEOUT_MS, find_connect_timeout_ms),
)
_BY_KEY = {setting.key.lower(): setting for setting in SETTINGS}


@dataclass(frozen=True)
class Settings:
    """Values by key, of an application or of one session. A setting without a value has its default."""

    values: Mapping[str, str]

    def overridden_by(self, values: Mapping[str, str]) -> Settings:
        """These settings, with other values for some keys.

        Raises HIVE_ACID_CONFIGURATION for a key that begins like ours and is none: a misspelt one would do nothing.
        """
        for key in values:
            if key.lower().startswith(PREFIX) and key.lower() not in _BY_KEY:
                close = difflib.get_close_matches(key.lower(), _BY_KEY, n=1)
                if not close:
                    raise build_error("HIVE_ACID_CONFIGURATION.UNKNOWN_SETTING", setting=key)
                nearest = _BY_KEY[close[0]].key
                raise build_error("HIVE_ACID_CONFIGURATION.MISSPELT_SETTING", setting=key, nearest=nearest)
        known = {_BY_KEY[key.lower()].key: value for key, value in values.items() if key.lower() in _BY_KEY}
        return Settings({**self.values, **known})

    def completed_by(self, hive_setting: HiveSetting) -> Settings:
        """These settings and, for what is not set, those of Hive that mean the same.

        `hive_setting` tells the value of a Hive setting, or None. Raises HIVE_ACID_CONFIGURATION for what is no time,
        or no number.
        """
        found: dict[str, str] = {}
        for setting in SETTINGS:
            values = [(name, value) for name in setting.hive_names if (value := hive_setting(name))]
            if values and setting.key not in self.values:
                found[setting.key] = _in_our_words(setting, *values[0])
        for setting, find_bound in _BOUNDS:
            if setting.key not in self.values and (bound := find_bound(hive_setting)) is not None:
                found[setting.key] = str(bound)
        return Settings({**found, **self.values})

    def number(self, setting: Setting) -> int:
        """The value of a whole-number setting. Raises HIVE_ACID_CONFIGURATION if it is none, or too small."""
        text = self.text(setting).strip()
        if not text.isascii() or not text.isdecimal() or int(text) < setting.minimum:
            found = {"setting": setting.key, "value": text, "minimum": setting.minimum}
            raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_NUMBER", **found)
        return int(text)

    def limit(self, setting: Setting) -> int | None:
        """The value of a limit, None if there is none. Raises HIVE_ACID_CONFIGURATION if it is no such number."""
        if not self.text(setting).strip():
            return None
        value = self.number(setting)
        if setting.maximum is not None and value > setting.maximum:
            found = {"setting": setting.key, "value": value, "maximum": setting.maximum}
            raise build_error("HIVE_ACID_CONFIGURATION.TOO_LARGE", **found)
        return value

    def flag(self, setting: Setting) -> bool:
        """The value of a true-or-false setting. Raises HIVE_ACID_CONFIGURATION if it is neither."""
        text = self.text(setting).strip().lower()
        if text not in ("true", "false"):
            raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_FLAG", setting=setting.key, value=text)
        return text == "true"

    def text(self, setting: Setting) -> str:
        """The value of a text setting."""
        return str(self.values.get(setting.key, setting.default))


def _in_our_words(setting: Setting, name: str, value: str) -> str:
    if isinstance(setting.default, str):
        return value
    return str(max(setting.minimum, read_duration_ms(name, value)))
