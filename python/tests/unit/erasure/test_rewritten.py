"""The certificate has the SHA-256 of the files that the erasure wrote; whoever changes one is told of."""

from __future__ import annotations

from typing import Any

from hive_acid_erasure.certificate.certificate import read_certificate
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.engine import PhysicalFile
from hive_acid_erasure.run import Outcome
from support.erasure_shop import OTHER, Shop


def files_of(outcome: Outcome, table: str) -> list[dict[str, Any]]:
    assert outcome.certificate is not None
    found: list[dict[str, Any]] = next(
        entry["files"] for entry in outcome.certificate.payload["tables"] if entry["table"] == table
    )
    return found


def hashed(outcome: Outcome, table: str) -> dict[str, str]:
    return {file["path"]: file["sha256"] for file in files_of(outcome, table) if "sha256" in file}


def test_new_bases_have_their_hash_and_other_files_none(shop: Shop) -> None:
    outcome = shop.erase()
    found = hashed(outcome, "shop.sales")
    assert [path.split("/")[3] for path in found] == ["day=1"]
    assert {path.split("/")[4][:5] for path in found} == {"base_"}
    (path,) = found
    assert found[path] == shop.disk.digest([PhysicalFile(path, 0, 0)])[0]
    untouched = [file for file in files_of(outcome, "shop.sales") if "day=2" in file["path"]]
    assert untouched and "sha256" not in untouched[0]


def test_the_hashes_are_the_same_after_a_second_run(shop: Shop) -> None:
    first = hashed(shop.erase(), "shop.people")
    assert first and hashed(shop.erase(), "shop.people") == first


def check_again(shop: Shop) -> tuple[int, int, set[str]]:
    """Unchanged and gone files, and the kinds of places."""
    certificate = read_certificate(shop.certificate.read_bytes(), shop.certificate, shop.signer.public_hex)
    found = recheck(certificate, shop.certificate, shop.key, shop.world())
    unchanged, gone = sum(each.rewritten.unchanged for each in found), sum(each.rewritten.gone for each in found)
    return unchanged, gone, {place.kind.value for each in found for place in each.places}


def test_a_check_tells_unchanged_changed_and_gone_files(shop: Shop) -> None:
    outcome = shop.erase()
    written = [path for table in ("shop.sales", "shop.people", "shop.notes") for path in hashed(outcome, table)]
    assert len(written) == 3
    assert check_again(shop) == (3, 0, set())
    shop.disk.remove(written[0])
    assert check_again(shop) == (2, 1, set())
    shop.disk.put(written[1], {"email": OTHER}, {"email": "Eve"})
    assert check_again(shop) == (1, 1, {"changed-file"})


def test_a_file_that_is_another_one_after_the_search_makes_the_verdict_pending(shop: Shop) -> None:
    class Forgetful:
        def __getattr__(self, name: str) -> Any:
            return getattr(shop.disk, name)

        def digest(self, files: Any) -> list[None]:
            return [None for _ in files]

    shop.engine = Forgetful()
    outcome = shop.erase()
    assert shop.kinds(outcome) == {"changed-file"}
    assert outcome.verdict.state.value == "pending"


def test_the_certificate_says_how_much_was_read(shop: Shop) -> None:
    shop.disk.put("/warehouse/sales/day=2/broken", {"email": OTHER}, problem="it is cut")
    shop.files.bytes["/warehouse/sales/day=2/broken"] = b"\0" * 101
    outcome = shop.erase()
    assert outcome.certificate is not None
    tables = {table["table"]: table for table in outcome.certificate.payload["tables"]}
    lengths = [file["length_bytes"] for file in tables["shop.sales"]["files"] if file["searched"] == "rows"]
    assert tables["shop.sales"]["searched"] == {
        "files": 2,
        "bytes": sum(lengths),
        "not_searched": 1,
        "skipped_by_statistics": 0,
    }
    assert tables["shop.sales"]["cross_check"]["files"] == 2
    page = shop.certificate.with_suffix(".html").read_text()
    assert f"2 files of {sum(lengths)} bytes; 1 could not be searched" in page
    rows = tables["shop.sales"]["cross_check"]["rows"]
    assert f"2 files with {rows} rows; not read again (reason): none; keys not computed again (reason): none" in page


def test_an_older_certificate_without_hashes_is_checked(shop: Shop) -> None:
    outcome = shop.erase()
    assert outcome.certificate is not None
    for table in outcome.certificate.payload["tables"]:
        for file in table["files"]:
            file.pop("sha256", None)
    found = recheck(outcome.certificate, shop.certificate, shop.key, shop.world())
    assert not any(each.rewritten.unchanged or each.places for each in found)
