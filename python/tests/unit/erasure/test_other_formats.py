"""Rows of text are no notes: only a query reads them as rows, and only files that queries show are read by one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import JSON_SERDE, TableName
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.certificate.summary import summarize
from hive_acid_erasure.engine import PhysicalFile
from hive_acid_erasure.run import Outcome, erase_subjects, verify_subjects
from hive_acid_erasure.verify.shown_files import find_unhidden
from support.erasure_shop import Shop, add_table

LINES = TableName("shop", "lines")
ROOT = "/warehouse/lines"
TEXT_INPUT = "org.apache.hadoop.mapred.TextInputFormat"
INSERT_ONLY = {"transactional": "true", "transactional_properties": "insert_only"}


@pytest.fixture
def lines(shop: Shop) -> Shop:
    """A shop whose plan is of an insert-only table of text; write IDs 1 and 2 are committed."""
    add_table(shop.metastore, LINES)
    table = shop.metastore.table(LINES)
    shop.metastore.add_table(replace(table, input_format=TEXT_INPUT, parameters=dict(INSERT_ONLY)))
    for _ in range(2):
        txn_id = shop.metastore.open_transaction("ada", "here", "a test")
        shop.metastore.allocate_write_id(txn_id, LINES)
        shop.metastore.commit(txn_id)
    shop.plan = {"subjects": ["email"], "tables": {"shop.lines": {"keys": {"email": "email"}}}}
    return shop


def put(shop: Shop, path: str, content: str, **about: object) -> str:
    """A file of lines; the first field of each is the column of the key."""
    where = f"{ROOT}/{path}"
    rows = [{"email": line.partition("\x01")[0]} for line in content.splitlines()]
    shop.disk.put(where, *rows, is_text=True, **about)
    data = content.encode()
    shop.files.files[where] = replace(shop.files.files[where], length_bytes=len(data))
    shop.files.bytes[where] = data
    return where


def erase(shop: Shop, *subjects: object) -> Outcome:
    case = shop.case("erasure", subjects)
    return erase_subjects(case, shop.world(), shop.ledger, shop.signer, shop.certificate)


def ways(outcome: Outcome) -> dict[str, str]:
    assert outcome.certificate is not None
    files = outcome.certificate.payload["tables"][0]["files"]
    return {file["path"]: file["searched"] for file in files}


def places(shop: Shop, outcome: Outcome) -> set[tuple[str, str]]:
    """Kind and place of all that the certificate's recheck finds."""
    assert outcome.certificate is not None
    (found,) = recheck(outcome.certificate, shop.certificate, shop.key, shop.world())
    return {(place.kind.value, place.where) for place in found.places}


def test_a_short_number_in_a_replaced_base_leaves_the_verdict_open_and_a_recheck_too(lines: Shop) -> None:
    old = put(lines, "base_0000001/000000_0", "4711\x01Ada\n", visible=False)
    put(lines, "base_0000002/000000_0", "4712\x01Bo\n")
    outcome = erase(lines, "4711")
    assert outcome.verdict.state.value == "pending"
    assert places(lines, outcome) == {("unsearched", old)}
    lines.disk.remove(old)
    assert erase(lines, "4711").verdict.state.value == "erased"
    assert places(lines, outcome) == set()


def test_columns_of_a_key_that_stand_apart_leave_the_verdict_open_and_a_recheck_too(lines: Shop) -> None:
    lines.plan = {"subjects": ["a", "b"], "tables": {"shop.lines": {"keys": {"a": "email", "b": "account"}}}}
    old = put(lines, "base_0000001/000000_0", "Ada\x01x\x01Lovelace\n", visible=False)
    put(lines, "base_0000002/000000_0", "Bo\x01x\x01Derek\n")
    outcome = erase(lines, ("Ada", "Lovelace"))
    assert outcome.verdict.state.value == "pending"
    assert places(lines, outcome) == {("unsearched", old)}


def test_files_that_queries_show_are_counted_by_their_rows(lines: Shop) -> None:
    shown = put(lines, "base_0000002/000000_0", "4712\x01Bo\n")
    outcome = erase(lines, "4711")
    assert outcome.verdict.state.value == "erased"
    assert ways(outcome) == {shown: "visible"}
    assert "In 1 file, only the rows that queries show were searched." in summarize(outcome.payload).statement
    put(lines, "delta_0000001_0000001_0000/000000_0", "4711\x01Ada\n", visible=False)
    assert lines.kinds(verify_subjects(lines.case("verification", ["4711"]), lines.world())) == {"unsearched"}


