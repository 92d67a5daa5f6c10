"""An erasure goes through its phases, ends right wherever it was killed, and shows nobody's name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Partition, TableDescription, TableName
from hive_acid_erasure.engine import Compaction
from hive_acid_erasure.run import find_subjects
from support.erasure_disk import Killed
from support.erasure_shop import NOTES, OTHER, PEOPLE, SALES, SUBJECTS, Shop, add_table


def left(shop: Shop) -> list[str]:
    return [str(row) for content in shop.disk.contents.values() for row in content.rows]


def test_an_erasure_leaves_no_row_of_a_subject_in_any_file_and_all_others(shop: Shop) -> None:
    outcome = shop.erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert sorted(left(shop)) == sorted(
        [
            str({"email": OTHER}),
            str({"email": OTHER}),
            str({"email": OTHER, "account": "a-18"}),
            str({"account": "a-18"}),
        ]
    )


def test_only_partitions_of_subjects_are_compacted(shop: Shop) -> None:
    shop.erase()
    assert sorted(shop.disk.compactions) == [("shop.notes", ""), ("shop.people", ""), ("shop.sales", "day=1")]


def test_a_partition_that_is_not_compacted_is_told_of_a_table_whose_name_has_a_blank(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hive allows such names (hive.support.special.characters.tablename)."""
    add_table(shop.metastore, TableName("shop", "old sales"))
    shop.disk.put("/warehouse/old sales/base_0000001/bucket_00000", {"email": SUBJECTS[0]})
    shop.plan = {"subjects": ["email"], "tables": {"shop.old sales": {"keys": {"email": "email"}}}}
    monkeypatch.setattr(shop.disk, "compact", lambda *_: [Compaction("", None, "a lock is held")])
    assert "not-compacted" in shop.kinds(shop.erase())


@pytest.mark.parametrize("where", [{"former": {"mail": SUBJECTS[0]}}, {"dictionary": (SUBJECTS[0],)}])
def test_a_compaction_takes_away_what_no_row_shows(shop: Shop, where: dict[str, Any]) -> None:
    """A column that the table has no more, and a dictionary's entry that no row refers to."""
    shop.disk.put("/warehouse/sales/day=2/delta_0000004_0000004_0000/bucket_00000", {"email": OTHER}, **where)
    assert shop.erase().verdict.state.value == "erased"
    assert ("shop.sales", "day=2") in shop.disk.compactions


def test_a_table_on_a_path_is_erased_after_the_table_that_the_path_leads_to(shop: Shop) -> None:
    tables = [str(table.table) for table in shop.case().plan.tables]
    assert tables.index("shop.notes") < tables.index("shop.people")


def test_the_certificate_tells_what_was_done(shop: Shop) -> None:
    outcome = shop.erase()
    assert outcome.certificate is not None
    tables = {table["table"]: table for table in outcome.certificate.payload["tables"]}
    sales = tables["shop.sales"]
    assert sales["found"] == {"total": 3, "matched": 1}
    assert [deletion["rows"] for deletion in sales["deletions"]] == [1]
    assert sales["compactions"][0]["partition"] == "day=1"
    assert sales["files_removed"] == ["/warehouse/sales/day=1/delta_0000001_0000001_0000/bucket_00000"]
    assert {file["searched"] for file in sales["files"]} == {"rows"}


