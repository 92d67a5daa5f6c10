"""Folders tell whose their files are, or leave the verdict open: also those that are no partitions, or several's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hive_acid.model.names import NULL_PARTITION
from hive_acid.model.table import Column, Partition, TableDescription, TableName
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher
from hive_acid_erasure.run import Outcome, verify_subjects
from hive_acid_erasure.verify.places import Roots, find_partition, find_shared_folders
from hive_acid_erasure.verify.sights import Sights
from hive_acid_erasure.verify.visible_rows import VisibleRows
from support.erasure_shop import FULL_ACID, OTHER, SALES, SUBJECTS, Shop

ADA = SUBJECTS[0]
CODES = TableName("shop", "codes")


def search_by_day(shop: Shop) -> Outcome:
    """Its key is `replace(day, '-', '')`, so that no text of a folder has the subject's number."""
    shop.plan = {"subjects": ["id"], "tables": {"shop.sales": {"keys": {"id": "day"}}}}
    shop.disk.spellings["day"] = lambda given: (
        "" if given in ("no-such-value", NULL_PARTITION) else given.replace("-", "")
    )
    return verify_subjects(shop.case("verification", ["123456789"]), shop.world())


@pytest.mark.parametrize("value", ["12345-6789", "no-such-value"])
@pytest.mark.parametrize(
    "folder", ["/warehouse/sales", "/warehouse/sales/.staging", "/homes/ada/.Trash/Current/warehouse/sales"]
)
@pytest.mark.parametrize("is_bare", [True, False])
def test_a_folder_of_no_partition_is_compared_by_the_key(shop: Shop, folder: str, value: str, is_bare: bool) -> None:
    where = f"{folder}/day={value}"
    if is_bare:
        shop.files.make_folder(where)
    else:
        shop.disk.put(f"{where}/bucket_00000", {"email": OTHER})
    outcome = search_by_day(shop)
    (place,) = outcome.verdict.places
    assert place.kind.value == "path" and place.where.startswith("shop.sales (day=#")
    assert value not in f"{outcome.payload} {shop.told}"
    shop.files.delete_tree(where)
    assert search_by_day(shop).verdict.places == ()


def open_codes(shop: Shop, *columns: str) -> None:
    """Its key is `replace(code, '-', '')`."""
    described = TableDescription(
        CODES,
        "/warehouse/codes",
        (Column("email", "string"),),
        tuple(Column(column, "string") for column in columns),
        parameters=dict(FULL_ACID),
    )
    shop.metastore.add_table(described)
    shop.plan = {"subjects": ["id"], "tables": {"shop.codes": {"keys": {"id": "code"}}}}
    shop.disk.spellings["code"] = _without_dashes
    case = shop.case
    shop.case = lambda kind="erasure", subjects=("123456789",): case(kind, subjects)  # type: ignore[method-assign]


def _without_dashes(given: str) -> str:
    return given.replace("-", "")


def add_partition(shop: Shop, name: str, location: str) -> tuple[str, ...]:
    """One that has no files yet; its values."""
    values = tuple(each.partition("=")[2] for each in name.split("/"))
    shop.metastore.add_partition(CODES, Partition(name, values, location))
    return values


def add_code(shop: Shop, name: str, folder: str | None = None) -> None:
    location = f"/warehouse/codes/{folder or name}"
    values = add_partition(shop, name, location)
    row = {"email": OTHER, "code": _without_dashes(values[0])}
    shop.disk.put(f"{location}/delta_0000001_0000001_0000/bucket_00000", row)


FOLDERS: dict[str, Callable[[Shop], object]] = {
    "of the first column alone": lambda shop: shop.files.make_folder("/warehouse/codes/Code=12345-6789"),
    "of a file that lies too high": lambda shop: shop.files.add_file("/warehouse/codes/code=12345-6789/_x", 0, 1),
    "of a partition of another name": lambda shop: add_code(shop, "code=7/day=1", "code=12345-6789/day=1"),
    "above a partition": lambda shop: add_partition(shop, "code=7/day=1", "/archive/code=12345-6789/code=7/day=1"),
    "within a partition": lambda shop: shop.files.make_folder("/warehouse/codes/code=6/day=1/code=12345-6789"),
}


@pytest.mark.parametrize("is_erasure", [True, False])
@pytest.mark.parametrize("name", FOLDERS)
def test_values_are_compared_by_the_key_wherever_a_path_tells_them(shop: Shop, name: str, is_erasure: bool) -> None:
    open_codes(shop, "code", "day")
    add_code(shop, "code=6/day=1")
    FOLDERS[name](shop)
    outcome = shop.erase() if is_erasure else shop.verify()
    assert shop.kinds(outcome) == {"path"}, outcome
    assert "12345-6789" not in _written(shop) + str(outcome.payload)


@pytest.mark.parametrize("folder", ["12345-6789", "12345%2D6789", "of 12345-6789", "12345-6789/v2"])
@pytest.mark.parametrize("is_erasure", [True, False])
def test_the_folder_of_a_partition_that_a_key_makes_a_persons_is_masked(
    shop: Shop, folder: str, is_erasure: bool
) -> None:
    open_codes(shop, "code")
    add_code(shop, "code=6")
    add_code(shop, "code=12345-6789", folder)
    outcome = shop.erase() if is_erasure else shop.verify()
    assert "partition-name" in shop.kinds(outcome), outcome
    told = _written(shop) + str(outcome.payload)
    assert "12345" not in told and "/warehouse/codes/code=6" in told


