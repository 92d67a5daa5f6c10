"""The session that an erasure reads and compares by: what it finds does not depend on what a session has set."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from hive_acid.api.messages import write as write_message
from hive_acid.api.settings import COLUMNS_BY_POSITION

FAMILIES = ("spark.sql.", "orc.", "hive.exec.orc.", "hive.exec.schema.", "parquet.")
"""Beginnings of the names of settings that have their defaults, whatever a session or its application has set.

Any of them may change what is read of a file, by which name, as which value, or what two values have in common.
"""
KEPT = (
    # where tables and catalogs are
    "spark.sql.catalog.", "spark.sql.defaultCatalog", "spark.sql.warehouse.", "spark.sql.hive.metastore.",
    # the texts of moments, which the types of keys name, see `KeyTypes`
    "spark.sql.session.timeZone",
    # how many tasks, and of what size
    "spark.sql.shuffle.", "spark.sql.adaptive.", "spark.sql.autoBroadcastJoinThreshold", "spark.sql.broadcastTimeout",
    "spark.sql.codegen.", "spark.sql.files.maxPartitionBytes", "spark.sql.files.maxPartitionNum",
    "spark.sql.files.minPartitionNum", "spark.sql.files.openCostInBytes",
    "spark.sql.sources.parallelPartitionDiscovery.",
    # what is shown and kept of plans
    "spark.sql.redaction.", "spark.sql.debug.", "spark.sql.maxPlanStringLength", "spark.sql.event.", "spark.sql.ui.",
    # who may decrypt
    "orc.key.", "parquet.crypto.", "parquet.encryption.",
)  # fmt: skip
"""Beginnings of the names of settings that stay as they are: none of them changes a value that is read."""
FIXED = {
    # the same for all lines of Spark: a cast that fails is an error, not a NULL that names nobody; small decimals are
    # spelled out, also where a certificate is checked by another line
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.variable.substitute": "false",  # a key is what the plan says
    # a search reads structures whole: Spark's rule would number their fields as if the file had those of a key alone
    "spark.sql.optimizer.nestedSchemaPruning.enabled": "false",
    COLUMNS_BY_POSITION.key: "",  # as Hive of the metastore's line; files are searched by position and by name
    # Hadoop's own files may set these, too
    "orc.force.positional.evolution": "false",
    "orc.force.positional.evolution.level": "1",
    "orc.tolerate.missing.schema": "true",
    "orc.skip.corrupt.data": "false",
    "orc.max.file.length": str(2**63 - 1),
    "orc.sarg.to.filter": "false",
    "orc.filter.use.selected": "false",
    "orc.filter.plugin": "false",
    "orc.proleptic.gregorian.default": "false",
}
"""Settings with a value that is not left to Spark's default or to the configuration of Hadoop."""

_LINES = {"textinputformat.record.delimiter": "", "mapreduce.input.linerecordreader.line.maxlength": str(2**31 - 1)}
"""Settings of Hadoop by which its reader of lines finds others, or passes over long ones, and their defaults."""


def find_settings_of_lines(session: SparkSession) -> tuple[str, ...]:
    """The settings that differ from their defaults. A session cannot take back what its application has set."""
    jsession: Any = session._jsparkSession
    conf = jsession.sessionState().newHadoopConf()
    return tuple(key for key, default in _LINES.items() if (conf.get(key) or default) != default)


def pin_session(session: SparkSession) -> SparkSession:
    """A session beside this one, with its functions and temporary views of now, its catalogs and its rights.

    Functions that are called as one of Spark's own, by a session or an extension, are left out. Settings are taken over
    that `KEPT` names, that are static, or of other extensions.
    """
    jvm: Any = session._jvm
    jsession: Any = session._jsparkSession
    told = write_message(FAMILIES), write_message(KEPT), write_message(FIXED)
    return SparkSession(session.sparkContext, jvm.hiveacid.api.SearchApi.pin(jsession, *told))
