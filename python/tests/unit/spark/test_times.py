"""Times that rows of `history` and `detail` hold are those instants, also in an hour that a clock shows twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from typing import cast

import pytest
from pyspark.sql.types import TimestampType

from hive_acid.user.rows import build_instant

FIRST_S, SECOND_S = 1792888200, 1792891800
"""Both are 02:30 on 2026-10-25 in Berlin."""


@pytest.fixture(params=["Europe/Berlin", "UTC", "America/St_Johns"])
def _zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_zone")
@pytest.mark.parametrize("seconds", [FIRST_S, SECOND_S, 0, -1])
def test_sparks_value_is_the_instant(seconds: int) -> None:
    assert TimestampType().toInternal(cast("datetime", build_instant(seconds * 1000 + 5))) == seconds * 10**6 + 5000


def test_an_unknown_time_is_null() -> None:
    assert build_instant(None) is None
