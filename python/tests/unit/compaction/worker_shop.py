"""A worker in a world of memory, with an engine that makes empty files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.plan.engine import FoldingJob
from hive_acid.compaction.queue.worker import Worker
from hive_acid.config import Settings
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import WriteResult, WrittenFolder
from support.statements import TABLE, World, build_table

MAJOR, MINOR = CompactionKind.MAJOR, CompactionKind.MINOR
INSERT_ONLY = {"transactional": "true", "transactional_properties": "insert_only"}
ORC = "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"
READY, FAILED, REFUSED = CompactionState.READY, CompactionState.FAILED, CompactionState.REFUSED


@dataclass
class FakeCompactionEngine:
    """Makes the files that are asked for, with nothing in them."""

    world: World
    before: Callable[[], None] | None = None
    fails: BaseException | None = None
    specs: list[FoldingJob] = field(default_factory=list)

    def compact(self, spec: FoldingJob) -> WriteResult:
        self.specs.append(spec)
        if self.before:
            self.before()
        names = sorted({file.folder for file in spec.plan.files})
        job = spec.output
        for name in names:
            path = f"{name}/bucket_00000"
            if job.id:
                self.world.file_system.upload(job.id, job.root, "winner", f"{job.root}/{path}")
            else:
                self.world.file_system.add_file(f"{spec.staging}/{path}")
        if self.fails:
            raise self.fails
        return WriteResult(
            tuple(WrittenFolder(name, 1, 100, ("bucket_00000",), "", (100,), ("winner",)) for name in names)
        )


@dataclass
class Shop:
    """A worker in a world whose table has had two inserts."""

    line: MetastoreLine = MetastoreLine.HIVE_4
    settings: dict[str, str] = field(default_factory=dict)
    table: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.world = World(self.line)
        self.world.memory.add_table(build_table(**self.table))
        self.engine = FakeCompactionEngine(self.world)
        world, settings = self.world, Settings(self.settings)
        compactor = Compactor(world.metastore, world.file_system, self.engine, settings)
        self.worker = Worker(world.transactions, compactor, settings, "spark-host-1", "test")
        for _ in range(2):
            world.run(StatementKind.INSERT)
        self.before = world.folders()
        world.metastore.calls.clear()

    def request(self, kind: CompactionKind = MAJOR) -> None:
        assert self.world.memory.request_compaction(CompactionRequest(TABLE, kind)).accepted

    def entry(self) -> CompactionInfo:
        return self.world.memory.compactions()[0]