def test_rows_that_a_task_left_under_a_hidden_name_leave_the_verdict_open(lines: Shop) -> None:
    left = put(lines, "delta_0000001_0000001_0000/_tmp.000000_0", "4711\x01Ada\n", visible=False)
    outcome = erase(lines, "4711")
    assert lines.kinds(outcome) == {"unsearched"}
    assert ways(outcome) == {left: "not"}


def test_a_visible_row_is_found_by_a_recheck(lines: Shop) -> None:
    outcome = erase(lines, "4711")
    put(lines, "base_0000002/000000_0", "4711\x01Ada\n")
    assert places(lines, outcome) == {("visible-rows", "shop.lines")}


def test_a_file_that_is_replaced_between_the_count_and_its_listings_is_not_counted(
    lines: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(lines, "base_0000001/000000_0", "4712\x01Bo\n")
    count = lines.disk.count

    def replace_before(*args: object) -> object:
        lines.files.add_file(f"{ROOT}/base_0000002/000000_0", 0)
        return count(*args)  # type: ignore[arg-type]

    case = lines.case("verification", ["4711"])
    assert lines.kinds(verify_subjects(case, lines.world())) == set()
    monkeypatch.setattr(lines.disk, "count", replace_before)
    assert lines.kinds(verify_subjects(case, lines.world())) == {"unsearched"}


def test_a_count_from_a_cache_counts_no_file(lines: Shop) -> None:
    put(lines, "base_0000002/000000_0", "4712\x01Bo\n")
    lines.disk.is_cached = True
    assert lines.kinds(verify_subjects(lines.case("verification", ["4711"]), lines.world())) == {"unsearched"}


def test_files_of_a_plain_table_of_text_are_not_taken_for_searched(lines: Shop) -> None:
    lines.metastore.add_table(replace(lines.metastore.table(LINES), parameters={}))
    put(lines, "000000_0", "4712\x01Bo\n")
    assert lines.kinds(verify_subjects(lines.case("verification", ["4711"]), lines.world())) == {"unsearched"}


@pytest.mark.parametrize(
    ("path", "is_shown"),
    [
        ("/w/_db/t/f", True),
        ("/w/_db/t/a/b/c/d/f", True),
        ("/w/_db/t/_a/b/c/d/f", False),
        ("/w/_db/t/a/b/c/d/.f", False),
        ("/w/_db/t/_who=Ada/f", True),
        ("/w/_db/t/_staged/who=Bo/a/f", True),
        ("/user/me/.Trash/Current/w/_db/t/f", False),
    ],
)
def test_hidden_names_count_below_the_location_alone_and_at_any_depth(path: str, is_shown: bool) -> None:
    file = PhysicalFile(path, 1, 1)
    assert find_unhidden([file], ["/w/_db/t/", "/w/_db/t/_staged/who=Bo"]) == [file] * is_shown


@pytest.mark.parametrize(
    ("name", "content", "is_packed"),
    [
        ("000000_0.lzo", b"\x89LZO\0\r\n\x1a\n packed", True),
        ("000000_0.lzo", b"packed \xf3\x9d without a zero", True),
        ("000000_0", b"\x89LZO\0\r\n\x1a\n packed", True),
        ("000000_0.gz", b"\x1f\x8b\x08\0 packed", False),
        ("000000_0", "4712\x01Bör\n".encode("latin-1"), False),
        ("lines.txt", "4712\x01Bör\n".encode(), False),
    ],
)
@pytest.mark.parametrize("serde", ["", JSON_SERDE])
def test_nothing_is_erased_or_found_by_what_queries_take_for_the_lines_of_a_packed_file(
    lines: Shop, name: str, content: bytes, is_packed: bool, serde: str
) -> None:
    """Hadoop reads a file of a codec that it does not have as if it were lines."""
    table = lines.metastore.table(LINES)
    lines.metastore.add_table(replace(table, row_format=replace(table.row_format, serde=serde)))
    where = put(lines, f"base_0000002/{name}", "4712\x01Bo\n")
    lines.files.files[where] = replace(lines.files.files[where], length_bytes=len(content))
    lines.files.bytes[where] = content
    searched = verify_subjects(lines.case("verification", ["4711"]), lines.world())
    assert lines.kinds(searched) == ({"unsearched"} if is_packed else set())
    if is_packed:
        with pytest.raises(HiveAcidError, match="NOT_COUNTED"):
            erase(lines, "4711")
    else:
        assert ways(erase(lines, "4711")) == {where: "visible"}
