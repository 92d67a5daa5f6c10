"""What others do while an erasure or its verification runs is found, and told rightly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Partition
from hive_acid_erasure.engine import Matcher
from hive_acid_erasure.verify.places import Place, PlaceKind
from hive_acid_erasure.verify.verification import Verification
from support.erasure_disk import Killed
from support.erasure_shop import NOTES, OTHER, PEOPLE, SALES, SUBJECTS, Shop

ADA = SUBJECTS[0]
ROW = {"email": ADA}


def test_a_file_that_another_writes_while_verification_runs_is_searched_too(shop: Shop) -> None:
    shop.erase()
    path = "/warehouse/sales/day=2/delta_0000008_0000008_0000/bucket_00000"

    def write_once() -> None:
        shop.disk.on_search.clear()
        shop.disk.put(path, ROW, visible=False)

    shop.disk.on_search.append(write_once)
    assert "rows" in shop.kinds(shop.verify())


def test_files_that_never_rest_leave_the_verdict_open(shop: Shop) -> None:
    shop.erase()
    shop.disk.on_search.append(lambda: shop.disk.put("/warehouse/sales/day=2/000000_0", {"email": OTHER}))
    assert "changing-files" in shop.kinds(shop.verify())


def test_a_table_that_is_exchanged_while_it_is_searched_is_told(shop: Shop) -> None:
    shop.erase()
    shop.disk.on_search.append(lambda: shop.metastore.add_table(shop.metastore.table(SALES)))
    assert "changed-table" in shop.kinds(shop.verify())


def test_a_table_that_is_moved_while_it_is_searched_is_told(shop: Shop) -> None:
    shop.erase()

    def move() -> None:
        shop.metastore._tables[SALES] = replace(shop.metastore.table(SALES), location="/warehouse/elsewhere")

    shop.disk.on_search.append(move)
    assert "changed-table" in shop.kinds(shop.verify())


def test_a_table_that_goes_while_it_is_searched_is_told(shop: Shop) -> None:
    shop.erase()
    shop.disk.on_search.append(lambda: shop.metastore._tables.pop(SALES, None))
    assert "changed-table" in shop.kinds(shop.verify())


def test_a_partition_that_comes_while_files_are_searched_is_searched_and_no_change(shop: Shop) -> None:
    shop.erase()

    def add(name: str) -> None:
        shop.metastore.add_partition(SALES, Partition(f"day={name}", (name,), f"/elsewhere/{name}"))

    shop.disk.on_search.append(lambda: add("3"))
    assert shop.verify().verdict.state.value == "erased"
    shop.disk.on_search = [lambda: add(ADA)]
    assert "partition-name" in shop.kinds(shop.verify())
    shop.metastore.remove_partition(SALES, f"day={ADA}")
    shop.disk.on_search = [
        lambda: (add("4"), "/elsewhere/4/x" in shop.disk.contents or shop.disk.put("/elsewhere/4/x", ROW))
    ]
    assert "rows" in shop.kinds(shop.verify())


def test_a_table_that_was_made_anew_since_the_erasure_began_is_told(shop: Shop) -> None:
    shop.erase()
    shop.metastore.add_table(shop.metastore.table(PEOPLE))
    assert "changed-table" in shop.kinds(shop.erase())


@pytest.mark.parametrize("is_late", [False, True])
def test_nothing_is_deleted_from_another_table_of_the_name(shop: Shop, is_late: bool) -> None:
    shop.erase()
    path = shop.disk.put("/warehouse/notes/delta_0000009_0000009_0000/bucket_00000", {"account": "a-17"})
    others, delete = shop.metastore.table(NOTES), shop.disk.delete

    def exchange(*arguments: Any) -> Any:
        shop.metastore.add_table(others)
        return delete(*arguments)

    if is_late:
        shop.disk.delete = exchange  # type: ignore[method-assign]
    else:
        shop.metastore.add_table(others)
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.ANOTHER_TABLE"
    assert not shop.disk.contents[path].masked


def test_a_table_that_is_gone_is_told(shop: Shop) -> None:
    shop.erase()
    del shop.metastore._tables[PEOPLE]
    assert "changed-table" in shop.kinds(shop.erase())


def lose_partition(shop: Shop) -> None:
    """As an exchange with another table does."""
    shop.metastore.remove_partition(SALES, "day=1")
    for path in [path for path in shop.disk.contents if "/sales/day=1/" in path]:
        shop.disk.remove(path)


def test_a_partition_that_goes_before_its_files_are_free_is_told_until_it_is_back(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    partition = shop.metastore.partitions(SALES, ["day=1"])[0]
    delete = shop.disk.delete

    def delete_and_lose(matchers: Sequence[Matcher], *more: Any) -> Any:
        answer = delete(matchers, *more)
        if matchers[0].table == SALES:
            lose_partition(shop)
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(shop.disk, "delete", delete_and_lose)
        assert "day=1" in " ".join(p.where for p in shop.erase().verdict.places if p.kind.value == "changed-table")
    assert "changed-table" in shop.kinds(shop.erase())
    shop.metastore.add_partition(SALES, partition)
    assert shop.erase().verdict.state.value == "erased"


def test_a_partition_whose_files_were_free_may_go(shop: Shop) -> None:
    shop.disk.put(f"/warehouse/sales/day=2/{ADA}.orc", {"email": OTHER})
    assert shop.kinds(shop.erase()) == {"path"}
    lose_partition(shop)
    shop.disk.remove(f"/warehouse/sales/day=2/{ADA}.orc")
    assert shop.erase().verdict.state.value == "erased"


def lose(shop: Shop, day: str) -> None:
    """As an exchange with another table does."""
    shop.metastore.remove_partition(SALES, day)
    for path in [path for path in shop.disk.contents if f"/sales/{day}/" in path]:
        content = shop.disk.contents[path]
        shop.disk.remove(path)
        shop.disk.put(path.replace("/sales/", "/elsewhere/"), *content.rows)


@pytest.mark.parametrize("kind", ["late", "masked", "new"])
def test_a_partition_is_missed_though_no_count_before_the_deletion_has_named_it(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A row that comes after the count; one of an earlier DELETE; and one in a partition that comes after the count."""
    day = "day=7" if kind == "new" else "day=2"
    path = f"/warehouse/sales/{day}/delta_0000002_0000002_0000/bucket_00000"
    if kind == "masked":
        shop.disk.put(path, ROW, masked={0})
    delete = shop.disk.delete

    def write_delete_and_lose(matchers: Sequence[Matcher], *more: Any) -> Any:
        if matchers[0].table != SALES:
            return delete(matchers, *more)
        if kind == "new":
            shop.metastore.add_partition(SALES, Partition(day, (day[4:],), f"/warehouse/sales/{day}"))
        if kind != "masked":
            shop.disk.put(path, ROW)
        answer = delete(matchers, *more)
        lose(shop, day)
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(shop.disk, "delete", write_delete_and_lose)
        outcome = shop.erase()
    assert [place.where for place in outcome.verdict.places] == [f"shop.sales PARTITION ({day})"]
    assert "changed-table" in shop.kinds(shop.erase())


