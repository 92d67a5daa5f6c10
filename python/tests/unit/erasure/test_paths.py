"""Rows that other tables lead to are erased by the links of the moment, or the verdict is not that they are."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from hive_acid_erasure.run import find_subjects
from support.erasure_disk import Killed
from support.erasure_shop import NOTES, OTHER, PEOPLE, SUBJECTS, Shop, add_table

ADA, BO = SUBJECTS
CARDS = TableName("shop", "cards")


def open_account(shop: Shop, account: str, email: str = ADA, number: int = 9) -> None:
    """A person gets an account, and a note of it."""
    folder = f"delta_{number:07d}_{number:07d}_0000"
    shop.disk.put(f"/warehouse/people/{folder}/bucket_00000", {"email": email, "account": account})
    shop.disk.put(f"/warehouse/notes/{folder}/bucket_00000", {"account": account})


def notes(shop: Shop) -> set[str]:
    """The accounts of all notes in files."""
    contents = shop.disk.contents
    return {row["account"] for path in contents if "/notes/" in path for row in contents[path].rows}


def before_delete(shop: Shop, number: int, act: Callable[[], object]) -> None:
    """What somebody else does before the deletion of this number begins."""
    delete, calls = shop.disk.delete, [0]

    def acting(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] == number:
            act()
        return delete(*arguments)

    shop.disk.delete = acting  # type: ignore[method-assign]


def table_of(outcome: Any, name: TableName) -> dict[str, Any]:
    tables = {table["table"]: table for table in outcome.certificate.payload["tables"]}
    found: dict[str, Any] = tables[str(name)]
    return found


@pytest.mark.parametrize(("number", "one_transaction"), [(1, False), (2, False), (3, False), (1, True)])
def test_rows_of_an_account_that_comes_before_a_deletion_are_erased(
    shop: Shop, number: int, one_transaction: bool
) -> None:
    shop.plan["one_transaction"] = one_transaction
    before_delete(shop, number, lambda: open_account(shop, "a-99"))
    outcome = shop.erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert notes(shop) == {"a-18"}
    hashes = {hashed for key in table_of(outcome, NOTES)["keys"] for hashed in key["hashes"]}
    assert hashes == {shop.key.hash_parts((account,)).hex() for account in ("a-17", "a-99")}


def test_a_second_run_erases_the_rows_of_accounts_that_came_since(shop: Shop) -> None:
    assert shop.erase().verdict.state.value == "erased"
    open_account(shop, "a-99")
    assert shop.erase().verdict.state.value == "erased"
    assert notes(shop) == {"a-18"}
    open_account(shop, "a-100", number=20)
    assert shop.erase().verdict.state.value == "erased"
    assert notes(shop) == {"a-18"}


def test_links_are_noted_before_the_rows_that_give_them_are_deleted(shop: Shop) -> None:
    """people is deleted from, and the process killed before it can note so: the account stands in no row any more."""

    delete = shop.disk.delete

    def delete_and_die(matchers: Any, *more: Any) -> Any:
        if matchers[0].table == PEOPLE:
            open_account(shop, "a-99")
        answer = delete(matchers, *more)
        if matchers[0].table == PEOPLE:
            raise Killed
        return answer

    shop.disk.delete = delete_and_die  # type: ignore[method-assign]
    with pytest.raises(Killed):
        shop.erase()
    shop.disk.delete = delete  # type: ignore[method-assign]
    assert shop.erase().verdict.state.value == "erased"
    assert notes(shop) == {"a-18"}


def test_an_account_that_comes_while_files_are_searched_is_seen_before_the_verdict(shop: Shop) -> None:
    def open_once() -> None:
        if shop.disk.searched[-1].startswith("/warehouse/people"):
            shop.disk.on_search.clear()
            open_account(shop, "a-99")

    shop.disk.on_search.append(open_once)
    assert shop.erase().verdict.state.value == "erased"
    assert notes(shop) == {"a-18"}


def test_accounts_that_never_rest_leave_the_verdict_open(shop: Shop) -> None:
    numbers = itertools.count(100)
    shop.disk.on_search.append(lambda: open_account(shop, f"a-{next(numbers)}", number=next(numbers)))
    assert "changing-links" in shop.kinds(shop.erase())
    shop.disk.on_search.append(lambda: open_account(shop, f"a-{next(numbers)}", number=next(numbers)))
    assert "changing-links" in shop.kinds(shop.verify())


def mask_people(shop: Shop) -> None:
    """As a DELETE of Bo does."""
    for path, content in shop.disk.contents.items():
        if path.startswith("/warehouse/people"):
            content.masked = {0}


def test_link_rows_that_no_query_shows_leave_the_verdict_open(shop: Shop) -> None:
    mask_people(shop)
    outcome = shop.erase()
    assert outcome.verdict.state.value == "pending"
    assert shop.kinds(outcome) == {"unknown-links"}
    assert "a-17" in notes(shop)
    assert table_of(outcome, NOTES)["reach"] == [
        {"table": "shop.people", "asked": 2, "without": 2, "hidden_rows": 1, "unsearched_files": 0}
    ]
    assert shop.kinds(shop.erase()) == {"unknown-links"}


def test_link_rows_that_no_query_shows_leave_the_verdict_of_a_verification_open(shop: Shop) -> None:
    del shop.plan["tables"]["shop.people"], shop.plan["tables"]["shop.sales"]
    mask_people(shop)
    assert shop.kinds(shop.verify()) == {"unknown-links"}


PLAIN_ORC = {"parameters": {}, "input_format": "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"}
PLAIN_TEXT = {"parameters": {}, "input_format": "org.apache.hadoop.mapred.TextInputFormat"}


def test_link_rows_of_a_plain_table_that_no_query_shows_leave_the_verdict_open(shop: Shop) -> None:
    """Spark finds columns of plain ORC by name, and Hive 4 by position."""
    del shop.plan["tables"]["shop.people"], shop.plan["tables"]["shop.sales"]
    mask_people(shop)
    shop.metastore.add_table(replace(shop.metastore.table(PEOPLE), **PLAIN_ORC))
    assert shop.kinds(shop.verify()) == {"unknown-links"}


@pytest.mark.parametrize("content", [b"\x89LZO\0\r\n\x1a\n packed", b"lines\n"])
def test_no_link_is_taken_from_what_queries_take_for_the_lines_of_a_packed_file(shop: Shop, content: bytes) -> None:
    del shop.plan["tables"]["shop.people"], shop.plan["tables"]["shop.sales"]
    shop.files.bytes["/warehouse/people/base_0000001/bucket_00000"] = b"lines\n"
    shop.metastore.add_table(replace(shop.metastore.table(PEOPLE), **PLAIN_TEXT))
    shop.files.add_file("/warehouse/people/000000_0.lzo", len(content), 5)
    shop.files.bytes["/warehouse/people/000000_0.lzo"] = content
    if content.isascii():
        assert shop.kinds(shop.verify()) == {"rows", "visible-rows"}
    else:
        with pytest.raises(HiveAcidError, match="NOT_COUNTED"):
            shop.verify()


@pytest.mark.parametrize("act", ["erase", "verify"])
def test_a_row_without_a_link_leaves_the_verdict_open_if_another_that_no_query_shows_has_one(
    shop: Shop, act: str
) -> None:
    """Also a row whose link one engine finds by position, and the query by its name."""
    del shop.plan["tables"]["shop.people"], shop.plan["tables"]["shop.sales"]
    put = shop.disk.put
    put("/warehouse/people/delta_0000009_0000009_0000/bucket_00000", {"email": ADA})
    assert getattr(shop, act)().verdict.state.value == ("erased" if act == "erase" else "pending")
    put("/warehouse/people/delta_0000008_0000008_0000/bucket_00000", {"email": ADA, "account": "a-16"}, masked={0})
    assert "unknown-links" in shop.kinds(getattr(shop, act)())


def come_and_go(shop: Shop) -> None:
    """Ada gets her first account, with a note, and the account is deleted before anybody looks."""
    open_account(shop, "a-99")
    shop.disk.contents["/warehouse/people/delta_0000009_0000009_0000/bucket_00000"].masked = {0}


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_link_rows_that_are_hidden_after_the_find_leave_the_verdict_open(shop: Shop, number: int) -> None:
    """Before each deletion, whose compactions remove the row, and between two runs of one ledger."""
    if number:
        before_delete(shop, number, lambda: come_and_go(shop))
    else:
        assert shop.erase().verdict.state.value == "erased"
        come_and_go(shop)
    assert "unknown-links" in shop.kinds(shop.erase())
    assert "unknown-links" in shop.kinds(shop.erase())
    assert "a-99" in notes(shop)


def test_link_rows_that_are_hidden_while_a_search_goes_on_leave_its_verdict_open(shop: Shop) -> None:
    del shop.plan["tables"]["shop.people"], shop.plan["tables"]["shop.sales"]
    shop.disk.on_search.append(lambda: (shop.disk.on_search.clear(), come_and_go(shop)))
    assert "unknown-links" in shop.kinds(shop.verify())


def test_rows_of_an_account_that_hide_a_link_of_their_own_leave_the_verdict_open(shop: Shop) -> None:
    """The account is known, and erased; a card of it comes and is deleted before anybody looks."""
    add_cards(shop, "a-16")
    assert shop.erase().verdict.state.value == "erased"
    shop.disk.put("/warehouse/cards/delta_0000009_0000009_0000/bucket_00000", CARD, masked={0})
    assert "unknown-links" in shop.kinds(shop.erase())


def test_a_person_without_an_account_is_erased_and_told(shop: Shop) -> None:
    shop.disk.put("/warehouse/people/delta_0000002_0000002_0000/bucket_00000", {"email": ADA})
    outcome = shop.erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert [(each["asked"], each["without"]) for each in table_of(outcome, NOTES)["reach"]] == [(2, 1)]


def test_persons_without_a_value_of_the_key_are_told(shop: Shop) -> None:
    shop.plan["subjects"] = ["email", "account"]
    shop.plan["tables"] = {"shop.notes": {"keys": {"account": "account"}}}
    outcome = erase_these(shop, [(ADA, None), (BO, "a-17")])
    assert outcome.verdict.state.value == "erased"
    reach = {"table": "shop.notes", "asked": 2, "without": 1, "hidden_rows": 0, "unsearched_files": 0}
    assert table_of(outcome, NOTES)["reach"] == [reach]


def erase_these(shop: Shop, subjects: Any) -> Any:
    case = shop.case
    shop.case = lambda kind="erasure", subjects=subjects: case(kind, subjects)  # type: ignore[method-assign]
    return shop.erase()


def give_to_another(shop: Shop) -> None:
    """Account a-17 is by now Cyd's."""
    mask_people(shop)
    shop.disk.put("/warehouse/people/delta_0000005_0000005_0000/bucket_00000", {"email": OTHER, "account": "a-17"})


