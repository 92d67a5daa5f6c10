"""A shop with three tables, of which Ada and Bo are to be erased."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from doubles.memory_metastore import MemoryMetastore
from hive_acid.model.table import Column, Partition, TableDescription, TableName
from hive_acid_erasure.certificate.certifying import Case
from hive_acid_erasure.certificate.signing import Signer
from hive_acid_erasure.find.world import World
from hive_acid_erasure.plan.plan_parsing import build_plan
from hive_acid_erasure.run import Outcome, erase_subjects, verify_subjects
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.subjects import build_subjects
from support.erasure_disk import Disk
from support.memory_file_system import MemoryFileSystem

SALES, PEOPLE, NOTES = TableName("shop", "sales"), TableName("shop", "people"), TableName("shop", "notes")
SUBJECTS = ("ada.lovelace@example.org", "bo.derek@example.org")
OTHER = "Cyd.Charisse@example.org"
FULL_ACID = {"transactional": "true"}


class Clock:
    """Time that passes while somebody waits."""

    now_ms = 1_700_000_000_000

    def __call__(self) -> int:
        self.now_ms += 1
        return self.now_ms

    def pause(self, ms: int) -> None:
        self.now_ms += ms


@dataclass
class Shop:
    """Everything of a test. `told` is what was shown."""

    folder: Path
    key: HashKey
    signer: Signer
    metastore: MemoryMetastore
    files: MemoryFileSystem
    disk: Disk
    plan: dict[str, Any]
    told: list[str] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    engine: Any = None

    def world(self) -> World:
        engine = self.engine or self.disk
        clock = self.clock
        return World(engine, self.metastore, self.files, clock, clock.pause, self.told.append, 10_000)

    def case(self, kind: str = "erasure", subjects: Any = SUBJECTS) -> Case:
        plan = build_plan(self.plan)
        return Case(kind, plan, build_subjects(subjects, plan.subject_columns), self.key, "0.1.0")

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.json"

    def erase(self) -> Outcome:
        return erase_subjects(self.case(), self.world(), self.ledger, self.signer, self.certificate)

    def verify(self) -> Outcome:
        return verify_subjects(self.case("verification"), self.world())

    def kinds(self, outcome: Outcome) -> set[str]:
        return {place.kind.value for place in outcome.verdict.places}


def add_table(metastore: MemoryMetastore, name: TableName, partition_column: str | None = None) -> str:
    location = f"/warehouse/{name.table}"
    columns = (Column("email", "string"), Column("account", "string"))
    partition_columns = (Column(partition_column, "string"),) if partition_column else ()
    metastore.add_table(TableDescription(name, location, columns, partition_columns, parameters=dict(FULL_ACID)))
    return location


def open_shop(tmp_path: Path, folder: Path) -> Shop:
    folder.mkdir()
    key = HashKey.read(tmp_path / "keys" / "hash.key")
    signer = Signer.read(tmp_path / "keys" / "signing.key")
    settings = {"metastore.compactor.cleaner.on": "true", "hive.compactor.cleaner.on": "true"}
    metastore, files = MemoryMetastore(settings=settings), MemoryFileSystem()
    disk = Disk(key, metastore, files)
    add_table(metastore, SALES, "day")
    for day in ("day=1", "day=2"):
        metastore.add_partition(SALES, Partition(day, (day[4:],), f"/warehouse/sales/{day}"))
    rows = [{"email": email} for email in (SUBJECTS[0], OTHER)]
    disk.put("/warehouse/sales/day=1/delta_0000001_0000001_0000/bucket_00000", *rows)
    disk.put("/warehouse/sales/day=2/delta_0000001_0000001_0000/bucket_00000", {"email": OTHER})
    add_table(metastore, PEOPLE)
    people = [{"email": SUBJECTS[1].upper(), "account": "a-17"}, {"email": OTHER, "account": "a-18"}]
    disk.put("/warehouse/people/base_0000001/bucket_00000", *people)
    add_table(metastore, NOTES)
    disk.put("/warehouse/notes/base_0000001/bucket_00000", {"account": "a-17"}, {"account": "a-18"})
    lowered = [{"email": "lower(email)"}, {"email": "email"}]
    plan = {
        "subjects": ["email"],
        "tables": {
            "shop.people": {"keys": lowered},
            "shop.sales": {"keys": {"email": "email"}},
            "shop.notes": {
                "keys": {"account": "account"},
                "via": [{"table": "shop.people", "keys": lowered, "link": {"account": "account"}}],
            },
        },
    }
    return Shop(folder, key, signer, metastore, files, disk, plan)
