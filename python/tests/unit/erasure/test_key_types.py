"""Hashes of subjects are of texts, and a text is of a type: a key of another type is told, and never passed over."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, TableName
from hive_acid_erasure.certificate.certificate import read_certificate, sign_certificate
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.engine import Key, KeyTypes
from hive_acid_erasure.messages import KeyColumn
from hive_acid_erasure.plan.key_types import check_link, find_change, have_same_texts, keeps_texts
from hive_acid_erasure.plan.plan import NamedKey, Step
from hive_acid_erasure.run import find_subjects
from hive_acid_erasure.spark.erasure_sql import build_elements, build_parts
from support.erasure_disk import Killed
from support.erasure_shop import PEOPLE, SALES, Shop


def alter(shop: Shop, table: TableName, *columns: Column) -> None:
    """ALTER TABLE … CHANGE: the table stays the same one."""
    shop.metastore._tables[table] = replace(shop.metastore.table(table), columns=columns)


def to_char(shop: Shop) -> None:
    alter(shop, SALES, Column("email", "char(80)"), Column("account", "string"))


def swap(shop: Shop) -> None:
    alter(shop, SALES, Column("account", "string"), Column("email", "string"))


def kill_before_delete(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The subjects are found, and the run ends."""

    def end(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(shop.disk, "delete", end)
        with pytest.raises(Killed):
            shop.erase()


def recheck_kinds(shop: Shop) -> list[tuple[str, str, str]]:
    certificate = read_certificate(shop.certificate.read_bytes(), shop.certificate, shop.signer.public_hex)
    found = recheck(certificate, shop.certificate, shop.key, shop.world())
    return [(place.kind.value, place.where, place.detail) for each in found for place in each.places]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("int", "bigint", True),
        ("int", "decimal(10,0)", True),
        ("string", "varchar(7)", True),
        ("decimal(12,2)", "decimal(20,2)", True),
        ("char(4)", "char(4)", True),
        ("date", "date", True),
        ("char(4)", "string", False),
        ("char(4)", "char(5)", False),
        ("decimal(12,2)", "int", False),
        ("decimal(12,2)", "decimal(12,3)", False),
        ("double", "int", False),
        ("float", "double", False),
        ("timestamp in Z", "date", False),
        ("timestamp in Z", "timestamp in Europe/Berlin", False),
        ("binary", "string", False),
    ],
)
def test_a_link_has_the_texts_of_the_key_only_for_types_that_spell_values_alike(
    one: str, other: str, is_same: bool
) -> None:
    assert have_same_texts(one, other) is have_same_texts(other, one) is is_same


@pytest.mark.parametrize(
    ("before", "after", "is_alone", "is_kept"),
    [
        ("int", "int", False, True),
        ("int", "bigint", True, True),
        ("int", "decimal(10,0)", True, True),
        ("decimal(9,0)", "int", True, True),
        ("decimal(10,2)", "decimal(12,2)", True, True),
        ("varchar(5)", "varchar(7)", False, True),
        ("varchar(5)", "string", False, True),
        ("int", "bigint", False, False),
        ("bigint", "int", True, False),
        ("decimal(10,0)", "int", True, False),
        ("bigint", "decimal(18,0)", True, False),
        ("decimal(12,2)", "decimal(10,2)", True, False),
        ("decimal(10,2)", "decimal(12,3)", True, False),
        ("string", "varchar(5)", True, False),
        ("varchar(7)", "varchar(5)", True, False),
        ("string", "char(5)", True, False),
        ("int", "double", True, False),
        ("float", "double", True, False),
        ("float", "float by Java 19", True, False),
        ("date", "timestamp in Z", True, False),
    ],
)
def test_a_type_keeps_the_texts_if_it_only_became_wider(before: str, after: str, is_alone: bool, is_kept: bool) -> None:
    assert keeps_texts(before, after, is_alone=is_alone) is is_kept


@pytest.mark.parametrize("type_", ["float", "double"])
def test_both_zeros_have_one_text_whichever_java_spells_it(type_: str) -> None:
    key = Key(("x",))
    assert build_parts(key, [f"{type_} by Java 19"]) == build_parts(key, [type_]) != build_parts(key, ["int"])
    assert build_elements(key, f"{type_} by Java 19") == build_elements(key, type_) != build_elements(key, "int")


def typed(part_type: str, *columns: tuple[str, int, str]) -> KeyTypes:
    return KeyTypes((part_type,), tuple(KeyColumn(*column) for column in columns))


@pytest.mark.parametrize(
    ("part", "before", "after", "change"),
    [
        ("`Contact`.email", ("int", ("contact.email", 3, "int")), ("bigint", ("contact.email", 3, "bigint")), None),
        (
            "hash(id)",
            ("int", ("id", 1, "int")),
            ("int", ("id", 1, "bigint")),
            "column id was of type int, and is of type bigint",
        ),
        (
            "email",
            ("string", ("email", 2, "string")),
            ("string", ("email", 13, "string")),
            "column email was the 2nd column, and is the 13th",
        ),
        (
            "id + 1",
            ("int", ("id", 1, "int")),
            ("decimal(11,1)", ("id", 1, "int")),
            "id + 1 was of type int, and is of type decimal(11,1)",
        ),
        (
            "lower(email)",
            ("string", ("email", 2, "string")),
            ("string", ("email.address", 2, "string")),
            "column email is none of the key's columns any more",
        ),
        (
            "email",
            ("string", ("email", 2, "string")),
            ("string", ("email", 2, "string"), ("id", 1, "int")),
            "the key is computed of more columns than before",
        ),
    ],
)
def test_the_change_of_a_key_is_told(part: str, before: Any, after: Any, change: str | None) -> None:
    assert find_change(Key((part,)), typed(*before), typed(*after)) == change


