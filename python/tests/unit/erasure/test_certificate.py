"""A certificate holds as it was signed, or not at all."""

from __future__ import annotations

import copy
import functools
import json
import stat
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_acid.errors import HiveAcidError
from hive_acid_erasure.canonical import format_canonical
from hive_acid_erasure.certificate.certificate import read_certificate, sign_certificate
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.certificate.page import format_page
from hive_acid_erasure.certificate.signing import (
    HASH_KEY_FILE,
    PUBLIC_KEY_FILE,
    SIGNING_KEY_FILE,
    Signer,
    make_keys,
    read_public_hex,
)
from hive_acid_erasure.certificate.summary import summarize
from hive_acid_erasure.run import erase_subjects, verify_subjects
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.subjects import Subjects
from support.erasure_disk import Killed
from support.erasure_shop import OTHER, SALES, SUBJECTS, Shop

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


def condition_of(caught: Any) -> str:
    return condition_of_error(caught.value)


def condition_of_error(error: HiveAcidError) -> str:
    return (error.getCondition() or "").partition(".")[2]


@given(PLAIN)
def test_canonical_json_is_json_and_has_one_spelling(value: Any) -> None:
    spelled = format_canonical(value)
    assert json.loads(spelled) == value
    assert format_canonical(json.loads(spelled)) == spelled


@pytest.mark.parametrize("value", [1.5, {1: 2}, {"a": [float("nan")]}, "\ud800", b"x"])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        format_canonical(value)


def test_a_certificate_is_read_as_it_was_signed(shop: Shop) -> None:
    shop.erase()
    found = read_certificate(shop.certificate.read_bytes(), shop.certificate, shop.signer.public_hex)
    assert found.is_erased
    assert found.payload["subjects"]["count"] == 2


def test_a_certificate_that_was_changed_in_any_byte_is_refused(shop: Shop) -> None:
    shop.erase()
    content = shop.certificate.read_bytes()
    for place, change in zip(range(len(content)), cycle((1, 0x20))):
        changed = content[:place] + bytes([content[place] ^ change]) + content[place + 1 :]
        with pytest.raises(HiveAcidError) as caught:
            read_certificate(changed, shop.certificate)
        assert condition_of(caught) in ("CERTIFICATE_FORM", "CERTIFICATE_SIGNATURE"), place
    for changed in (content[:-1], content + b"\n", b" " + content, b"", content[:100]):
        with pytest.raises(HiveAcidError):
            read_certificate(changed, shop.certificate)


def test_a_certificate_of_another_signer_is_refused_where_the_key_is_given(shop: Shop, tmp_path: Path) -> None:
    shop.erase()
    make_keys(tmp_path / "others")
    other = Signer.read(tmp_path / "others" / SIGNING_KEY_FILE)
    with pytest.raises(HiveAcidError) as caught:
        read_certificate(shop.certificate.read_bytes(), shop.certificate, other.public_hex)
    assert condition_of(caught) == "CERTIFICATE_SIGNER"
    assert read_public_hex(tmp_path / "others" / PUBLIC_KEY_FILE) == other.public_hex


def find_places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value within."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in entries:
        yield (*path, name)
        yield from find_places(inner, (*path, name))


@pytest.mark.parametrize("other", [None, 7, -1, "x", [], {}, [None], {"a": 1}], ids=repr)
def test_a_certificate_of_which_anything_is_of_another_form_is_read_or_refused_by_name(shop: Shop, other: Any) -> None:
    shop.erase()
    signed = json.loads(shop.certificate.read_bytes())["payload"]
    for path in find_places(signed):
        payload = copy.deepcopy(signed)
        owner = functools.reduce(lambda value, name: value[name], path[:-1], payload)
        owner[path[-1]] = other
        try:
            certificate = read_certificate(sign_certificate(payload, shop.signer), shop.certificate)
        except HiveAcidError as error:
            assert error.getCondition().startswith("HIVE_ACID_ERASURE.CERTIFICATE_"), path
        else:
            assert list(certificate.matchers()) or other == []
            assert summarize(certificate.payload) and format_page(certificate, b"")