class Striking:
    """Ends the process at the call of this number, before or after it is carried out."""

    def __init__(self, inner: Any, at: int, *, after: bool) -> None:
        self.inner, self.at, self.after, self.calls = inner, at, after, 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if not callable(found):
            return found

        def strike(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            if self.calls == self.at and not self.after:
                raise Killed
            result = found(*args, **kwargs)
            if self.calls == self.at:
                raise Killed
            return result

        return strike


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("part", ["engine", "metastore", "files"])
def test_a_run_after_a_kill_at_any_call_ends_right(make_shop: Any, part: str, after: bool) -> None:
    reached = 0
    for at in range(1, 200):
        fresh = make_shop()
        fresh.engine = fresh.disk
        inner = getattr(fresh, part)
        setattr(fresh, part, Striking(inner, at, after=after))
        try:
            fresh.erase()
            break
        except Killed:
            reached += 1
        setattr(fresh, part, inner)
        outcome = fresh.erase()
        assert outcome.verdict.state.value == "erased", (at, outcome.verdict)
        assert not [row for row in left(fresh) if any(name in row.lower() for name in SUBJECTS)], at
        assert fresh.disk.deleted_rows == 3, at
    assert reached > 5


def test_a_kill_at_any_event_of_the_ledger_ends_right(shop: Shop, make_shop: Any) -> None:
    shop.erase()
    lines = shop.ledger.read_bytes().splitlines(keepends=True)
    assert len(lines) > 10
    for number in range(len(lines)):
        fresh = make_shop()
        fresh.erase()
        fresh_lines = fresh.ledger.read_bytes().splitlines(keepends=True)
        fresh.ledger.write_bytes(b"".join(fresh_lines[:number]) + fresh_lines[number][:7])
        assert fresh.erase().verdict.state.value == "erased"


def test_a_second_run_does_nothing_again(shop: Shop) -> None:
    shop.erase()
    compactions = list(shop.disk.compactions)
    assert shop.erase().verdict.state.value == "erased"
    assert shop.disk.compactions == compactions
    assert shop.disk.deleted_rows == 3


def test_a_dry_run_counts_and_leaves_nothing(shop: Shop) -> None:
    found = find_subjects(shop.case(), shop.world())
    assert {str(table.matcher.table): table.count.matched for table in found} == {
        "shop.sales": 1,
        "shop.people": 1,
        "shop.notes": 1,
    }
    assert shop.disk.deleted_rows == 0 and not shop.ledger.exists()


@pytest.mark.parametrize("guard", [{"max_rows": 0}, {"max_percent": 10}])
def test_the_guard_stops_before_anything_is_deleted(shop: Shop, guard: dict[str, Any]) -> None:
    shop.plan["guard"] = guard
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.GUARD"
    assert shop.disk.deleted_rows == 0


def add_sale(shop: Shop, count: int) -> None:
    name = f"delta_{shop.clock.now_ms % 10**7:07d}_{shop.clock.now_ms % 10**7:07d}_0000"
    shop.disk.put(f"/warehouse/sales/day=2/{name}/bucket_00000", *[{"email": SUBJECTS[0]}] * count)


def test_the_guard_counts_the_rows_of_all_rounds_and_runs(shop: Shop) -> None:
    shop.plan["guard"] = {"max_rows": 3}
    assert shop.erase().verdict.state.value == "erased"  # one row of each table
    add_sale(shop, 2)
    assert shop.erase().verdict.state.value == "erased"
    add_sale(shop, 1)
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.GUARD_AT_DELETION"
    assert shop.disk.deleted_rows == 5
    assert sum(SUBJECTS[0] in row for row in left(shop)) == 1


def kill_at_sales(shop: Shop, moment: str) -> None:
    def kill() -> None:
        if shop.told[-1] == "delete: shop.sales":
            raise KeyboardInterrupt

    setattr(shop.disk, moment, kill)
    with pytest.raises(KeyboardInterrupt):
        shop.erase()
    setattr(shop.disk, moment, lambda: None)


def test_the_guard_counts_what_a_killed_run_has_committed(shop: Shop) -> None:
    shop.plan["guard"] = {"max_rows": 1}
    kill_at_sales(shop, "on_commit")
    add_sale(shop, 1)
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.GUARD_AT_DELETION"
    assert sum(SUBJECTS[0] in row for row in left(shop)) >= 1


def test_the_guard_does_not_count_what_a_killed_run_has_undone(shop: Shop) -> None:
    shop.plan["guard"] = {"max_rows": 1}
    kill_at_sales(shop, "on_confirmed")
    assert shop.erase().verdict.state.value == "erased"


def test_tables_may_be_deleted_from_in_one_transaction(shop: Shop) -> None:
    shop.plan["one_transaction"] = True
    outcome = shop.erase()
    assert outcome.certificate is not None
    deletions = [d for table in outcome.certificate.payload["tables"] for d in table["deletions"]]
    assert len(deletions) == 3 and len({deletion["txn_id"] for deletion in deletions}) == 1


def test_partitions_outside_of_the_limit_are_left_and_told(shop: Shop) -> None:
    shop.disk.put("/warehouse/sales/day=2/delta_0000002_0000002_0000/bucket_00000", {"email": SUBJECTS[0]})
    shop.plan["tables"]["shop.sales"]["partitions"] = "day=1"
    outcome = shop.erase()
    assert outcome.certificate is not None
    assert outcome.verdict.state.value == "erased"
    assert any("1 partitions" in spot for spot in outcome.certificate.payload["blind_spots"])
    assert sum(SUBJECTS[0] in row for row in left(shop)) == 1


def test_plain_tables_are_not_erased_and_verified_all_the_same(shop: Shop) -> None:
    stored = shop.metastore.table(SALES)
    shop.metastore.add_table(
        TableDescription(SALES, stored.location, stored.columns, stored.partition_columns, parameters={})
    )
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.NOT_TRANSACTIONAL"
    assert "rows" in shop.kinds(shop.verify())


def test_a_missing_table_is_named(shop: Shop) -> None:
    shop.plan["tables"]["shop.gone"] = {"keys": {"email": "email"}}
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.NO_SUCH_TABLE"


def test_a_plan_that_names_a_subject_is_refused(shop: Shop) -> None:
    shop.plan["tables"]["shop.sales"]["partitions"] = f"day <> '{SUBJECTS[0]}'"
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_NAMES_SUBJECT"
    assert SUBJECTS[0] not in str(caught.value)


def test_rows_that_come_after_the_deletion_are_deleted_too(shop: Shop) -> None:
    def write_once() -> None:
        shop.disk.on_search.clear()
        shop.disk.put("/warehouse/sales/day=2/delta_0000007_0000007_0000/bucket_00000", {"email": SUBJECTS[0]})

    shop.disk.on_search.append(write_once)
    assert shop.erase().verdict.state.value == "erased"
    assert ("shop.sales", "day=2") in shop.disk.compactions


def test_what_the_cleaner_has_left_is_pending_and_who_keeps_it_is_named(shop: Shop) -> None:
    shop.disk.cleans = False
    shop.metastore.open_transaction("eve", "reader-host", "hive-cli")
    outcome = shop.erase()
    assert {"not-cleaned", "rows"} <= shop.kinds(outcome)
    text = " ".join(place.detail for place in outcome.verdict.places)
    assert "eve on reader-host" in text


def test_nobodys_name_is_shown_anywhere(shop: Shop) -> None:
    partition = f"who={SUBJECTS[0]}"
    stored = shop.metastore.table(PEOPLE)
    shop.metastore.add_table(
        TableDescription(PEOPLE, stored.location, stored.columns, stored.columns[:1], parameters=stored.parameters)
    )
    shop.metastore.add_partition(PEOPLE, Partition(partition, (SUBJECTS[0],), f"/warehouse/people/{partition}"))
    shop.disk.put(f"/warehouse/people/{partition}/delta_0000003_0000003_0000/bucket_00000", {"email": SUBJECTS[0]})
    problem = f"cannot read {SUBJECTS[0]} here"
    shop.disk.put(f"/warehouse/notes/{SUBJECTS[1]}.orc", {"account": "x"}, problem=problem)
    shop.files.add_file("/warehouse/sales/_note", text=json.dumps({"by": SUBJECTS[0]}))
    outcome = shop.erase()
    shown = [
        shop.ledger.read_text(),
        shop.certificate.read_text(),
        shop.certificate.with_suffix(".html").read_text(),
        *shop.told,
        repr(outcome),
        repr(shop.case()),
        repr(shop.key),
        repr(shop.signer),
    ]
    secret = shop.key.secret
    for text in shown:
        assert not [name for name in SUBJECTS if name in text.lower()]
        assert secret.hex() not in text and repr(secret) not in text
    assert {"partition-name", "path"} <= shop.kinds(outcome)
    assert str(NOTES) in shop.certificate.read_text()