@pytest.mark.parametrize("number", [1, 2])
def test_rows_of_an_account_that_is_anothers_by_now_are_not_deleted(shop: Shop, number: int) -> None:
    """Before the first deletion; and by rows that come after Bo's were deleted."""
    if number == 1:
        before_delete(shop, 1, lambda: give_to_another(shop))
    else:
        assert shop.erase().verdict.state.value == "erased"
        open_account(shop, "a-17", OTHER, 30)
    outcome = shop.erase()
    assert {"unknown-links", "visible-rows"} <= shop.kinds(outcome)
    assert "a-17" in notes(shop)
    shop.ledger.unlink()
    assert shop.erase().verdict.state.value == "erased"
    assert "a-17" in notes(shop)


def test_a_deletion_by_an_account_that_becomes_anothers_meanwhile_is_taken_back(shop: Shop) -> None:
    """It is looked up before the transaction, and looked at again in its snapshot."""
    before_delete(shop, 2, lambda: give_to_another(shop))
    assert {"unknown-links", "visible-rows"} <= shop.kinds(shop.erase())
    assert any("LINKS_CHANGED" in told for told in shop.told)
    assert "a-17" in notes(shop)


def test_rows_of_an_account_whose_row_has_gone_since_are_deleted(shop: Shop) -> None:
    before_delete(shop, 1, lambda: mask_people(shop))
    assert shop.erase().verdict.state.value == "erased"
    assert notes(shop) == {"a-18"}


