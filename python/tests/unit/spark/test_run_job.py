"""Jobs that Python starts in the JVM."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import AnalysisException

from hive_acid.bridge import jvm


@pytest.mark.parametrize("kind", [Py4JJavaError, AnalysisException, KeyboardInterrupt])
def test_the_tasks_of_a_job_that_fails_have_ended_before_its_error_goes_on(
    monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    waited: list[str] = []
    monkeypatch.setattr(jvm, "_wait_for_tasks", lambda _, tag: waited.append(tag))

    def fail() -> None:
        raise kind.__new__(kind)

    with pytest.raises(kind):
        jvm.run_job(MagicMock(), "write", fail)
    assert waited == ["hive-acid-write"]
