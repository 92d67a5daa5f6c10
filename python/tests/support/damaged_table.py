"""A table of inserts and deletes whose files are damaged, and the ways to damage a file."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from support.acid_files import Event, bucket_property, delete, insert

TABLE = "damaged.rows"
CORRUPT, LAYOUT = "HIVE_ACID_CORRUPT_FILE", "HIVE_ACID_UNSUPPORTED_LAYOUT"
ROW_TYPE = "struct<id:int,name:string>"
FIRST, SECOND = "delta_0000001_0000001_0000", "delta_0000002_0000002_0000"
DELETES, LATER_DELETES = "delete_delta_0000003_0000003_0000", "delete_delta_0000004_0000004_0000"
FOLDERS = (FIRST, SECOND, DELETES, LATER_DELETES)
FILES = (f"{FIRST}/bucket_00000", f"{DELETES}/bucket_00000")
STATEMENTS = {
    "SELECT": f"SELECT * FROM {TABLE}",
    "UPDATE": f"UPDATE {TABLE} SET name = 'new' WHERE id > 3",
    "DELETE": f"DELETE FROM {TABLE} WHERE id > 3",
    "MERGE": f"MERGE INTO {TABLE} t USING (SELECT 7 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
}


@dataclass(frozen=True)
class Sample:
    """A table of two inserts into two buckets and two deletes; `root` is its folder, `pristine` a copy of that."""

    spark: SparkSession
    client: ThriftMetastore
    root: Path
    pristine: Path
    rows: tuple[tuple[Any, ...], ...]

    def restore(self) -> None:
        """Puts the files back as they were, times of change included."""
        shutil.rmtree(self.root)
        shutil.copytree(self.pristine, self.root)

    def select(self) -> list[tuple[Any, ...]]:
        """All rows."""
        return [tuple(row) for row in self.spark.sql(f"SELECT * FROM {TABLE} ORDER BY id").collect()]

    def check_refused(self, statement: str, file: str, *conditions: str) -> str:
        """Raises AssertionError unless the statement fails by one of the conditions and names the file, and leaves
        nothing. The error's text."""
        before = sorted(self.root.rglob("*")), self._write_ids()
        with pytest.raises(Exception) as raised:
            self.spark.sql(statement).collect()
        text = str(raised.value)
        assert any(condition in text for condition in conditions), text
        assert file in text
        after = sorted(self.root.rglob("*")), self._write_ids()
        assert after[0] == before[0]
        assert after[1] == before[1], "the transaction is not aborted"
        return text

    def _write_ids(self) -> frozenset[int]:
        """The table's write IDs that somebody has open."""
        name = TableName("damaged", "rows")
        lists = self.client.valid_write_ids([name], self.client.valid_transactions(0))
        return lists[name].open


def text_of(number: int) -> str:
    """A text that does not compress well."""
    return sha256(str(number).encode()).hexdigest()


def content() -> dict[str, dict[str, list[Event]]]:
    """The table's folders: two inserts of IDs 0 to 79 and 80 to 159 into two buckets each, and two deletes."""
    folders: dict[str, dict[str, list[Event]]] = {folder: {} for folder in FOLDERS}
    for bucket in (0, 1):
        code, file = bucket_property(bucket), f"bucket_{bucket:05d}"
        for write_id, folder in ((1, FIRST), (2, SECOND)):
            first = (2 * write_id - 2 + bucket) * 40
            rows = [(number, text_of(number)) for number in range(first, first + 40)]
            folders[folder][file] = insert(write_id, *rows, bucket=code)
        for write_id, folder in ((3, DELETES), (4, LATER_DELETES)):
            # 40 is a multiple of 5, so an ID and its row ID have the same remainder
            victims = [(of, row_id) for of in (1, 2) for row_id in range(40) if row_id % 5 == write_id - 2]
            folders[folder][file] = delete(write_id, *victims, bucket=code)
    return folders


def commit_write_ids(client: ThriftMetastore, least: int) -> None:
    """Until the table's write IDs are committed up to `least`."""
    name = TableName("damaged", "rows")
    reached = 0
    while reached < least:
        txn_id = client.open_transaction("somebody", "here", "another writer")
        reached = client.allocate_write_id(txn_id, name)
        client.commit(txn_id)


def checksum_file(path: Path) -> Path:
    """The file that Hadoop's local file system keeps beside another one."""
    return path.with_name(f".{path.name}.crc")


def cut(path: Path, length: int) -> None:
    """The first bytes of the file alone, as after a crash: without a checksum that tells."""
    checksum_file(path).unlink()
    with path.open("r+b") as file:
        file.truncate(length)


def overwrite(path: Path, position: int, content: bytes) -> None:
    """Other bytes within the file, whose checksums stay."""
    with path.open("r+b") as file:
        file.seek(position)
        file.write(content)


def put(source: Path, target: Path) -> None:
    """A file in another one's place, with its checksums."""
    shutil.copy(source, target)
    shutil.copy(checksum_file(source), checksum_file(target))