def test_the_guard_counts_rows_of_links_that_came_since(shop: Shop) -> None:
    shop.plan["guard"] = {"max_rows": 1}
    shop.plan["tables"]["shop.notes"]["via"][0]["shared_links"] = "delete"
    before_delete(shop, 1, lambda: open_account(shop, "a-18"))
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.GUARD_AT_DELETION"
    assert not [path for path in masked(shop) if "/notes/" in path]


def share(shop: Shop, email: str | None = OTHER) -> None:
    """Bo's account is another's, too; without a name, of somebody whom no row names."""
    row = {"account": "a-17", **({} if email is None else {"email": email})}
    shop.disk.put("/warehouse/people/delta_0000006_0000006_0000/bucket_00000", row)


def masked(shop: Shop) -> list[str]:
    return [path for path, content in shop.disk.contents.items() if content.masked]


@pytest.mark.parametrize("email", [OTHER, None])
def test_a_link_that_others_give_too_is_refused_before_anything_is_deleted(shop: Shop, email: str | None) -> None:
    share(shop, email)
    for erase in (lambda: find_subjects(shop.case(), shop.world()), shop.erase):
        with pytest.raises(HiveAcidError, match="1 links that rows of subjects give") as caught:
            erase()
        assert caught.value.getCondition() == "HIVE_ACID_ERASURE.SHARED_LINKS"
    assert masked(shop) == [] and notes(shop) == {"a-17", "a-18"}
    assert shop.kinds(shop.verify()) == {"rows", "visible-rows"}, "a search deletes nothing"


