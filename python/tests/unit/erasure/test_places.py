"""The verdict stays negative, and names the place, until what was planted there is gone."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow
import pytest
from pyarrow import orc

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.table import Partition, TableName
from hive_acid_erasure.engine import Matcher
from hive_acid_erasure.run import verify_subjects
from support.erasure_shop import OTHER, PEOPLE, SALES, SUBJECTS, Shop, add_table

ADA = SUBJECTS[0]
ROW = {"email": ADA}


@dataclass(frozen=True)
class Planted:
    """Where it is put, and how it is taken away again."""

    kind: str
    plant: Callable[[Shop], object]
    remove: Callable[[Shop], object]


def rows_at(path: str, kind: str = "rows", **about: object) -> Planted:
    where = f"/warehouse/{path}"
    return Planted(kind, lambda shop: shop.disk.put(where, ROW, **about), lambda shop: shop.disk.remove(where))


def text_at(path: str, text: str) -> Planted:
    where = f"/warehouse/{path}"
    return Planted(
        "file-text",
        lambda shop: shop.files.add_file(where, len(text), 5) or shop.files.bytes.update({where: text.encode()}),
        lambda shop: shop.files.delete_tree(where),
    )


def set_properties(shop: Shop, extra: dict[str, str]) -> None:
    table = shop.metastore.table(SALES)
    identity = shop.metastore.table_identity(SALES)
    shop.metastore.add_table(replace(table, parameters={"transactional": "true", **extra}))
    shop.metastore._identities[SALES] = identity


def set_partition(shop: Shop, extra: dict[str, str]) -> None:
    shop.metastore.add_partition(SALES, Partition("day=1", ("1",), "/warehouse/sales/day=1", extra))


def empty_folder_at(path: str) -> Planted:
    where = f"/{path}"
    return Planted("path", lambda shop: shop.files.make_folder(where), lambda shop: shop.files.delete_tree(where))


HIDDEN = {"visible": False}
UPLOADED = "/warehouse/sales/day=2/delta_0000009_0000009_0000/bucket_00000"
UPLOAD = json.dumps({"uri": f"s3a://b/warehouse/sales/day={ADA}/part-0", "upload_id": "u-1", "etags": ["e"]})
"""As a committer of s3a keeps it until the job is committed (SinglePendingCommit)."""
PLANTED = {
    "a base": rows_at("people/base_0000009/bucket_00000", **HIDDEN),
    "a delta": rows_at("sales/day=1/delta_0000009_0000009_0000/bucket_00001", **HIDDEN),
    "a delete delta": rows_at("sales/day=1/delete_delta_0000009_0000009_0000/bucket_00000", **HIDDEN),
    "an original file": rows_at("people/000000_0", **HIDDEN),
    "staging": rows_at("sales/.hive-acid-staging-x/delta_0000003_0000003_0000/bucket_00000", **HIDDEN),
    "a hidden file": rows_at("sales/day=2/_orphan", **HIDDEN),
    "an orphan": rows_at("sales/day=3/000000_0", **HIDDEN),
    "footer statistics": Planted(
        "file-statistics",
        lambda shop: shop.disk.put("/warehouse/sales/day=2/000001_0", {"email": OTHER}, statistics=(ADA,)),
        lambda shop: shop.disk.remove("/warehouse/sales/day=2/000001_0"),
    ),
    "a value in a dictionary that no row has": Planted(
        "file-dictionary",
        lambda shop: shop.disk.put("/warehouse/sales/day=2/000001_0", {"email": OTHER}, dictionary=(ADA,)),
        lambda shop: shop.disk.remove("/warehouse/sales/day=2/000001_0"),
    ),
    "a column that the table has no more": Planted(
        "former-column",
        lambda shop: shop.disk.put("/warehouse/sales/day=2/000001_0", {"email": OTHER}, former={"mail": ADA}),
        lambda shop: shop.disk.remove("/warehouse/sales/day=2/000001_0"),
    ),
    "a history note": text_at("sales/day=2/_hive_acid_history", json.dumps({"by": ADA})),
    "a note in other letters": text_at("sales/day=2/.note", f"for {ADA.upper()}, again"),
    "a note with escapes": text_at("sales/day=2/.note", '{"by":"' + "".join(f"\\u{ord(c):04x}" for c in ADA) + '"}'),
    "the record of an upload": text_at("sales/__magic_job-1/tasks/a/__base/day=2/part-0.pending", UPLOAD),
    "the records of a task's uploads": text_at("sales/day=2/__magic/job-1/a.pendingset", f'{{"commits":[{UPLOAD}]}}'),
    "a note that looks like checksums": text_at("sales/day=2/.note.crc", f"crc\0\0\0\2\0{ADA}"),
    "a note among checksums": text_at("sales/day=2/.note.crc", f"crc\0\0\0\2\0\1\2\3\4{ADA}\0"),
    "a note that looks like lengths": text_at("sales/day=2/bucket_00000_flush_length", f"{ADA:<32}"),
    "a path": Planted(
        "path",
        lambda shop: shop.disk.put(f"/warehouse/sales/day=2/{ADA}.orc", {"email": OTHER}),
        lambda shop: shop.disk.remove(f"/warehouse/sales/day=2/{ADA}.orc"),
    ),
    "an empty folder": empty_folder_at(f"warehouse/sales/day={ADA}"),
    "an empty folder of staging": empty_folder_at(f"warehouse/sales/.hive-staging_1/-ext-10000/day={ADA}"),
    "an empty folder in the trash": empty_folder_at(f"homes/ada/.Trash/Current/warehouse/sales/day={ADA}"),
    "an unreadable file": rows_at("sales/day=2/000002_0", "unsearched", problem="it is damaged", **HIDDEN),
    "a file of another form": Planted(
        "unsearched",
        lambda shop: (
            shop.files.add_file("/warehouse/notes/x.bin", 3)
            or shop.files.bytes.update({"/warehouse/notes/x.bin": b"\xff\xfe\x00"})
        ),
        lambda shop: shop.files.delete_tree("/warehouse/notes/x.bin"),
    ),
    "a partition's name": Planted(
        "partition-name",
        lambda shop: shop.metastore.add_partition(SALES, Partition(f"day={ADA}", (ADA,), "/warehouse/sales/day=x")),
        lambda shop: shop.metastore.remove_partition(SALES, f"day={ADA}"),
    ),
    "a table's property": Planted(
        "table-property",
        lambda shop: set_properties(shop, {"spark.sql.statistics.colStats.email.max": ADA}),
        lambda shop: set_properties(shop, {}),
    ),
    "a partition's property": Planted(
        "partition-property",
        lambda shop: set_partition(shop, {"note": f"of {ADA}"}),
        lambda shop: set_partition(shop, {}),
    ),
    "column statistics": Planted(
        "column-statistics",
        lambda shop: shop.metastore.extremes.update({SALES: {("", "email"): (ADA, OTHER)}}),
        lambda shop: shop.metastore.extremes.clear(),
    ),
    "column statistics of a partition": Planted(
        "column-statistics",
        lambda shop: shop.metastore.extremes.update({SALES: {("day=2", "email"): (ADA,)}}),
        lambda shop: shop.metastore.extremes.clear(),
    ),
    "a default value": Planted(
        "default-value",
        lambda shop: shop.metastore.defaults.update({SALES: {"email": f"'{ADA}'"}}),
        lambda shop: shop.metastore.defaults.clear(),
    ),
    "an upload that nobody completes": Planted(
        "pending-upload",
        lambda shop: shop.files.upload("other", "/warehouse/sales/day=2", "one", UPLOADED),
        lambda shop: shop.files.abort_uploads(shop.files.pending_uploads(["/warehouse/sales"])),
    ),
    "trash": Planted(
        "rows",
        lambda shop: shop.disk.put("/homes/ada/.Trash/Current/warehouse/sales/day=1/000000_0", ROW),
        lambda shop: shop.disk.remove("/homes/ada/.Trash/Current/warehouse/sales/day=1/000000_0"),
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_after_an_erasure_is_found_until_it_is_gone(shop: Shop, name: str) -> None:
    planted = PLANTED[name]
    assert shop.erase().verdict.state.value == "erased"
    planted.plant(shop)
    outcome = shop.verify()
    assert outcome.verdict.state.value == "pending"
    assert planted.kind in shop.kinds(outcome)
    assert ADA not in repr(outcome).lower()
    planted.remove(shop)
    assert shop.verify().verdict.state.value == "erased"


@pytest.mark.parametrize("name", PLANTED)
def test_an_erasure_beside_what_was_planted_before_is_erased_only_if_it_is_gone(shop: Shop, name: str) -> None:
    planted = PLANTED[name]
    planted.plant(shop)
    outcome = shop.erase()
    still_there = shop.verify().verdict.state.value
    assert outcome.verdict.state.value == still_there
    planted.remove(shop)
    assert shop.erase().verdict.state.value == "erased"


def test_aborted_rows_of_a_partition_that_nothing_was_deleted_from_go_by_another_compaction(shop: Shop) -> None:
    shop.disk.put("/warehouse/sales/day=2/delta_0000009_0000009_0000/bucket_00000", ROW, visible=False)
    assert shop.erase().verdict.state.value == "erased"
    assert ("shop.sales", "day=2") in shop.disk.compactions


def test_files_are_searched_though_the_visible_rows_cannot_be_read(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.erase()
    shop.disk.put("/warehouse/sales/day=2/000000_0", ROW, visible=False)

    def count(matcher: Matcher, partitions: str | None) -> Any:
        raise build_error("HIVE_ACID_ERASURE.NOT_COUNTED", table=matcher.table, failure=f"{ADA} is no number")

    monkeypatch.setattr(shop.disk, "count", count)
    outcome = shop.verify()
    assert shop.kinds(outcome) == {"rows", "unsearched"}
    assert ADA not in repr(outcome)
    shop.ledger.unlink()
    with pytest.raises(HiveAcidError, match="NOT_COUNTED"):
        shop.erase()


def test_former_locations_are_searched(shop: Shop) -> None:
    shop.erase()
    shop.disk.put("/warehouse/people/000009_0", ROW, visible=False)
    shop.metastore._tables[PEOPLE] = replace(shop.metastore.table(PEOPLE), location="/elsewhere/people")
    assert "rows" in shop.kinds(shop.erase())


def test_keys_of_several_parts_are_found_in_partition_values_and_notes(shop: Shop) -> None:
    name = TableName("shop", "names")
    add_table(shop.metastore, name, "day")
    shop.plan = {
        "subjects": ["first", "last"],
        "tables": {"shop.names": {"keys": {"first": "first", "last": "last"}}},
    }
    case = shop.case("verification", [("Ada", "Lovelace")])
    note = b"by Ada Lovelace, of London"
    shop.files.add_file("/warehouse/names/.note", len(note), 5)
    shop.files.bytes["/warehouse/names/.note"] = note
    assert shop.kinds(verify_subjects(case, shop.world())) == {"file-text"}
    shop.files.delete_tree("/warehouse/names/.note")
    assert shop.kinds(verify_subjects(case, shop.world())) == set()


def test_small_numbers_in_notes_name_nobody_and_in_partitions_they_do(shop: Shop) -> None:
    shop.plan["tables"] = {"shop.sales": {"keys": {"email": "email"}}}
    note = b'{"transaction": 7, "rows": 7}'
    shop.files.add_file("/warehouse/sales/day=2/.note", len(note), 5)
    shop.files.bytes["/warehouse/sales/day=2/.note"] = note
    assert shop.kinds(verify_subjects(shop.case("verification", ["7"]), shop.world())) == set()
    assert "partition-name" in shop.kinds(verify_subjects(shop.case("verification", ["2"]), shop.world()))


def test_a_file_that_storage_cannot_read_is_named_and_hides_no_other(shop: Shop) -> None:
    damaged = "/warehouse/sales/day=1/_damaged"
    shop.disk.put(damaged, ROW, problem="a checksum does not fit")
    read_bytes = shop.files.read_bytes

    def refuse(path: str) -> bytes | None:
        if path == damaged:
            raise build_error("HIVE_ACID_STORAGE", path=path, action="reading", reason="a checksum does not fit")
        return read_bytes(path)

    shop.files.read_bytes = refuse  # type: ignore[method-assign]
    outcome = shop.verify()
    assert {"unsearched", "rows"} <= shop.kinds(outcome)
    assert [place.where for place in outcome.verdict.places if place.kind.value == "unsearched"] == [damaged]


def test_rows_that_only_the_second_reader_sees_make_the_verdict_pending(shop: Shop) -> None:
    shop.erase()
    path = "/warehouse/people/000000_0"
    shop.disk.put(path, {"email": OTHER})
    content = io.BytesIO()
    orc.write_table(pyarrow.table({"email": [ADA], "account": ["a-17"]}), content)
    shop.files.add_file(path, len(content.getvalue()), 5)
    shop.files.bytes[path] = content.getvalue()
    outcome = shop.verify()
    assert shop.kinds(outcome) == {"cross-check"}
    assert [place.where for place in outcome.verdict.places] == [path]
    assert outcome.verdict.state.value == "pending"
    shop.disk.remove(path)
    assert shop.verify().verdict.state.value == "erased"


def test_a_storage_that_lists_no_uploads_to_this_user_leaves_the_verdict_open(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shop.erase().verdict.state.value == "erased"

    def refuse(roots: object) -> Any:
        raise build_error("HIVE_ACID_STORAGE_DENIED", path=f"/{ADA}", action="listing uploads", reason="it is denied")

    monkeypatch.setattr(shop.files, "pending_uploads", refuse)
    outcome = shop.verify()
    assert shop.kinds(outcome) == {"unsearched"}
    assert ADA not in repr(outcome)


@pytest.mark.parametrize(
    ("folder", "root"),
    [
        ("/warehouse/sales", "/warehouse/sales/.Trash/session_user"),
        ("/warehouse/people", "/user/session_user/.Trash"),
        ("/elsewhere", "/elsewhere/.Trash/session_user"),
    ],
)
def test_the_trash_is_the_one_that_storage_tells_of_each_location(shop: Shop, folder: str, root: str) -> None:
    shop.metastore.add_partition(SALES, Partition("day=3", ("3",), "/elsewhere/day=3"))
    shop.files.trash[folder] = root
    assert shop.erase().verdict.state.value == "erased"
    place = "/elsewhere/day=3" if folder == "/elsewhere" else folder
    path = shop.disk.put(f"{root}/Current{place}/delta_0000001_0000001_0000/bucket_00000", ROW, visible=False)
    outcome = shop.verify()
    assert [found.where for found in outcome.verdict.places] == [path]


def test_a_location_that_names_somebody_is_told_though_no_file_lies_there(shop: Shop) -> None:
    shop.metastore.add_partition(SALES, Partition("day=3", ("3",), f"/elsewhere/{ADA}"))
    outcome = shop.verify()
    assert "path" in shop.kinds(outcome)
    assert ADA not in repr(outcome).lower()
    shop.metastore.remove_partition(SALES, "day=3")
    assert "path" not in shop.kinds(shop.verify())


@pytest.mark.parametrize("name", ["a#b", "a?b"])
def test_signs_of_urls_are_signs_of_names_in_a_location(shop: Shop, name: str) -> None:
    shop.metastore.add_partition(SALES, Partition("day=3", ("3",), f"/elsewhere/{name}"))
    assert shop.erase().verdict.state.value == "erased"
    shop.disk.put(f"/homes/ada/.Trash/Current/elsewhere/{name}/bucket_00000", ROW, visible=False)
    assert shop.kinds(shop.verify()) == {"rows"}


@pytest.mark.parametrize("name", ["sales1764315000000/day=1", "sales/day=11764315000000"])
def test_a_folder_that_came_into_the_trash_twice_is_searched(shop: Shop, name: str) -> None:
    assert shop.erase().verdict.state.value == "erased"
    shop.disk.put(f"/homes/ada/.Trash/Current/warehouse/{name}/bucket_00000", ROW, visible=False)
    assert shop.kinds(shop.verify()) == {"rows"}


@pytest.mark.parametrize(
    "change",
    [
        {"location": "/warehouse/csv-__PLACEHOLDER__"},
        {"location": ""},
        {"parameters": {"storage_handler": "org.apache.hadoop.hive.hbase.HBaseStorageHandler"}},
        {"source_path": "/warehouse/moved"},
    ],
)
def test_a_table_whose_rows_lie_where_the_metastore_does_not_say_is_not_searched(shop: Shop, change: Any) -> None:
    shop.erase()
    shop.plan["tables"] = {"shop.people": {"keys": {"email": "email"}}}
    shop.metastore.add_table(replace(shop.metastore.table(PEOPLE), **{"parameters": {}, **change}))
    assert shop.kinds(shop.verify()) == {"unsearched"}


def test_a_table_that_spark_and_the_metastore_find_in_one_folder_is_searched(shop: Shop) -> None:
    shop.erase()
    shop.plan["tables"] = {"shop.people": {"keys": {"email": "email"}}}
    table = replace(shop.metastore.table(PEOPLE), parameters={})
    shop.metastore.add_table(replace(table, source_path=f"{table.location.replace('p', '%70')}//"))
    assert shop.kinds(shop.verify()) == set()


def test_the_trash_of_a_table_of_a_longer_name_is_not_searched(shop: Shop) -> None:
    shop.disk.put("/homes/ada/.Trash/Current/warehouse/sales2/day=1/bucket_00000", ROW, visible=False)
    assert shop.erase().verdict.state.value == "erased"
