"""Errors of storage, as PySpark hands them over: each one has a condition of ours."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest
from pyspark.errors.exceptions.captured import (
    AnalysisException,
    CapturedException,
    IllegalArgumentException,
    UnsupportedOperationException,
)

from hive_acid.bridge.jvm import JvmFileSystem
from hive_acid.bridge.throwables import find_origin
from hive_acid.errors import HiveAcidError, SnapshotUnavailable
from hive_acid.wire.storage import FileVersion

FILE = FileVersion("/w/t/base_0000001/bucket_00000", 100, 1)


def captured(kind: type[CapturedException], condition: str | None = None, **params: str) -> CapturedException:
    """An exception of PySpark's for one of the JVM's, which tells condition and parameters."""

    class Captured(kind):  # type: ignore[valid-type, misc]
        def __init__(self) -> None:
            self._origin = MagicMock()

        def __str__(self) -> str:
            return "text of the JVM"

        def getCondition(self) -> str | None:  # noqa: N802 (PySpark's name)
            return condition

        def getErrorClass(self) -> str | None:  # noqa: N802 (PySpark's name)
            return condition

        def getMessageParameters(self) -> dict[str, str]:  # noqa: N802 (PySpark's name)
            return params

    error: CapturedException = Captured()
    return error


def file_system(error: CapturedException) -> JvmFileSystem:
    storage: Any = MagicMock()
    storage.rowCounts.side_effect = storage.readText.side_effect = error
    return JvmFileSystem(storage)


def test_a_file_whose_footer_cannot_be_read_ends_in_an_error_of_ours() -> None:
    params = {"table": "db.t", "path": FILE.path, "detail": "its end is missing"}
    error = captured(AnalysisException, "HIVE_ACID_CORRUPT_FILE.UNREADABLE", **params)
    with pytest.raises(HiveAcidError) as raised:
        file_system(error).row_counts("db.t", [FILE])
    assert raised.value.getCondition() == "HIVE_ACID_CORRUPT_FILE.UNREADABLE"
    assert raised.value.getMessageParameters() == params
    assert find_origin(raised.value.__cause__) is error._origin, "the statement that ends hands on the stack trace"


def test_a_file_that_goes_before_its_rows_are_counted_makes_the_snapshot_unavailable() -> None:
    error = captured(AnalysisException, "HIVE_ACID_SNAPSHOT_UNAVAILABLE", table="db.t", reason="its file is gone")
    with pytest.raises(SnapshotUnavailable, match="its file is gone"):
        file_system(error).row_counts("db.t", [FILE])


@pytest.mark.parametrize("kind", [IllegalArgumentException, UnsupportedOperationException])
def test_what_storage_cannot_do_is_an_error_of_storage(kind: type[CapturedException]) -> None:
    with pytest.raises(HiveAcidError, match=r"reading.*text of the JVM") as raised:
        file_system(captured(kind)).read_text("/w/t")
    assert raised.value.getCondition() == "HIVE_ACID_STORAGE"
