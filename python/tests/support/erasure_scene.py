"""A table of each kind, a person in it, and files that name them, for tests that hide these from an erasure."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import orc, parquet
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from hive_acid_erasure.certificate.signing import make_keys
from hive_acid_erasure.run import Outcome
from hive_acid_erasure.verify.places import Place

ADA, PHONE = "ada.lovelace@example.org", 447700900123
OTHER = "zoe.quinn@example.org"
"""As long as the name of nobody, and greater than ADA."""
COLUMNS = (
    "id INT, email STRING, phone BIGINT, contact STRUCT<email: STRING>, attributes MAP<STRING, STRING>, "
    "tags ARRAY<STRING>"
)
SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("email", pa.string()),
        ("phone", pa.int64()),
        ("contact", pa.struct([("email", pa.string())])),
        ("attributes", pa.map_(pa.string(), pa.string())),
        ("tags", pa.list_(pa.string())),
    ]
)
NOBODY = {"id": 9, "email": OTHER, "phone": 1, "contact": {"email": "x"}, "attributes": [("y", "w")], "tags": ["z"]}
WAYS: dict[str, dict[str, Any]] = {
    "column": {"email": ADA.title()},
    "number": {"phone": PHONE},
    "field": {"contact": {"email": ADA}},
    "map key": {"attributes": [("b", "c"), (ADA, "d")]},
    "element": {"tags": ["b", ADA]},
}
"""The columns by which a row names Ada, each by another key."""
_KEYS = ("lower(email)", "contact.email", "map_keys(attributes)", "tags")


@dataclass(frozen=True)
class Layout:
    """A kind of table."""

    form: str = "ORC"
    more: str = ""
    properties: str = "'transactional'='true'"
    is_converted: bool = False

    @property
    def partition(self) -> str:
        """The folder of its rows below the table's, with a slash; empty for a flat one."""
        return "day=mon/" if "PARTITIONED" in self.more else ""

    @property
    def is_full(self) -> bool:
        """True if its rows have IDs."""
        return self.properties == "'transactional'='true'"

    @property
    def is_plain(self) -> bool:
        """True if it is of plain Hive."""
        return "'transactional'='true'" not in self.properties


_INSERT_ONLY = "'transactional'='true', 'transactional_properties'='insert_only'"
_PLAIN = "'made.by'='nobody'"
_BY_DAY, _BUCKETED = "PARTITIONED BY (day STRING)", "CLUSTERED BY (id) INTO 2 BUCKETS"
LAYOUTS = {
    "full-flat": Layout(),
    "full-bucketed": Layout(more=_BUCKETED),
    "full-partitioned": Layout(more=_BY_DAY),
    "full-partitioned-bucketed": Layout(more=f"{_BY_DAY} {_BUCKETED}"),
    "full-originals": Layout(is_converted=True),
    "insert-only-orc": Layout(properties=_INSERT_ONLY),
    "insert-only-parquet": Layout("PARQUET", _BY_DAY, _INSERT_ONLY),
    "insert-only-bucketed": Layout("ORC", _BUCKETED, _INSERT_ONLY),
    "plain-orc": Layout("ORC", _BY_DAY, _PLAIN),
    "plain-parquet": Layout("PARQUET", "", _PLAIN),
}


