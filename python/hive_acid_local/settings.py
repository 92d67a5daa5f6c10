"""The metastore's configuration files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from hive_acid_local.private import make_private

_TXN: Final = "org.apache.hadoop.hive.metastore.txn.service"
# Hive's own list without the Iceberg service, whose missing class would stop every one of them.
_HOUSEKEEPING: Final = ",".join(
    (
        f"{_TXN}.AcidHouseKeeperService",
        f"{_TXN}.CompactionHouseKeeperService",
        f"{_TXN}.AcidTxnCleanerService",
        f"{_TXN}.AcidOpenTxnsCounterService",
        "org.apache.hadoop.hive.metastore.MaterializationsRebuildLockCleanerTask",
        "org.apache.hadoop.hive.metastore.PartitionManagementTask",
    )
)
_DEFAULTS: Final[Mapping[str, str]] = {
    "metastore.thrift.bind.host": "127.0.0.1",
    "metastore.thrift.uris": "",
    "metastore.schema.verification": "true",
    # The transformer refuses ACID tables of clients without capabilities and turns managed tables into external ones.
    # One blank, since an empty value means the default.
    "metastore.metadata.transformer.class": " ",
    "metastore.client.capability.check": "false",
    # Two writers that allocate a table's first write ID collide; the server's pause before it tries again is 2 s else.
    "metastore.hmshandler.retry.interval": "100ms",
    # A thread pool makes a thread for each new connection, even if others are idle, until it has as many: 200 else.
    "metastore.server.min.threads": "8",
    # The Cleaner runs here, compactions are ours to do. An Initiator would ask for some that no worker takes; sessions
    # ask by spark.hiveacid.compaction.afterWrite, which passes over metastores with an Initiator.
    "metastore.compactor.initiator.on": "false",
    "metastore.compactor.cleaner.on": "true",
    # An erasure waits for it; 5 s else.
    "metastore.compactor.cleaner.run.interval": "1s",
    "hive.compactor.cleaner.run.interval": "1s",
    # A cleaner of its own removes what aborted transactions left else, and waits for no reader (AbortedTxnCleaner of
    # 4.0.0 took files away under two open transactions). So that goes with the next major compaction.
    "metastore.compactor.clean.aborts.using.cleaner": "false",
    "hive.compactor.clean.aborts.using.cleaner": "false",
    "metastore.compactor.worker.threads": "0",
    "hive.compactor.initiator.on": "false",
    "hive.compactor.cleaner.on": "true",
    "hive.compactor.worker.threads": "0",
    # Off by default, and then no transaction ever times out.
    "metastore.housekeeping.threads.on": "true",
    "metastore.task.threads.remote": _HOUSEKEEPING,
    "hive.support.concurrency": "true",
    "hive.txn.manager": "org.apache.hadoop.hive.ql.lockmgr.DbTxnManager",
    "metastore.event.db.notification.api.auth": "false",
    "hive.metastore.event.db.notification.api.auth": "false",
}
_LOGGING: Final = """\
status = warn
rootLogger.level = INFO
rootLogger.appenderRef.file.ref = file
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = hms.log
appender.file.filePattern = hms.log.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{ISO8601} %p %t %c{2}: %m%n
appender.file.policies.type = SizeBasedTriggeringPolicy
appender.file.policies.size = 10MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 2
logger.datanucleus.name = DataNucleus
logger.datanucleus.level = ERROR
"""


def write_configuration(
    folder: Path, warehouse: Path, port: int, connection: Mapping[str, str], chosen: Mapping[str, str]
) -> None:
    """Write `folder`/metastore-site.xml, hive-site.xml (which Hive's compaction threads read) and log4j2.properties.

    `chosen` wins over our values; an empty value there leaves a setting out, which is what it means to Hive. Hive reads
    many settings under two names, `metastore.X` and `hive.X`: where we set the other name of a chosen setting, the
    chosen value is written under both. The log has a name relative to `folder`'s parent, where the server works; it is
    cut at 10 MB, and the last two pieces are kept.
    """
    ours = {
        **_DEFAULTS,
        **connection,
        "metastore.thrift.port": str(port),
        "metastore.warehouse.dir": f"file:{warehouse}",  # not escaped: Hadoop's Path takes %20 for three characters
        "hive.metastore.warehouse.dir": f"file:{warehouse}",
    }
    twins = {_twin(key): value for key, value in chosen.items() if _twin(key) in ours}
    left_out = {key for key, value in {**twins, **chosen}.items() if not value}
    merged = {key: value for key, value in {**ours, **twins, **chosen}.items() if key not in left_out}
    properties = "".join(
        f"<property><name>{escape(key)}</name><value>{escape(value)}</value></property>\n"
        for key, value in sorted(merged.items())
    )
    folder.mkdir(exist_ok=True, mode=0o700)
    for name in ("metastore-site.xml", "hive-site.xml"):
        path = make_private(folder / name)  # holds the database's password
        path.write_text(f"<configuration>\n{properties}</configuration>\n", "utf-8")
    (folder / "log4j2.properties").write_text(_LOGGING, "utf-8")


def _twin(key: str) -> str:
    prefix, _, rest = key.partition(".")
    return {"metastore": f"hive.{rest}", "hive": f"metastore.{rest}"}.get(prefix, "")
