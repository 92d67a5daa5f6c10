"""Errors of ours as exceptions of the JVM's."""

from __future__ import annotations

from typing import Any

from hive_acid.errors import HiveAcidError


def build_throwable(jvm: Any, error: HiveAcidError, cause: Any = None) -> Any:
    """The AcidException for an error, with its notes; `cause` is a Throwable."""
    params = jvm.java.util.HashMap()
    for key, value in error.getMessageParameters().items():
        params.put(key, value)
    text = "\n".join([str(error), *getattr(error, "__notes__", ())])
    return jvm.hiveacid.errors.AcidException.fromPython(text, error.getCondition(), error.getSqlState(), params, cause)