def write_flat(path: Path, row: dict[str, Any], form: str, names: Sequence[str] = tuple(SCHEMA.names)) -> Path:
    """A file of one row with the table's columns alone, uncompressed, as any writer may leave one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([row], SCHEMA).rename_columns(list(names))
    if form == "ORC":
        orc.write_table(table, path, compression="uncompressed")
    else:
        parquet.write_table(table, path, compression="none", use_dictionary=False)
    return path


def spell_row(row: dict[str, Any]) -> str:
    """The row as a SELECT."""
    attributes = ", ".join(f"'{key}', '{value}'" for key, value in row["attributes"])
    tags = ", ".join(f"'{tag}'" for tag in row["tags"])
    return (
        f"SELECT {row['id']}, '{row['email']}', {row['phone']}L, named_struct('email', '{row['contact']['email']}'), "
        f"map({attributes}), array({tags})"
    )


@dataclass
class Scene:
    """The table `people`, and `donor`, another of its kind whose files name Ada in every way."""

    spark: SparkSession
    client: ThriftMetastore
    layout: Layout
    database: str
    folder: Path
    donated: dict[str, Path] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    """More tables of an erasure."""

    @property
    def people(self) -> TableName:
        """The table that is searched."""
        return TableName(self.database, "people")

    @property
    def root(self) -> Path:
        """Its folder."""
        return Path(self.client.table(self.people).location.removeprefix("file:"))

    @property
    def hash_key(self) -> bytes:
        """The secret of the hashes."""
        return bytes.fromhex((self.folder / "keys" / "hash.key").read_text())

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        """Rows of a statement."""
        return [tuple(row) for row in self.spark.sql(text).collect()]

    def insert(self, table: str, row: dict[str, Any]) -> None:
        """One row, into the partition that all are in."""
        partition = "PARTITION (day = 'mon')" if self.layout.partition else ""
        self.sql(f"INSERT INTO {self.database}.{table} {partition} {spell_row(row)}")

    def plan(self) -> dict[str, Any]:
        """The tables and columns of an erasure."""
        keys = [*({"email": key} for key in _KEYS), {"phone": "phone"}]
        tables = (self.people, *(TableName(self.database, name) for name in self.others))
        return {"tables": {str(table): {"keys": keys} for table in tables}, "columns": ["email", "phone"]}

    def erase(self, name: str = "first") -> Outcome:
        """Erases Ada by a ledger of that name."""
        return hive_acid.erase(
            self.spark,
            subjects=[(ADA, PHONE)],
            hash_key=self.hash_key,
            signing_key=self.folder / "keys" / "signing.key",
            ledger=self.folder / f"{name}.ledger",
            certificate=self.folder / f"{name}.json",
            **self.plan(),
        )

    def verify(self) -> Outcome:
        """Searches for Ada."""
        return hive_acid.verify(self.spark, subjects=[(ADA, PHONE)], hash_key=self.hash_key, **self.plan())

    def recheck(self, name: str = "first") -> list[Place]:
        """What is found by the certificate."""
        found = hive_acid.verify_certificate(
            self.spark, self.folder / f"{name}.json", self.hash_key, self.folder / "keys" / "signing.pub"
        )
        return [place for table in found for place in table.places]

    def create(self, table: str) -> None:
        """An empty table of the kind."""
        layout = self.layout
        properties = _PLAIN if layout.is_converted else layout.properties
        self.sql(
            f"CREATE TABLE {self.database}.{table} ({COLUMNS}) {layout.more} STORED AS {layout.form} "
            f"TBLPROPERTIES ({properties})"
        )

    def fill(self) -> None:
        """The table with rows of Ada and of somebody else."""
        self.create("people")
        rows = [NOBODY, {**NOBODY, "id": 1, **WAYS["column"]}, {**NOBODY, "id": 2, **WAYS["element"]}]
        if self.layout.is_converted:
            for number, row in enumerate(rows):
                write_flat(self.root / f"00000{number}_0", row, self.layout.form)
            self.sql(f"ALTER TABLE {self.people} SET TBLPROPERTIES ('transactional'='true')")
            return
        for row in rows[:1] if self.layout.is_plain else rows:
            self.insert("people", row)

    def donate(self, way: str) -> Path:
        """A file of a real statement, whose one row names Ada in that way."""
        if not self.donated:
            self.create("donor")
        if way not in self.donated:
            self.donated[way] = self.folder / f"donated {way}"
            root = Path(self.client.table(TableName(self.database, "donor")).location.removeprefix("file:"))
            known = set(root.rglob("*"))
            self.insert("donor", {**NOBODY, **WAYS[way]})
            new = [path for path in set(root.rglob("*")) - known if path.is_file() and path.name[0] not in "._"]
            max(new, key=lambda path: path.stat().st_size).rename(self.donated[way])
        return self.donated[way]


@contextmanager
def open_scene(spark: SparkSession, client: ThriftMetastore, layout: Layout, folder: Path) -> Iterator[Scene]:
    """A scene in a database of its own, with its table filled."""
    database = f"scene_{uuid.uuid4().hex[:10]}"
    spark.sql(f"CREATE DATABASE {database}")
    make_keys(folder / "keys")
    scene = Scene(spark, client, layout, database, folder)
    try:
        scene.fill()
        yield scene
    finally:
        spark.sql(f"DROP DATABASE {database} CASCADE")
