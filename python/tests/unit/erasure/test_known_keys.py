"""All tables of a plan know all of its people and links, by whatever name of a partition, text or number tells them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Partition, TableName
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.engine import Key, KeyedHashes
from hive_acid_erasure.plan.plan_parsing import build_plan
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.spotting import Spotters
from hive_acid_erasure.subjects.subjects import build_subjects
from support.erasure_shop import NOTES, SALES, SUBJECTS, Shop, add_table

KEY = HashKey(b"the secret of a test" * 2)
LINK = "ACC-991234"
USERS, EVENTS = TableName("shop", "users"), TableName("shop", "events")


def written(shop: Shop) -> str:
    return "\n".join([*shop.told, *(path.read_text() for path in shop.folder.rglob("*") if path.is_file())])


def known(*values: tuple[str, ...]) -> Spotters:
    spotters = Spotters(KEY)
    spotters.learn(KeyedHashes(Key(("k",) * len(parts)), frozenset([KEY.hash_parts(parts)])) for parts in values)
    return spotters


def test_a_link_is_hidden_in_the_table_that_gives_it_and_told_as_the_name_of_its_partition(shop: Shop) -> None:
    add_table(shop.metastore, USERS, "account")
    for account, email in ((LINK, SUBJECTS[0]), ("ACC-5", "x@y.org")):
        location = f"/warehouse/users/account={account}"
        shop.metastore.add_partition(USERS, Partition(f"account={account}", (account,), location))
        shop.disk.put(f"{location}/delta_0000001_0000001_0000/bucket_00000", {"email": email, "account": account})
    add_table(shop.metastore, EVENTS)
    shop.disk.put("/warehouse/events/base_0000001/bucket_00000", {"account": LINK}, {"account": "ACC-5"})
    link = {"account": "account"}
    by_email = {"email": "email"}
    shop.plan = {
        "subjects": ["email"],
        "tables": {
            "shop.users": {"keys": by_email},
            "shop.events": {"keys": link, "via": [{"table": "shop.users", "keys": by_email, "link": link}]},
        },
    }
    outcome = shop.erase()
    assert LINK not in written(shop)
    assert "partition-name" in shop.kinds(outcome)
    again = recheck(outcome.certificate, shop.certificate, shop.key, shop.world())  # type: ignore[arg-type]
    assert LINK not in str([place.describe() for each in again for place in each.places])


@pytest.mark.parametrize("first", [NOTES, SALES])
def test_a_key_of_another_table_is_found_in_the_texts_of_a_table(shop: Shop, first: TableName) -> None:
    text = f"for {SUBJECTS[0]}, account a-17"
    shop.files.add_file(f"/warehouse/{first.table}/_about.txt", len(text), 1, text)
    outcome = shop.erase()
    assert "file-text" in shop.kinds(outcome)
    (path,) = [place.where for place in outcome.verdict.places if place.kind.value == "file-text"]
    assert path == f"/warehouse/{first.table}/_about.txt"


def test_a_short_number_of_another_table_names_nobody() -> None:
    own = KeyedHashes(Key(("k",)), frozenset([KEY.hash_parts(("7",))]))
    for spotter, found in ((known(("7",)).of(()), False), (known().of([own]), True)):
        assert spotter.names(("7",)) == bool(spotter.count("/sales/day=7")) == bool(spotter.count("day=007")) == found
        assert spotter.count("7 of 7") == 0


@pytest.mark.parametrize(
    "text",
    [
        "branch=Hamburg-7/account=ACC-991234",
        "/w/t/account=ACC-991234/branch=Hamburg-7/base_1/b",
        '{"branch": "Hamburg-7", "account": "ACC-991234"}',
        '{"account":"ACC-991234","branch":"Hamburg-7"}',
    ],
)
def test_a_key_of_two_parts_that_is_known_by_its_hash_is_found_in_paths_and_json(text: str) -> None:
    spotter = known(("Hamburg-7", LINK)).of(())
    assert spotter.count(text)
    assert LINK not in spotter.mask(text)


def test_the_orders_of_a_long_key_are_tried_once_for_all_files_of_a_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = tuple(f"Part-{n}" for n in range(7))
    tried: list[tuple[str, ...]] = []
    hash_orders = HashKey.hash_orders
    monkeypatch.setattr(HashKey, "hash_orders", lambda key, given: tried.append(given) or hash_orders(key, given))
    spotter = known(parts).of(())
    others = "/".join(f"c{n}=Other-{n}" for n in range(7))
    for file in range(20):
        assert spotter.count(f"/w/t/{others}/base_0000001/bucket_{file:05d}") == 0
    assert {tuple(map(str.lower, each)) for each in tried} == {tuple(f"other-{n}" for n in range(7))}
    assert len(tried) == len(set(tried)) == 3, "as it is, in lower and in upper case"
    assert spotter.count("/w/t/" + "/".join(f"c={part}" for part in reversed(parts)))
    assert spotter.count(json.dumps({part: part for part in (parts[3:] + parts[:3])}))


@pytest.mark.parametrize(
    "text",
    [
        "/w/t/who=4711 while listing",
        "compaction 5 of default.t (who=4711)",
        "no partition (who=4711, day=1)",
        "partition values=[1, 4711]",
        "who = '4711'",
    ],
)
def test_errors_tell_no_short_number_of_a_partition(text: str) -> None:
    masks = (build_subjects(["4711"], ["who"]).spotters(KEY).mask, known(("4711",)).mask)
    assert all("4711" not in mask(text) for mask in masks)
    assert all(mask("4711 files, x47110, 1.4711") == "4711 files, x47110, 1.4711" for mask in masks)


@pytest.mark.parametrize(("given", "text"), [("1234567.50", "1234567.5"), ("12345678", "0012345678"), ("12", "1.2E1")])
def test_a_number_of_a_partition_is_hidden_in_each_spelling(given: str, text: str) -> None:
    for spotters in (build_subjects([given], ["id"]).spotters(KEY), known((given,))):
        assert text not in spotters.mask(f"/w/id={text}/b")


def test_names_that_overlap_are_both_hidden() -> None:
    masked = build_subjects(["Ann Lee", "Lee Marvin"], ["who"]).spotters(KEY).mask("no who=Ann Lee Marvin here")
    assert "Marvin" not in masked and masked.endswith(" here")


def test_half_a_name_where_a_text_was_cut_is_a_name() -> None:
    spotter = build_subjects(["Maximiliane Mustermann"], ["who"]).spotters(KEY).of(())
    text = json.dumps({"statement": "SELECT ? AS `Maximiliane Musterman…"}, ensure_ascii=False)
    assert spotter.count(text) and "Muster" not in spotter.mask(text)
    assert not spotter.count("SELECT ? AS `Max…")


def test_a_moment_names_its_day() -> None:
    spotter = build_subjects(["1984-01-31"], ["born"]).spotters(KEY).of(())
    assert spotter.count('{"born": "1984-01-31T00:00:00Z"}')


@pytest.mark.parametrize(
    ("condition", "is_refused"),
    [
        ("who <> 'O''Brien'", True),
        ("who <> 'O\\'Brien'", True),
        ("who LIKE 'O''Brien%'", True),
        ("who = 'O\\'' 'Brien'", True),
        ("`O'Brien` = 1", True),
        ("who = X'4F27427269656E'", True),
        ("true /* O'Brien */", True),
        ("who = 'O''Brien", True),
        ("id <> 4711000815L", True),
        ("id <> -1234567", True),
        ("id <> 12345.670BD", True),
        ("customer = lower(`customer`) AND id = 4711 AND who = 'O'", False),
    ],
)
def test_a_plan_names_nobody_in_any_form_of_a_literal(shop: Shop, condition: str, is_refused: bool) -> None:
    people: Any = ("O'Brien", "4711000815", "-1234567", "12345.67", "customer", "4711")
    case = shop.case("erasure", people)
    shop.plan["tables"] = {"shop.people": {"keys": {"email": f"CASE WHEN {condition} THEN email END"}}}
    shop.case = lambda kind="erasure", subjects=people: type(case)(kind, _plan(shop), case.subjects, case.key, "1")  # type: ignore[method-assign]
    shop.disk._value = lambda row, part: row.get("email")  # type: ignore[method-assign]
    try:
        shop.erase()
        assert not is_refused
    except HiveAcidError as error:
        assert is_refused and error.getCondition() == "HIVE_ACID_ERASURE.PLAN_NAMES_SUBJECT"


def _plan(shop: Shop) -> Any:
    return build_plan(shop.plan)