def test_rows_go_by_a_link_that_others_give_too_if_the_plan_says_so(shop: Shop) -> None:
    share(shop)
    shop.plan["tables"]["shop.notes"]["via"][0]["shared_links"] = "delete"
    outcome = shop.erase()
    assert (outcome.verdict.state.value, notes(shop)) == ("erased", {"a-18"})
    (path,) = [table["via"] for table in outcome.payload["plan"]["tables"] if table["via"]]
    assert path[0]["shared_links"] == "delete"


def test_a_link_of_several_people_who_are_all_to_be_erased_is_nobody_elses(shop: Shop) -> None:
    share(shop, ADA)
    assert shop.erase().verdict.state.value == "erased"


@pytest.mark.parametrize(("number", "one_transaction"), [(1, False), (2, False), (1, True)])
def test_nothing_is_deleted_by_a_link_that_another_gives_since_the_count(
    shop: Shop, number: int, one_transaction: bool
) -> None:
    shop.plan["one_transaction"] = one_transaction
    before_delete(shop, number, lambda: share(shop))
    with pytest.raises(HiveAcidError, match="SHARED_LINKS"):
        shop.erase()
    assert "a-17" in notes(shop) and not [path for path in masked(shop) if "/notes/" in path]


@pytest.mark.parametrize("one_transaction", [False, True])
def test_nothing_is_deleted_by_a_link_that_was_anothers_too_and_that_nobody_gives_any_more(
    shop: Shop, one_transaction: bool
) -> None:
    """A joint account that was closed after the refusal: some of the rows behind it are not Bo's."""
    shop.plan["one_transaction"] = one_transaction
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shop.disk, "delete", shop.disk.delete)
        before_delete(shop, 1, lambda: share(shop))
        with pytest.raises(HiveAcidError, match="SHARED_LINKS"):
            shop.erase()
    for path in [path for path in shop.disk.contents if "/people/" in path]:
        shop.disk.remove(path)
    assert "unknown-links" in shop.kinds(shop.erase())
    assert "a-17" in notes(shop)


