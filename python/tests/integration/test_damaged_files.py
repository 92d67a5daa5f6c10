"""Files that storage or somebody with a shell has damaged: an error that names the file, never other rows."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from support.acid_files import BUCKET_0, Event, delete, exact_footer, insert, write_file, write_folder
from support.damaged_table import (
    CORRUPT,
    DELETES,
    FILES,
    FIRST,
    LATER_DELETES,
    LAYOUT,
    ROW_TYPE,
    SECOND,
    STATEMENTS,
    TABLE,
    Sample,
    checksum_file,
    commit_write_ids,
    content,
    cut,
    overwrite,
    put,
    text_of,
)

LATEST_WRITE_ID = 9
"""The latest that a file of these tests names."""


@pytest.fixture(scope="module")
def made(spark: SparkSession, client: ThriftMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    spark.sql("CREATE DATABASE damaged")
    spark.sql(f"CREATE TABLE {TABLE} (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    name = TableName("damaged", "rows")
    root = Path(client.table(name).location.removeprefix("file:"))
    commit_write_ids(client, LATEST_WRITE_ID)  # before a refused statement takes one of them and aborts it
    for folder, files in content().items():
        write_folder(spark, root / folder, ROW_TYPE, files)
    pristine = tmp_path_factory.mktemp("pristine") / "rows"
    shutil.copytree(root, pristine)
    gone = (1, 2)  # the remainders of the IDs that were deleted
    rows = tuple((number, text_of(number)) for number in range(160) if number % 5 not in gone)
    yield Sample(spark, client, root, pristine, rows)
    spark.sql("DROP DATABASE damaged CASCADE")


@pytest.fixture
def sample(made: Sample) -> Iterator[Sample]:
    """The table as it was made, in a session that is told to ignore damaged files."""
    keys = ("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles")
    made.restore()
    for key in keys:
        made.spark.conf.set(key, "true")
    yield made
    for key in keys:
        made.spark.conf.unset(key)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("share", [0.001, 0.5, 0.999], ids=("head", "half", "all but the end"))
def test_a_file_that_is_cut(sample: Sample, file: str, share: float) -> None:
    path = sample.root / file
    cut(path, max(1, int(path.stat().st_size * share)))
    sample.check_refused(STATEMENTS["SELECT"], file, CORRUPT)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("missing", [1, 2, 3, 17, 100])
def test_a_file_that_lacks_its_last_bytes(sample: Sample, file: str, missing: int) -> None:
    path = sample.root / file
    cut(path, path.stat().st_size - missing)
    sample.check_refused(STATEMENTS["SELECT"], file, CORRUPT)


@pytest.mark.parametrize("file", FILES)
def test_a_file_with_zeroes_or_other_bits_inside(sample: Sample, file: str) -> None:
    path = sample.root / file
    overwrite(path, 3, bytes(path.stat().st_size // 3))
    sample.check_refused(STATEMENTS["SELECT"], file, CORRUPT)


@pytest.mark.parametrize("file", FILES)
def test_a_folder_where_a_file_should_be(sample: Sample, file: str) -> None:
    path = sample.root / file
    path.unlink()
    path.mkdir()
    sample.check_refused(STATEMENTS["SELECT"], file, CORRUPT)


@pytest.mark.parametrize("file", FILES)
def test_a_file_of_no_bytes_has_lost_its_content(sample: Sample, file: str) -> None:
    cut(sample.root / file, 0)
    sample.check_refused(STATEMENTS["SELECT"], file, CORRUPT)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("statement", [name for name in STATEMENTS if name != "SELECT"])
def test_a_file_of_no_bytes_in_the_target_of_a_statement(sample: Sample, file: str, statement: str) -> None:
    cut(sample.root / file, 0)
    sample.check_refused(STATEMENTS[statement], file, CORRUPT)


@pytest.mark.beyond_the_gate("without statistics; other bits in the same file", cells=["with statistics"])
@pytest.mark.parametrize("stride", [10000, 0], ids=("with statistics", "without"))
def test_row_ids_of_a_delete_file_that_have_become_zeroes(sample: Sample, stride: int) -> None:
    """At every place of a file that is not compressed: what was deleted stays so, or the file is refused."""
    path = sample.root / DELETES / "bucket_00000"
    events = content()[DELETES]["bucket_00000"]
    write_file(sample.spark, path, ROW_TYPE, events, row_index_stride=stride, compression="NONE")
    whole = path.read_bytes()
    refused = 0
    for position in range(0, len(whole), 32):
        checksum_file(path).unlink(missing_ok=True)
        path.write_bytes(whole[:position] + bytes(len(whole[position : position + 64])) + whole[position + 64 :])
        try:
            found = sample.select()
        except Exception as error:  # noqa: BLE001 (whichever class it is, its text must tell)
            assert CORRUPT in str(error), error
            refused += 1
        else:
            assert found == list(sample.rows), position
    assert refused > 5


SWAPS = {
    "rows of another write ID": (f"{SECOND}/bucket_00000", f"{FIRST}/bucket_00000", f"{CORRUPT}.OTHER_WRITE_IDS"),
    "rows of another bucket": (f"{FIRST}/bucket_00001", f"{FIRST}/bucket_00000", f"{CORRUPT}.OTHER_BUCKET"),
    "deletes of another write ID": (
        f"{LATER_DELETES}/bucket_00000",
        f"{DELETES}/bucket_00000",
        f"{CORRUPT}.OTHER_WRITE_IDS",
    ),
    "deletes of another bucket": (f"{DELETES}/bucket_00001", f"{DELETES}/bucket_00000", f"{CORRUPT}.OTHER_BUCKET"),
    "rows instead of deletes": (f"{FIRST}/bucket_00000", f"{DELETES}/bucket_00000", f"{CORRUPT}.NO_DELETE"),
    "deletes instead of rows": (f"{DELETES}/bucket_00000", f"{FIRST}/bucket_00000", LAYOUT),
}


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_a_file_in_the_place_of_another(sample: Sample, swap: tuple[str, str, str]) -> None:
    source, target, condition = swap
    put(sample.root / source, sample.root / target)
    sample.check_refused(STATEMENTS["SELECT"], target, condition)


@pytest.mark.slow
@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
@pytest.mark.parametrize("statement", [name for name in STATEMENTS if name != "SELECT"])
def test_a_file_in_the_place_of_another_in_the_target_of_a_statement(
    sample: Sample, swap: tuple[str, str, str], statement: str
) -> None:
    source, target, condition = swap
    put(sample.root / source, sample.root / target)
    sample.check_refused(STATEMENTS[statement], target, condition)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("statement", [name for name in STATEMENTS if name != "SELECT"])
def test_a_file_that_is_cut_in_the_target_of_a_statement(sample: Sample, file: str, statement: str) -> None:
    cut(sample.root / file, 300)
    sample.check_refused(STATEMENTS[statement], file, CORRUPT)


def test_a_data_file_that_vanishes_after_the_listing(sample: Sample) -> None:
    rows = sample.spark.sql(STATEMENTS["SELECT"])
    assert rows.count() == len(sample.rows)
    rows.collect()
    (sample.root / FILES[0]).unlink()
    with pytest.raises(Exception, match=rf"HIVE_ACID_SNAPSHOT_UNAVAILABLE.*{FILES[0]}"):
        rows.collect()


FOREIGN: dict[str, tuple[str, list[Event], dict[str, str], str]] = {
    "an update of Hive 2": (
        "delta_0000009_0000009",
        [Event(1, 0, (1, "a"), current=9, operation=1), Event(1, 1, (2, "b"), current=9)],
        {},
        "ACID version 1",
    ),
    "a delete of Hive 2": (
        "delta_0000009_0000009",
        [Event(9, 0, (1, "a")), Event(1, 1, None, current=9, operation=2)],
        {},
        "ACID version 1",
    ),
    "rows of a later format": ("delta_0000009_0000009_0000", insert(9, (1, "a")), {"hive.acid.version": "3"}, "'3'"),
    "deletes of a later format": (
        "delete_delta_0000009_0000009_0000",
        delete(9, (1, 0)),
        {"hive.acid.version": "10"},
        "'10'",
    ),
    "a later codec of bucket properties": (
        "delta_0000009_0000009_0000",
        insert(9, (1, "a"), bucket=2 * BUCKET_0),
        {},
        "unknown codec version",
    ),
}


@pytest.mark.parametrize("stride", [10000, 0], ids=("with statistics", "without"))
@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN)
def test_files_of_other_versions_are_refused_with_the_reason(
    made: Sample, foreign: tuple[str, list[Event], dict[str, str], str], stride: int
) -> None:
    made.restore()
    folder, events, keys, reason = foreign
    (made.root / folder).mkdir()
    footer = {**exact_footer(events), **keys}
    path = made.root / folder / "bucket_00000"
    write_file(made.spark, path, ROW_TYPE, events, footer=footer, row_index_stride=stride)
    assert reason in made.check_refused(STATEMENTS["SELECT"], folder, LAYOUT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_a_random_fault_of_storage_is_an_error_or_changes_nothing(made: Sample, seed: int) -> None:
    """ORC itself has no checksums: where storage keeps none either, other bytes may read as other values."""
    made.restore()
    chance = random.Random(seed)
    path = made.root / chance.choice(sorted(p for p in made.pristine.rglob("bucket_*"))).relative_to(made.pristine)
    size = path.stat().st_size
    if chance.random() < 0.3:
        cut(path, chance.randrange(1, size))
    else:
        position = chance.randrange(size)
        overwrite(path, position, bytes([path.read_bytes()[position] ^ 1 << chance.randrange(8)]))
    try:
        found = made.select()
    except Exception as error:  # noqa: BLE001 (as above)
        assert CORRUPT in str(error), error
        assert path.name in str(error)
    else:
        assert found == list(made.rows)
