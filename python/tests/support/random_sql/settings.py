"""Random settings: those that may change what a statement means, and those that may not."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

MEANING: Final[Mapping[str, Sequence[str]]] = {
    "spark.sql.ansi.enabled": ("true", "true", "false"),
    "spark.sql.storeAssignmentPolicy": ("ANSI", "ANSI", "ANSI", "STRICT"),
    "spark.sql.session.timeZone": ("UTC", "America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata", "Pacific/Apia"),
    "spark.sql.legacy.charVarcharAsString": ("false", "false", "false", "true"),
    "spark.sql.sources.partitionOverwriteMode": ("", "", "static", "dynamic"),
}
"""Of a segment; without a value a setting is not set.

The policy LEGACY and `spark.sql.caseSensitive` are refused by name.
"""
NEUTRAL: Final[Mapping[str, Sequence[str]]] = {
    "spark.sql.adaptive.enabled": ("true", "false"),
    "spark.sql.shuffle.partitions": ("1", "3", "7"),
    "spark.sql.codegen.wholeStage": ("true", "false"),
    "spark.sql.codegen.factoryMode": ("FALLBACK", "NO_CODEGEN"),
    "spark.sql.orc.enableVectorizedReader": ("true", "false"),
    "spark.sql.parquet.enableVectorizedReader": ("true", "false"),
    "spark.sql.orc.filterPushdown": ("true", "false"),
    "spark.sql.files.maxPartitionBytes": ("134217728", "700"),
    "spark.sql.autoBroadcastJoinThreshold": ("10485760", "-1"),
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": ("true", "false"),
    "spark.sql.optimizer.runtime.bloomFilter.enabled": ("true", "false"),
    "spark.sql.constraintPropagation.enabled": ("true", "false"),
    "spark.hiveacid.lock.pollMinMs": ("50", "1"),
    "spark.hiveacid.lock.maxPartitions": ("100", "1", "2"),
    "spark.hiveacid.statement.maxAttempts": ("5", "1"),
    "spark.hiveacid.insert.buckets": ("0", "1", "2", "64"),
    "spark.hiveacid.insert.shuffleByPartition": ("true", "false"),
    "spark.hiveacid.merge.pruningMaxSourceBytes": ("1073741824", "0"),
    "spark.hiveacid.read.transactions": ("true", "false"),
    "spark.hiveacid.read.columnsByPosition": ("", "true", "false"),
    "spark.hiveacid.guard.maxRows": ("", "1000000"),
    "spark.hiveacid.guard.maxPercent": ("", "100"),
    "spark.hiveacid.compaction.afterWrite": ("false", "false", "true"),
    "spark.hiveacid.metastore.notifyWrites": ("false", "true"),
    "spark.hiveacid.history.enabled": ("true", "false"),
    "spark.hiveacid.history.statementText": ("true", "false"),
}
"""They may change between two statements."""
OF_APPLICATION: Final[Mapping[str, Sequence[str]]] = {
    "spark.hiveacid.deletes.cacheBytes": ("268435456", "1"),
    "spark.serializer": (
        "org.apache.spark.serializer.JavaSerializer",
        "org.apache.spark.serializer.KryoSerializer",
    ),
}
"""Of a whole run."""
ALWAYS: Final[Mapping[str, str]] = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.hive.convertMetastoreOrc": "true",
    "spark.hiveacid.transaction.admitOthers": "true",
}
"""The other implementation keeps days before 1582 as they are, and its tables are plain ones, also in a transaction."""


def draw(chance: random.Random, choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A value for each; an empty one leaves the setting as it is by default."""
    drawn = {key: chance.choice(values) for key, values in choices.items()}
    return {key: value for key, value in drawn.items() if value}


def redraw(chance: random.Random) -> tuple[tuple[str, str | None], ...]:
    """New values for a few of the neutral ones."""
    keys = chance.sample(list(NEUTRAL), 4)
    return tuple((key, chance.choice(NEUTRAL[key]) or None) for key in keys)
