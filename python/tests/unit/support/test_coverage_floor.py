"""The recorded coverage never falls."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.coverage_floor import RECORD, compare, read_share


@pytest.mark.parametrize(
    ("share", "is_error", "recorded"), [(79.9, True, "80.0"), (80.0, False, "80.0"), (80.1, False, "80.1")]
)
def test_a_lower_share_is_an_error_and_a_higher_one_is_recorded(
    share: float, is_error: bool, recorded: str, tmp_path: Path
) -> None:
    record = tmp_path / "coverage.txt"
    record.write_text("80.0\n")
    assert (compare(share, record) is not None) is is_error
    assert record.read_text().strip() == recorded


def test_a_share_is_cut_after_one_digit_so_that_a_rounded_one_is_never_recorded(tmp_path: Path) -> None:
    report = tmp_path / "coverage.json"
    report.write_text('{"totals": {"percent_covered": 81.29}}')
    assert read_share(report) == 81.2


def test_there_is_a_record() -> None:
    assert 0 < float(RECORD.read_text()) <= 100