@pytest.mark.parametrize("change", [to_char, swap])
def test_a_key_that_changes_after_the_find_stops_the_deletion(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    kill_before_delete(shop, monkeypatch)
    change(shop)
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.CHANGED_KEY"
    assert [path for path, content in shop.disk.contents.items() if content.masked and "sales" in path] == []


@pytest.mark.parametrize("change", [to_char, swap])
def test_a_key_that_changes_after_the_erasure_is_told_by_its_certificate(shop: Shop, change: Any) -> None:
    assert shop.erase().verdict.state.value == "erased"
    assert recheck_kinds(shop) == []
    change(shop)
    found = [each for each in recheck_kinds(shop) if each[0] != "cross-check"]  # the texts of files are others, too
    ((kind, where, detail),) = found
    assert (kind, where) == ("changed-table", "shop.sales")
    assert "column email was" in detail


@pytest.mark.parametrize("change", [to_char, swap])
def test_a_key_that_changes_while_files_are_searched_is_told(shop: Shop, change: Any) -> None:
    shop.disk.on_search.append(lambda: change(shop))
    outcome = shop.erase()
    assert shop.kinds(outcome) == {"changed-table"}


def test_a_column_more_and_a_wider_type_change_no_key(shop: Shop) -> None:
    alter(shop, SALES, Column("email", "varchar(80)"), Column("account", "string"))
    assert shop.erase().verdict.state.value == "erased"
    alter(shop, SALES, Column("email", "string"), Column("account", "int"), Column("more", "int"))
    assert recheck_kinds(shop) == []


def test_a_certificate_of_before_types_were_kept_is_read_and_says_nothing_of_them(shop: Shop) -> None:
    shop.erase()
    payload = json.loads(shop.certificate.read_bytes())["payload"]
    for table in payload["tables"]:
        for key in table["keys"]:
            assert key.pop("types")["parts"] == ["string"]
    shop.certificate.write_bytes(sign_certificate(payload, shop.signer))
    alter(shop, SALES, Column("email", "varchar(80)"), Column("account", "string"))
    assert recheck_kinds(shop) == []


@pytest.mark.parametrize(
    "types",
    [
        [],
        {"parts": ["int"]},
        {"parts": ["int"], "columns": [1]},
        {"parts": ["int"], "columns": [{"name": "id", "position": "1", "data_type": "int"}]},
    ],
)
def test_a_signed_certificate_whose_types_have_another_form_is_refused(shop: Shop, types: Any) -> None:
    shop.erase()
    payload = json.loads(shop.certificate.read_bytes())["payload"]
    payload["tables"][0]["keys"][0]["types"] = types
    with pytest.raises(HiveAcidError) as caught:
        read_certificate(sign_certificate(payload, shop.signer), shop.certificate)
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.CERTIFICATE_FIELD"


@pytest.mark.parametrize(
    ("part", "data_type", "is_refused"),
    [
        ("CAST(started AS STRING)", "string", True),
        ("date_format(s.`Started`, 'HH')", "string", True),
        ("CAST(started AS DATE)", "date", False),
        ("name", "string", False),
    ],
)
def test_a_link_that_spells_a_moment_as_a_text_is_refused_as_the_moment_is(
    part: str, data_type: str, is_refused: bool
) -> None:
    given = typed(data_type, ("started", 1, "timestamp in Europe/Berlin"))
    link = NamedKey(("t",), Key((part,)))
    target = (TableName("shop", "visits"), NamedKey(("t",), Key(("at",))))
    refused = pytest.raises(HiveAcidError, match="PLAN_LINK_MOMENT") if is_refused else contextlib.nullcontext()
    with refused:
        check_link(Step(PEOPLE, (), link), given, target, typed(data_type))


@pytest.mark.parametrize("data_type", ["struct<a:string,b:string>", "map<string,int>", "array<string>"])
def test_a_link_of_a_type_of_which_several_values_have_one_text_is_refused(data_type: str) -> None:
    link = NamedKey(("bank", "id"), Key(("bank", "id")))
    types = KeyTypes(("string", data_type))
    with pytest.raises(HiveAcidError, match="PLAN_LINK_NESTED"):
        check_link(Step(PEOPLE, (), link), types, (TableName("shop", "visits"), link), types)


def test_a_link_of_another_type_than_the_key_behind_it_is_refused(shop: Shop) -> None:
    alter(shop, PEOPLE, Column("email", "string"), Column("account", "char(4)"))
    for run in (shop.erase, shop.verify, lambda: find_subjects(shop.case(), shop.world())):
        with pytest.raises(HiveAcidError) as caught:
            run()
        assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_LINK_TYPE"
        assert "char(4)" in str(caught.value)
    assert shop.disk.deleted_rows == 0
