"""The commands `erase` and `verify`, as far as they need no Spark."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hive_acid.cli import main
from hive_acid.errors import build_error
from hive_acid_erasure.certificate.certificate import sign_certificate
from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, PUBLIC_KEY_FILE, make_keys
from hive_acid_erasure.commands.erase import find_exit_code, show_error
from support.erasure_shop import SUBJECTS, Shop, open_shop

SECRET = "Ada-Secret"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    make_keys(tmp_path / "keys")
    return open_shop(tmp_path, tmp_path / "shop")


def test_new_keys_are_made_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["erase", "--new-keys", str(tmp_path / "keys")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert main(["erase", "--new-keys", str(tmp_path / "keys")]) == 1


def test_what_is_missing_in_a_call_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["erase"]) == 2
    error = capsys.readouterr().err
    assert all(name in error for name in ("PLAN.toml", "--subjects", "--hash-key", "--signing-key"))


@pytest.mark.parametrize(
    "call",
    [
        ["verify"],
        ["verify", "c.json", "--plan", "p"],
        ["verify", "--plan", "p"],
        ["verify", "c", "--output", "x"],
        ["verify", "c", "--hash-key", "h"],
        ["verify", "c", "--subjects", "s"],
    ],
)
def test_a_verification_of_nothing_of_two_things_or_by_anybodys_certificate_is_a_wrong_call(call: list[str]) -> None:
    assert main(call) == 2


def test_an_error_of_the_plan_is_a_wrong_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["erase", "--new-keys", str(tmp_path / "keys")])
    (tmp_path / "plan.toml").write_text('subjects = ["id"]\n[tables."a.b"]\n', encoding="utf-8")
    (tmp_path / "people").write_text(SECRET, encoding="utf-8")
    call = ["erase", str(tmp_path / "plan.toml"), "--subjects", str(tmp_path / "people")]
    keys = ["--hash-key", str(tmp_path / "keys/hash.key"), "--signing-key", str(tmp_path / "keys/signing.key")]
    assert main([*call, *keys]) == 2
    shown = capsys.readouterr()
    assert "HIVE_ACID_ERASURE.PLAN_" in shown.err
    assert SECRET not in shown.err + shown.out


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("HIVE_ACID_ERASURE.PLAN_CYCLE", 2),
        ("HIVE_ACID_ERASURE.SUBJECTS_EMPTY", 2),
        ("HIVE_ACID_ERASURE.GUARD", 1),
        ("HIVE_ACID_ERASURE.LEDGER_IN_USE", 1),
        ("HIVE_ACID_STORAGE", 1),
    ],
)
def test_errors_have_their_exit_codes(condition: str, code: int) -> None:
    assert find_exit_code(condition) == code


def test_a_good_certificate_is_checked_without_spark(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.erase()
    public = str(shop.folder.parent / "keys" / PUBLIC_KEY_FILE)
    assert main(["verify", str(shop.certificate), "--public-key", public]) == 0
    assert "erased" in capsys.readouterr().out


def test_a_certificate_whose_signer_is_not_checked_ends_with_four(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.erase()
    assert main(["verify", str(shop.certificate)]) == 4
    assert "signer not checked" in capsys.readouterr().out


def test_a_certificate_of_a_pending_erasure_ends_with_three(shop: Shop) -> None:
    shop.disk.cleans = False
    shop.erase()
    assert main(["verify", str(shop.certificate)]) == 3


@pytest.fixture
def verify(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Runs `verify` with all keys, on the shop in place of a session."""
    session = "hive_acid.api.sessions.job_session"
    monkeypatch.setattr(session, lambda *_: contextlib.nullcontext())
    monkeypatch.setattr("hive_acid_erasure.spark.erasing.build_world", lambda *_: shop.world())
    monkeypatch.setattr("hive_acid_erasure.commands.verify.find_uris", lambda _: "")
    keys = shop.folder.parent / "keys"
    call = ["verify", str(shop.certificate), "--public-key", str(keys / PUBLIC_KEY_FILE)]
    return lambda: main([*call, "--hash-key", str(keys / HASH_KEY_FILE)])


def test_a_pending_certificate_ends_with_three_though_its_hashes_find_nothing(
    shop: Shop, verify: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Accounts that nobody can follow."""
    shop.disk.contents["/warehouse/people/base_0000001/bucket_00000"].masked = {0}
    assert shop.erase().verdict.state.value == "pending"
    assert verify() == 3
    assert "nothing found\nthe certificate itself is pending" in capsys.readouterr().out


def test_what_is_found_again_ends_with_three(shop: Shop, verify: Callable[[], int]) -> None:
    shop.erase()
    assert verify() == 0
    shop.disk.put("/warehouse/sales/day=2/000007_0", {"email": SUBJECTS[0]}, visible=False)
    assert verify() == 3


def test_a_certificate_moves_no_cursor_and_adds_no_line(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.erase()
    payload = json.loads(shop.certificate.read_bytes())["payload"]
    place = {"kind": "rows", "where": "x\x1b[2K\nnothing found", "detail": "\u202e"}
    payload["verdict"] = {"state": "pending", "missing": [place], "after_deadline": False}
    payload["erasure"] = "\rerased"
    shop.certificate.write_bytes(sign_certificate(payload, shop.signer))
    assert main(["verify", str(shop.certificate)]) == 3
    shown = capsys.readouterr().out
    assert all(line.isprintable() for line in shown.split("\n"))
    assert "x\\x1b[2K\\nnothing found" in shown and "\\rerased" in shown


@pytest.mark.parametrize(
    "files",
    [
        {"--certificate": "request.html"},
        {"--ledger": "request.json"},
        {"--ledger": "request.html"},
        {"--certificate": "people"},
        {"--certificate": "keys/../keys/hash.key"},
        {"--ledger": "request.toml"},
    ],
    ids=str,
)
def test_no_file_of_a_call_replaces_another(
    tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = {"--subjects": "people", "--hash-key": "keys/hash.key", "--signing-key": "keys/signing.key", **files}
    given = [text for name, file in call.items() for text in (name, str(tmp_path / file))]
    assert main(["erase", str(tmp_path / "request.toml"), *given]) == 2
    assert "SAME_FILE" in capsys.readouterr().err


def test_a_changed_certificate_ends_with_one(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.erase()
    shop.certificate.write_bytes(shop.certificate.read_bytes().replace(b'"count":2', b'"count":3'))
    assert main(["verify", str(shop.certificate)]) == 1
    assert "CERTIFICATE_SIGNATURE" in capsys.readouterr().err


def test_a_certificate_of_another_key_ends_with_one(shop: Shop, tmp_path: Path) -> None:
    shop.erase()
    make_keys(tmp_path / "others")
    assert main(["verify", str(shop.certificate), "--public-key", str(tmp_path / "others" / PUBLIC_KEY_FILE)]) == 1


def test_a_certificate_that_is_not_there_ends_with_one(tmp_path: Path) -> None:
    assert main(["verify", str(tmp_path / "none.json")]) == 1


def test_an_error_is_shown_without_the_subjects(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    path = f"/warehouse/sales/day={SUBJECTS[0]}/x"
    error = build_error("HIVE_ACID_STORAGE", path=path, action="reading", reason=f"no {SUBJECTS[1]} there")
    assert show_error(error, shop.case()) == 1
    shown = capsys.readouterr().err
    assert "HIVE_ACID_STORAGE" in shown and not [name for name in SUBJECTS if name in shown]