def test_a_partition_that_was_written_to_is_missed_by_a_run_after_a_kill(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came after the count; the process is killed after the commit, and the partition exchanged."""
    delete = shop.disk.delete

    def delete_and_be_killed(matchers: Sequence[Matcher], *more: Any) -> Any:
        shop.metastore.add_partition(SALES, Partition("day=7", ("7",), "/warehouse/sales/day=7"))
        shop.disk.put("/warehouse/sales/day=7/delta_0000002_0000002_0000/bucket_00000", ROW)
        delete(matchers, *more)
        lose(shop, "day=7")
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(shop.disk, "delete", delete_and_be_killed)
        shop.erase()
    assert [place.where for place in shop.erase().verdict.places] == ["shop.sales PARTITION (day=7)"]


def test_a_partition_whose_files_were_free_before_and_named_somebody_since_is_missed(shop: Shop) -> None:
    """Rows that the Cleaner cannot remove yet come into a partition that the first verification found free."""
    assert shop.erase().verdict.state.value == "erased"
    shop.disk.cleans = False
    shop.disk.put("/warehouse/sales/day=2/delta_0000009_0000009_0000/bucket_00000", ROW)
    assert "rows" in shop.kinds(shop.erase())
    lose(shop, "day=2")
    assert "changed-table" in shop.kinds(shop.erase())


@pytest.mark.parametrize("doubt", ["cross-check", "pending-upload", "kept-for-replicas", "unknown-links"])
def test_a_partition_of_which_anything_is_open_is_missed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, doubt: str
) -> None:
    """Nothing but a whole and clear answer about its files lets a partition go."""
    kind, day = PlaceKind(doubt), None if doubt == "unknown-links" else "day=2"
    verify = Verification.verify

    def verify_in_doubt(*given: Any) -> Any:
        report = verify(*given)
        doubts = (Place(kind, "a file", "it may hold somebody", day),) if report.matcher.table == SALES else ()
        return replace(report, places=(*report.places, *doubts))

    with monkeypatch.context() as patched:
        patched.setattr(Verification, "verify", verify_in_doubt)
        assert doubt in shop.kinds(shop.erase())
    lose(shop, "day=2")
    assert "changed-table" in shop.kinds(shop.erase())


def test_a_partition_of_a_table_that_never_rested_in_the_end_is_missed(shop: Shop) -> None:
    """Each look in the end finds other files than the search has read."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Verification, "is_as_it_was", lambda *_: False)
        assert "changing-files" in shop.kinds(shop.erase())
    lose(shop, "day=2")
    assert "changed-table" in shop.kinds(shop.erase())


def limit(shop: Shop, day: str) -> None:
    shop.plan["tables"]["shop.sales"]["partitions"] = day


def test_a_row_that_comes_between_two_counts_into_a_partition_within_the_limits_is_erased(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in [path for path in shop.disk.contents if "/sales/day=1/" in path]:
        shop.disk.remove(path)
    limit(shop, "day=1")
    late = "/warehouse/sales/day=1/delta_0000004_0000004_0000/bucket_00000"
    count = shop.disk.count

    def count_and_write(matcher: Matcher, partitions: str | None) -> Any:
        answer = count(matcher, partitions)
        if matcher.table == SALES and late not in written:
            written.append(shop.disk.put(late, ROW, {"email": OTHER}))
        return answer

    written = list[str]()
    monkeypatch.setattr(shop.disk, "count", count_and_write)
    outcome = shop.erase()
    assert outcome.certificate is not None
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert not [path for path, content in shop.disk.contents.items() if ROW in content.rows]
    assert not [spot for spot in outcome.certificate.payload["blind_spots"] if "shop.sales" in spot]


@pytest.mark.parametrize("about", [{"masked": {0}}, {}])
def test_a_partition_outside_of_the_limits_is_left_whatever_shows_its_rows(shop: Shop, about: Any) -> None:
    """Rows of an earlier DELETE, or that come after the count."""
    limit(shop, "day=1")
    path = "/warehouse/sales/day=2/delta_0000002_0000002_0000/bucket_00000"
    if about:
        shop.disk.put(path, ROW, **about)
    else:
        shop.disk.on_search.append(lambda: path in shop.disk.contents or shop.disk.put(path, ROW))
    outcome = shop.erase()
    assert outcome.certificate is not None
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert ("shop.sales", "day=2") not in shop.disk.compactions
    assert [spot for spot in outcome.certificate.payload["blind_spots"] if "shop.sales: 1 partitions" in spot]


def test_a_partition_outside_of_the_limits_may_go(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(shop, "day=1")
    shop.disk.put("/warehouse/sales/day=2/delta_0000002_0000002_0000/bucket_00000", ROW)
    delete = shop.disk.delete

    def delete_and_lose(*arguments: Any) -> Any:
        answer = delete(*arguments)
        if shop.metastore.partition_names(SALES) == ["day=1", "day=2"]:
            shop.metastore.remove_partition(SALES, "day=2")
        return answer

    monkeypatch.setattr(shop.disk, "delete", delete_and_lose)
    assert shop.erase().verdict.state.value == "erased"


def test_a_partition_that_a_limit_has_moved_away_from_is_not_left(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of `day >= current_date() - 30` a day later: rows were deleted from it, and its files are searched."""
    limit(shop, "day=1")
    shop.disk.cleans = False
    assert "rows" in shop.kinds(shop.erase())
    monkeypatch.setattr(shop.disk, "choose_partitions", lambda *_: frozenset[str]())
    assert "rows" in shop.kinds(shop.erase())