def test_a_signed_certificate_that_lacks_something_is_refused(shop: Shop) -> None:
    shop.erase()
    signed = json.loads(shop.certificate.read_bytes())["payload"]
    for path in find_places(signed):
        if isinstance(path[-1], int) or path[:1] in (("versions",), ("plan",)):
            continue
        payload = copy.deepcopy(signed)
        del functools.reduce(lambda value, name: value[name], path[:-1], payload)[path[-1]]
        try:
            certificate = read_certificate(sign_certificate(payload, shop.signer), shop.certificate)
        except HiveAcidError as error:
            assert condition_of_error(error) in ("CERTIFICATE_FIELD", "CERTIFICATE_VERDICT"), path
        else:
            assert summarize(certificate.payload) and format_page(certificate, b""), path


def test_a_certificate_of_another_format_is_refused(shop: Shop) -> None:
    shop.erase()
    payload = json.loads(shop.certificate.read_bytes())["payload"]
    payload["format"] = "hive-acid erasure certificate 2"
    with pytest.raises(HiveAcidError) as caught:
        read_certificate(sign_certificate(payload, shop.signer), shop.certificate)
    assert condition_of(caught) == "CERTIFICATE_FORMAT"


def test_a_good_verdict_over_places_is_no_certificate(shop: Shop) -> None:
    shop.disk.put("/warehouse/notes/000000_0", {"account": "a-17"}, visible=False)
    assert shop.erase().verdict.state.value == "pending"
    payload = json.loads(shop.certificate.read_bytes())["payload"]
    payload["verdict"] = {"state": "erased", "missing": [], "after_deadline": False}
    with pytest.raises(HiveAcidError) as caught:
        read_certificate(sign_certificate(payload, shop.signer), shop.certificate)
    assert condition_of(caught) == "CERTIFICATE_VERDICT"


def test_a_certificate_is_checked_again_by_its_hashes(shop: Shop) -> None:
    shop.erase()
    certificate = read_certificate(shop.certificate.read_bytes(), shop.certificate, shop.signer.public_hex)
    assert not [
        place for each in recheck(certificate, shop.certificate, shop.key, shop.world()) for place in each.places
    ]
    shop.disk.put("/warehouse/sales/day=2/000007_0", {"email": SUBJECTS[0]}, visible=False)
    found = recheck(certificate, shop.certificate, shop.key, shop.world())
    assert [place.kind.value for each in found for place in each.places] == ["rows"]


def test_no_sql_of_a_certificate_runs_that_anybody_may_have_signed(shop: Shop, tmp_path: Path) -> None:
    shop.erase()
    make_keys(tmp_path / "others")
    payload = json.loads(shop.certificate.read_bytes())["payload"]
    forged = sign_certificate(payload, Signer.read(tmp_path / "others" / SIGNING_KEY_FILE))
    with pytest.raises(HiveAcidError) as caught:
        recheck(read_certificate(forged, "forged"), Path("forged"), shop.key, shop.world())
    assert condition_of(caught) == "CERTIFICATE_UNKNOWN_SIGNER"


def test_a_search_by_a_certificate_finds_other_spellings_if_it_is_given_the_people(shop: Shop) -> None:
    """Those of a certificate are known by their hashes alone."""
    shop.plan = {"subjects": ["name"], "tables": {"shop.sales": {"keys": {"name": "email"}}}}
    people, others = (shop.case("erasure", [name]) for name in ("Ada Lovelace", OTHER))
    outcome = erase_subjects(people, shop.world(), shop.ledger, shop.signer, shop.certificate)
    table = shop.metastore.table(SALES)
    shop.metastore._tables[SALES] = replace(table, parameters={**table.parameters, "asked.by": "ADA LOVELACE"})

    def find(given: Subjects | None) -> set[str]:
        found = recheck(outcome.certificate, shop.certificate, shop.key, shop.world(), given)  # type: ignore[arg-type]
        return {place.kind.value for each in found for place in each.places}

    assert find(None) == set()
    assert find(people.subjects) == {"table-property"}
    with pytest.raises(HiveAcidError) as caught:
        find(others.subjects)
    assert condition_of(caught) == "CERTIFICATE_SUBJECTS" and OTHER not in str(caught.value)


def test_another_hash_key_is_refused(shop: Shop) -> None:
    shop.erase()
    certificate = read_certificate(shop.certificate.read_bytes(), shop.certificate, shop.signer.public_hex)
    with pytest.raises(HiveAcidError) as caught:
        recheck(certificate, shop.certificate, HashKey(b"x" * 32), shop.world())
    assert condition_of(caught) == "CERTIFICATE_HASH_KEY"


