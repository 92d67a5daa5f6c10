"""Errors of ours as exceptions of the JVM's."""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.errors.masking import is_kept, mask_own, masked
from hive_acid.spark_lines import is_before


def build_throwable(jvm: Any, error: HiveAcidError, cause: Any = None) -> Any:
    """The AcidException for an error, with its notes; `cause` is a Throwable. Names that are kept are in none of it."""
    notes = [masked(note) for note in getattr(error, "__notes__", ())]
    if is_kept():
        error, cause = mask_own(error, masked), None
    params = jvm.java.util.HashMap()
    for key, value in error.getMessageParameters().items():
        params.put(key, value)
    text = "\n".join([str(error), *notes])
    return jvm.hiveacid.errors.AcidException.fromPython(text, error.getCondition(), error.getSqlState(), params, cause)


def mask_throwable(gateway: Any, thrown: Any) -> Any:
    """A Throwable of the JVM's; if it or a cause of it tells a name that is kept, another of its condition."""
    if not is_kept():
        return thrown
    jvm = gateway.jvm
    shown = str(jvm.org.apache.spark.util.Utils.exceptionString(thrown))
    if masked(shown) == shown:
        return thrown
    condition = find_condition_of(gateway, thrown) or str(thrown.getClass().getName())
    if is_instance_of(gateway, thrown, "hiveacid.errors.AcidException"):
        params = {str(name): str(value) for name, value in dict(thrown.getMessageParameters()).items()}
        return build_throwable(jvm, build_error(condition, **params))
    return build_throwable(jvm, build_error("HIVE_ACID_ERASURE.UNEXPECTED", failure=condition))


def find_origin(error: BaseException | None) -> Any:
    """The exception of the JVM that PySpark has made this error of; None if it comes from elsewhere."""
    if isinstance(error, Py4JJavaError):
        return error.java_exception
    return error._origin if isinstance(error, CapturedException) else None


def find_condition_of(gateway: Any, error: Any) -> str | None:
    """The condition of a Throwable, which Spark calls a class before 4.0; None if it has none."""
    if not is_instance_of(gateway, error, "org.apache.spark.SparkThrowable"):
        return None
    found = error.getErrorClass() if is_before("4.0") else error.getCondition()
    return None if found is None else str(found)
