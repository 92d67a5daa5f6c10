"""The first sentences of a certificate say what two readers agree on, and what one has read alone."""

from __future__ import annotations

from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.certificate.summary import describe_readers, summarize
from support.erasure_shop import OTHER, SUBJECTS, Shop


def check(files: int = 2, differences: int | None = 0, **others: Any) -> dict[str, Any]:
    found = {"files": files, "rows": 9, "unsure_rows": 0, "not_checked": [], "one_reader": [], **others}
    return found if differences is None else {**found, "differences": differences}


LEFT = [{"reason": "beyond the plan's limit", "files": 3}]
ALONE = [{"key": ["a || b"], "reason": "a key is an expression that only Spark computes"}]


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        ([], ""),
        ([check()], "Two readers agree on all 2 files that hold rows."),
        ([check(), check(1)], "Two readers agree on all 3 files that hold rows."),
        ([check(differences=1)], "A second reader has read all 2 files that hold rows."),
        ([check(differences=None)], "A second reader has read all 2 files that hold rows."),
        (
            [check(), check(not_checked=LEFT)],
            "Two readers agree on 4 of 7 files that hold rows: 3 files were read by one alone.",
        ),
        (
            [check(in_part=1)],
            "Two readers agree on all 2 files that hold rows. In 1 file, both have read only a part of the rows.",
        ),
        (
            [check(1, one_reader=ALONE)],
            "Two readers agree on all 1 file that hold rows. 1 key was computed by one reader alone.",
        ),
    ],
)
def test_what_is_told_of_the_readers(checks: list[dict[str, Any]], told: str) -> None:
    assert describe_readers(checks) == told


def test_a_certificate_and_its_page_say_so_at_first(shop: Shop) -> None:
    outcome = shop.erase()
    told = "Two readers agree on all 4 files that hold rows."
    assert summarize(outcome.payload).lines()[0].endswith(told)
    page = shop.certificate.with_suffix(".html").read_text()
    assert told in page.partition("<table>")[0]


def test_a_limit_is_told_and_kept_when_the_certificate_is_checked(shop: Shop) -> None:
    shop.plan["second_reader"] = {"max_files": 1}
    outcome = shop.erase()
    assert outcome.verdict.state.value == "erased"
    (sentence, *_) = summarize(outcome.payload).lines()
    assert sentence.endswith("Two readers agree on 3 of 4 files that hold rows: 1 file was read by one alone.")
    assert outcome.payload["plan"]["second_reader"] == {"max_files": 1, "max_rows": None}
    assert outcome.certificate is not None
    again = recheck(outcome.certificate, shop.certificate, shop.key, shop.world())
    assert [each.report.cross_check.files for each in again] == [1, 1, 1]


def test_former_columns_that_are_left_out_are_told(shop: Shop) -> None:
    sentence = "Columns that tables no longer have were not searched."
    former = "/warehouse/sales/day=2/000001_0"
    shop.disk.put(former, {"email": OTHER}, former={"mail": SUBJECTS[0]})
    shop.plan["former_columns"] = False
    outcome = shop.erase()
    assert outcome.verdict.state.value == "erased"
    assert summarize(outcome.payload).lines()[0].endswith(sentence)
    assert outcome.certificate is not None
    again = recheck(outcome.certificate, shop.certificate, shop.key, shop.world())
    assert not [place for each in again for place in each.places]
    shop.plan["former_columns"] = True
    thorough = shop.verify()
    assert sentence not in summarize(thorough.payload).lines()[0]
    assert shop.kinds(thorough) == {"former-column"}


def test_a_file_that_one_reader_alone_can_read_leaves_the_verdict_pending(shop: Shop) -> None:
    shop.files.bytes["/warehouse/sales/day=2/delta_0000001_0000001_0000/bucket_00000"] = b"PAR1 and no more"
    outcome = shop.erase()
    assert shop.kinds(outcome) == {"cross-check"}
    (place,) = outcome.verdict.places
    assert place.where.endswith("day=2/delta_0000001_0000001_0000/bucket_00000")
    assert "Two readers agree" not in summarize(outcome.payload).lines()[0]


def test_a_session_that_reads_other_columns_erases_nothing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"setting": "spark.hiveacid.read.columnsByPosition", "found": "name", "wanted": "position"}

    def refuse() -> None:
        raise build_error("HIVE_ACID_ERASURE.COLUMNS_SETTING", **told)

    monkeypatch.setattr(shop.disk, "check_session", refuse)
    with pytest.raises(HiveAcidError, match="by name, and Hive of the metastore's line by position"):
        shop.erase()
    assert shop.disk.deleted_rows == 0 and not shop.disk.compactions