def test_a_path_through_a_view_is_refused(shop: Shop) -> None:
    """It may leave out rows that give links, and nobody can look for rows that no query of it shows."""
    shop.metastore.add_table(replace(shop.metastore.table(PEOPLE), location="", parameters={}))
    del shop.plan["tables"][str(PEOPLE)]
    for act in (shop.erase, shop.verify):
        with pytest.raises(HiveAcidError) as caught:
            act()
        assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_VIEW"


def test_a_table_of_a_path_that_is_gone_leaves_the_verdict_open(shop: Shop) -> None:
    del shop.plan["tables"]["shop.people"]
    before_delete(shop, 2, lambda: shop.metastore._tables.pop(PEOPLE))
    assert shop.kinds(shop.erase()) == {"unknown-links"}
    assert notes(shop) == {"a-18"}


CARD = {"email": "a-17", "account": "c-1"}


def add_cards(shop: Shop, account: str = "a-17") -> None:
    """Accounts have cards, one of them of this account, and notes are of cards."""
    add_table(shop.metastore, CARDS)
    shop.disk.put("/warehouse/cards/base_0000001/bucket_00000", {**CARD, "email": account})
    shop.disk.put("/warehouse/notes/base_0000001/bucket_00001", {"account": "c-1"})
    to_cards = shop.plan["tables"]["shop.notes"]["via"]
    step = {"table": "shop.cards", "keys": {"account": "email"}, "link": {"card": "account"}}
    shop.plan["tables"]["shop.cards"] = {"keys": {"account": "email"}, "via": to_cards}
    shop.plan["tables"]["shop.notes"] = {"keys": {"card": "account"}, "via": [*to_cards, step]}


def test_links_of_a_link_that_has_gone_since_are_followed(shop: Shop) -> None:
    """Bo's account is erased when a card of it comes, with a note."""
    add_cards(shop)
    assert shop.erase().verdict.state.value == "erased"
    shop.disk.put("/warehouse/cards/delta_0000009_0000009_0000/bucket_00000", {"email": "a-17", "account": "c-9"})
    shop.disk.put("/warehouse/notes/delta_0000009_0000009_0000/bucket_00000", {"account": "c-9"})
    assert shop.erase().verdict.state.value == "erased"
    assert notes(shop) == {"a-17", "a-18"}


def test_links_behind_an_account_that_is_anothers_by_now_delete_nothing(shop: Shop) -> None:
    add_cards(shop)
    before_delete(shop, 1, lambda: give_to_another(shop))
    assert "unknown-links" in shop.kinds(shop.erase())
    assert "c-1" in notes(shop)


def test_nothing_is_deleted_by_a_card_of_an_account_that_is_anothers_by_now(shop: Shop) -> None:
    """It is one of an account that is still Bo's, too, so that rows behind it are of both."""
    add_cards(shop)
    shop.disk.put("/warehouse/cards/base_0000001/bucket_00001", {**CARD, "email": "a-19"})
    bo = {"email": BO, "account": "a-19"}
    shop.disk.put("/warehouse/people/delta_0000002_0000002_0000/bucket_00000", bo)

    def transfer() -> None:
        give_to_another(shop)
        shop.disk.put("/warehouse/people/delta_0000007_0000007_0000/bucket_00000", bo)

    before_delete(shop, 1, transfer)
    with pytest.raises(HiveAcidError, match="SHARED_LINKS"):
        shop.erase()
    assert "c-1" in notes(shop) and not [path for path in masked(shop) if "/notes/" in path]


def test_names_that_links_reveal_later_are_masked_again(shop: Shop) -> None:
    shop.disk.put("/warehouse/notes/a-99-x.orc", {"account": "a-18"})
    before_delete(shop, 1, lambda: open_account(shop, "a-99-x"))
    outcome = shop.erase()
    assert shop.kinds(outcome) == {"path"}
    removed = table_of(outcome, NOTES)["files_removed"]
    assert not [path for path in removed if path.endswith(".orc")]