def test_private_keys_are_the_owners_and_never_replaced(tmp_path: Path) -> None:
    for path in make_keys(tmp_path / "keys"):
        is_private = path.name in (HASH_KEY_FILE, SIGNING_KEY_FILE)
        assert (stat.S_IMODE(path.stat().st_mode) == 0o600) is is_private
    with pytest.raises(FileExistsError):
        make_keys(tmp_path / "keys")


@pytest.mark.parametrize("text", ["", "zz", "ab" * 31, "ä" * 64])
def test_a_file_that_holds_no_hash_key_is_refused_without_its_content(tmp_path: Path, text: str) -> None:
    path = tmp_path / "some.key"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HiveAcidError) as caught:
        HashKey.read(path)
    assert condition_of(caught) == "HASH_KEY"
    assert not text or text not in str(caught.value)


@pytest.mark.parametrize("read", [Signer.read, read_public_hex])
def test_a_file_that_holds_no_signing_key_is_refused(tmp_path: Path, read: Any) -> None:
    path = tmp_path / "some.key"
    path.write_text("secret words", encoding="utf-8")
    with pytest.raises(HiveAcidError) as caught:
        read(path)
    assert condition_of(caught) == "SIGNING_KEY"


def test_the_page_shows_what_the_certificate_says_and_loads_nothing(shop: Shop) -> None:
    shop.files.add_file("/warehouse/notes/<b>&.bin", 1, 1)
    shop.erase()
    page = shop.certificate.with_suffix(".html").read_text(encoding="utf-8")
    assert "Pending" in page and "&lt;b&gt;&amp;.bin" in page and "<b>" not in page
    assert not [word for word in ("<script", "http:", "https:", "<link", "<img") if word in page]
    assert shop.signer.public_hex in page


@pytest.mark.parametrize(("certificate", "ledger"), [("c.html", "l"), ("c.json", "c.json"), ("c.json", "c.html")])
def test_a_certificate_that_another_file_would_replace_is_refused_before_anything_is_done(
    shop: Shop, certificate: str, ledger: str
) -> None:
    paths = shop.folder / ledger, shop.signer, shop.folder / certificate
    with pytest.raises(HiveAcidError) as caught:
        erase_subjects(shop.case(), shop.world(), *paths)
    assert condition_of(caught) == "SAME_FILE"
    assert shop.disk.deleted_rows == 0 and not paths[0].exists()


def test_no_page_of_an_earlier_certificate_stands_beside_one_whose_writing_was_killed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.erase()
    replace_file = Path.replace

    def end_after(hidden: Path, path: Path) -> None:
        replace_file(hidden, path)
        raise Killed

    monkeypatch.setattr(Path, "replace", end_after)
    with pytest.raises(Killed):
        shop.erase()
    assert shop.certificate.exists() and not shop.certificate.with_suffix(".html").exists()


def test_the_page_of_a_search_claims_no_erasure(shop: Shop) -> None:
    for heading in ("Searched: something was found, or could not be searched", "Searched: nothing was found"):
        verify_subjects(shop.case("verification"), shop.world(), shop.signer, shop.certificate)
        page = shop.certificate.with_suffix(".html").read_text(encoding="utf-8")
        assert f">{heading}</h1>" in page and "Erased" not in page
        shop.disk.contents.clear()
        shop.files.delete_tree("/warehouse")


def test_a_deadline_that_has_passed_is_told(shop: Shop) -> None:
    shop.plan["deadline"] = "2001-01-01T00:00:00Z"
    outcome = shop.erase()
    assert outcome.verdict.is_late
    assert outcome.certificate is not None and outcome.certificate.payload["verdict"]["after_deadline"] is True


def test_a_verification_may_be_certified(shop: Shop, tmp_path: Path) -> None:
    case = replace(shop.case("verification"))
    outcome = verify_subjects(case, shop.world(), shop.signer, tmp_path / "found.json")
    assert outcome.certificate is not None and outcome.certificate.payload["kind"] == "verification"
    assert not outcome.certificate.is_erased
    assert shop.disk.deleted_rows == 0


@settings(max_examples=20)
@given(st.binary(max_size=200))
def test_no_other_bytes_are_a_certificate(content: bytes) -> None:
    with pytest.raises(HiveAcidError):
        read_certificate(content, "noise")
