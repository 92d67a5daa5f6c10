"""`hive_acid.dry_run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from hive_acid.errors import build_error
from hive_acid.execution.dry_run_report import DryRun
from hive_acid.session.shim import EXTENSION
from hive_acid.wire import codec


def explain_statement(
    spark: SparkSession, statement: str, args: Mapping[str, Any] | Sequence[Any] | None = None
) -> DryRun:
    """Raises HIVE_ACID_CONFIGURATION if `hive_acid.configure` did not set up the session."""
    if EXTENSION not in (spark.conf.get("spark.sql.extensions", None) or "").split(","):
        raise build_error("HIVE_ACID_CONFIGURATION.SESSION_NOT_SET_UP")
    parameters: Any = dict(args) if isinstance(args, Mapping) else list(args) if args is not None else None
    row = spark.sql(f"EXPLAIN ACID FORMATTED {statement}", args=parameters).collect()[0]
    return codec.read(DryRun, row.value)