def test_a_folder_of_a_skewed_column_is_compared_by_the_key(shop: Shop) -> None:
    """Hive's list bucketing has folders of a column's values within a partition."""
    shop.plan = {"subjects": ["id"], "tables": {"shop.sales": {"keys": {"id": "email"}}}}
    shop.disk.spellings["email"] = _without_dashes
    shop.disk.put("/warehouse/sales/day=2/email=12345-6789/000000_0", {"email": OTHER})
    outcome = verify_subjects(shop.case("verification", ["123456789"]), shop.world())
    assert shop.kinds(outcome) == {"path"}, outcome
    assert "12345-6789" not in f"{outcome.payload} {shop.told}"


@pytest.mark.parametrize(
    ("moment", "is_erasure"), [("count", True), ("delete", True), ("count", False), ("search", False)]
)
def test_a_partition_that_comes_meanwhile_is_masked_wherever_a_key_alone_tells_whose_it_is(
    shop: Shop, moment: str, is_erasure: bool
) -> None:
    open_codes(shop, "code")
    add_code(shop, "code=6")
    real: Any = getattr(shop.disk, moment)

    def work(*given: Any, **named: Any) -> Any:
        if not shop.metastore.partition_names(CODES)[1:]:
            add_code(shop, "code=12345-6789")
        return real(*given, **named)

    setattr(shop.disk, moment, work)
    outcome = shop.erase() if is_erasure else shop.verify()
    assert "partition-name" in shop.kinds(outcome), outcome
    assert "12345-6789" not in _written(shop) + str(outcome.payload)


def _written(shop: Shop) -> str:
    return "".join([*shop.told, *(path.read_text() for path in shop.folder.rglob("*") if path.is_file())])


def test_a_location_is_read_above_the_name_of_its_partition(shop: Shop) -> None:
    shop.metastore.add_partition(SALES, Partition("day=3", ("3",), f"/archive/{ADA}/day=3"))
    assert shop.kinds(shop.erase()) == {"path"}


def test_a_folder_of_null_is_none_that_cannot_be_compared(shop: Shop) -> None:
    shop.disk.put(f"/warehouse/sales/.staging/day={NULL_PARTITION}/bucket_00000", {"email": OTHER})
    assert search_by_day(shop).verdict.places == ()


@pytest.mark.parametrize("second", ["/w/t/a", "/w/t//a/", "/w/t/a/b", "/w/t/a/b/c=1"])
def test_folders_of_several_partitions_are_told_however_they_are_spelled(shop: Shop, second: str) -> None:
    partitions = [Partition("day=1", ("1",), "/w/t/a"), Partition("day=2", ("2",), second)]
    spotter = shop.case().spotters.of(())
    (place,) = find_shared_folders(SALES, partitions, spotter)
    assert "day=1" in place.detail and "day=2" in place.detail
    apart = [partitions[0], replace(partitions[1], location="/w/t/ab")]
    assert list(find_shared_folders(SALES, apart, spotter)) == []


def test_a_folder_of_other_values_within_that_of_a_partition_is_of_neither() -> None:
    """As of an engine that has a partition in the table's own folder, or of a copy."""
    roots = Roots(("/t",), {"/t": "day=1", "/t/day=2": "day=2"}, ("day",))
    told = {"/t/f": "day=1", "/t/base_1/f": "day=1", "/t/day=2/f": "day=2", "/t/Day=3/f": "", "/t/day=2/x/day=1/f": ""}
    assert {path: find_partition(path, roots) for path in told} == told


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le"])
def test_no_text_is_taken_for_lengths(shop: Shop, encoding: str) -> None:
    path, content = "/warehouse/sales/day=2/bucket_00000_flush_length", f"{ADA:<32}".encode(encoding)
    shop.files.add_file(path, len(content), 5)
    shop.files.bytes[path] = content
    assert shop.kinds(shop.verify()) & {"file-text", "unsearched"}


@pytest.mark.parametrize("path", ["/w/city=Bonn/id=12-34/f", "/w/City=Bonn/ID=12-34/f", "(city=Bonn/id=12-34)"])
def test_each_value_of_a_partition_is_masked_whichever_a_text_tells_and_a_key(shop: Shop, path: str) -> None:
    """Bonn is a value of a person, and `replace(id, '-', '')` names one."""
    spotters = shop.case(subjects=["Bonn"]).spotters
    world = shop.world()
    sights = Sights(world.metastore, world.file_system, world.clock_ms)
    visible = VisibleRows(world.engine, world.file_system, sights, spotters)
    shop.disk.spellings["id"] = lambda given: given.replace("-", "")
    matcher = Matcher(SALES, (KeyedHashes(Key(("id",)), frozenset((shop.key.hash_parts(("1234",)),))),))
    visible.hide(matcher, {"city=Bonn/id=12-34": True, "city=Bonn/id=56": True})
    masked = spotters.of(()).mask(path)
    assert "Bonn" not in masked and "12-34" not in masked
    assert "id=56" in spotters.of(()).mask("/w/city=Bonn/id=56/f")
