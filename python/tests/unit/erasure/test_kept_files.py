"""Removed files that the metastore keeps for replicas are searched, or leave the verdict open until they are gone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_acid.errors import build_error
from hive_acid_erasure.verify.kept_files import KeptFiles
from support.erasure_shop import OTHER, SUBJECTS, Shop

ADA = SUBJECTS[0]
ON = {"hive.repl.cm.enabled": "true", "hive.repl.cmrootdir": "/user/hive/cmroot/", "hive.repl.cm.retain": "240h"}
DAY_MS = 86_400_000


def set_up(shop: Shop, **settings: str) -> None:
    shop.metastore._settings = {**shop.metastore._settings, **ON, **settings}


def keep_what_is_cleaned(shop: Shop) -> None:
    """The Cleaner moves files by their names and a checksum, with the time of the move."""
    remove, numbers = shop.disk.remove, iter(range(1000))

    def recycle(path: str) -> None:
        content = shop.disk.contents[path]
        remove(path)
        kept = f"/user/hive/cmroot/{path.rpartition('/')[2]}_{next(numbers):032x}"
        shop.disk.put(kept, *content.rows, visible=False)
        shop.files.files[kept] = replace(shop.files.files[kept], modified_ms=shop.clock.now_ms)

    shop.disk.remove = recycle  # type: ignore[method-assign]


def test_rows_that_the_cleaner_has_moved_leave_the_verdict_open_until_they_are_gone(shop: Shop) -> None:
    set_up(shop)
    keep_what_is_cleaned(shop)
    outcome = shop.erase()
    assert shop.kinds(outcome) == {"kept-for-replicas"}
    assert {place.where.rpartition("/")[0] for place in outcome.verdict.places} == {"/user/hive/cmroot"}
    (first, *_) = outcome.verdict.places
    assert first.detail == (
        "1 of 2 rows belong to subjects; it lies in the metastore's folder of removed files, "
        "until 2023-11-24 22:13:20 UTC or a little later (hive.repl.cm.retain)"
    )
    assert shop.disk.compactions.count(("shop.sales", "day=1")) == 1, "no compaction removes them"
    shop.files.delete_tree("/user/hive/cmroot")
    for path in [path for path in shop.disk.contents if path.startswith("/user/")]:
        del shop.disk.contents[path]
    assert shop.erase().verdict.state.value == "erased"


def test_files_of_others_in_that_folder_are_no_places(shop: Shop) -> None:
    set_up(shop)
    shop.disk.put("/user/hive/cmroot/bucket_00000_77", {"email": OTHER}, visible=False)
    assert shop.erase().verdict.state.value == "erased"
    shop.disk.put("/user/hive/cmroot/bucket_00000_78", {"email": ADA}, visible=False)
    assert shop.kinds(shop.erase()) == {"kept-for-replicas"}


def test_a_file_there_that_cannot_be_read_leaves_the_verdict_open(shop: Shop) -> None:
    set_up(shop)
    shop.disk.put("/user/hive/cmroot/part-0_77", problem="it is neither ORC nor Parquet")
    assert shop.kinds(shop.erase()) == {"kept-for-replicas"}


def test_files_that_were_kept_are_found_where_nobody_keeps_any_now(shop: Shop) -> None:
    set_up(shop, **{"hive.repl.cm.enabled": "false"})
    shop.disk.put("/user/hive/cmroot/bucket_00000_78", {"email": ADA}, visible=False)
    (place, *_) = shop.erase().verdict.places
    assert place.kind.value == "kept-for-replicas" and "remove the file" in place.detail


@pytest.mark.parametrize(
    "folder", ["/warehouse/sales/.cmroot", "/warehouse/.cmroot", "/.cmroot", "/plain/cmroot"], ids=str
)
def test_folders_of_encryption_zones_are_searched_too(shop: Shop, folder: str) -> None:
    """That of a zone lies at its root, which is some parent of the table."""
    beside = {
        "hive.repl.cm.encryptionzone.rootdir": ".cmroot",
        "hive.repl.cm.nonencryptionzone.rootdir": "/plain/cmroot",
    }
    set_up(shop, **beside)
    shop.disk.put(f"{folder}/bucket_00000_78", {"email": ADA}, visible=False)
    assert {place.where for place in shop.erase().verdict.places} == {f"{folder}/bucket_00000_78"}


@pytest.mark.parametrize("folder", ["", "/user/${system:user.name}/cmroot/", "cmroot"])
def test_a_folder_that_the_metastore_does_not_tell_leaves_the_verdict_open(shop: Shop, folder: str) -> None:
    set_up(shop, **{"hive.repl.cmrootdir": folder})
    (place,) = shop.erase().verdict.places
    assert place.kind.value == "kept-for-replicas" and "cannot be told" in place.detail
    set_up(shop, **{"hive.repl.cmrootdir": folder, "hive.repl.cm.enabled": "false"})
    assert shop.erase().verdict.state.value == "erased"


def test_the_name_of_such_a_folder_is_a_subjects_nowhere(shop: Shop) -> None:
    set_up(shop, **{"hive.repl.cmrootdir": f"/user/${{system:user.name}}/{ADA}"})
    (place,) = shop.erase().verdict.places
    assert place.where.startswith("/user/${system:user.name}/#")
    assert ADA not in shop.certificate.read_text() + "".join(shop.told)


@pytest.mark.parametrize(("is_on", "verdict"), [("true", "pending"), ("false", "erased")])
def test_a_folder_that_this_user_may_not_list_leaves_the_verdict_open_while_files_are_moved_there(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, is_on: str, verdict: str
) -> None:
    set_up(shop, **{"hive.repl.cm.enabled": is_on})
    list_all = shop.files.list_all

    def deny(roots: Any) -> Any:
        if any(root.startswith("/user/hive") for root in roots):
            raise build_error("HIVE_ACID_STORAGE_DENIED", path=roots[0], action="listing", reason="it is hive's")
        return list_all(roots)

    monkeypatch.setattr(shop.files, "list_all", deny)
    outcome = shop.erase()
    assert outcome.verdict.state.value == verdict
    assert shop.kinds(outcome) == ({"kept-for-replicas"} if verdict == "pending" else set())
    assert all("for 240 hours" in place.detail for place in outcome.verdict.places)


def test_folders_lie_on_the_file_system_of_the_table() -> None:
    """The metastore renames files into them."""
    settings = {**ON, "metastore.repl.cm.encryptionzone.rootdir": ".cmroot"}
    kept = KeptFiles.of_server(lambda name, default: settings.get(name, default))
    assert kept.find_folders(["hdfs://nn:8020/zone/db/t"]) == (
        "hdfs://nn:8020/user/hive/cmroot",
        "hdfs://nn:8020/zone/db/t/.cmroot",
        "hdfs://nn:8020/zone/db/.cmroot",
        "hdfs://nn:8020/zone/.cmroot",
        "hdfs://nn:8020/.cmroot",
    )
    settings = {**ON, "hive.repl.cmrootdir": "hdfs://other/cm"}
    kept = KeptFiles.of_server(lambda name, default: settings.get(name, default))
    assert kept.find_folders(["file:/wh/t"]) == ("hdfs://other/cm",)
    beside = replace(kept, folders=("/cm",))
    assert beside.find_folders(["hdfs://nn:8020/a#b/t", "file:/a?b", "file:///t", "/t"]) == (
        "hdfs://nn:8020/cm",
        "file:/cm",
        "file:///cm",
        "/cm",
    )


@pytest.mark.parametrize(
    ("text", "retain_ms"), [("240h", 10 * DAY_MS), ("10d", 10 * DAY_MS), ("240", 10 * DAY_MS), ("x", None), ("", None)]
)
def test_the_time_that_files_are_kept_is_in_hours_if_it_has_no_unit(text: str, retain_ms: int | None) -> None:
    settings = {**ON, "hive.repl.cm.retain": text}
    assert KeptFiles.of_server(lambda name, default: settings.get(name, default)).retain_ms == retain_ms
