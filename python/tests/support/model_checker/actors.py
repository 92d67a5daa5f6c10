"""Who works in a model: clients that each do a few things, and what of that must be seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from hive_acid.errors import HiveAcidError
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.model.table_identity import describe_analysed
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import DdlStatement, Overwrite, Statement
from support.conditions import main_condition
from support.model_checker.clients import SparkClient
from support.model_checker.effects import Effect, drop_partition
from support.model_checker.engine import RowEngine
from support.model_checker.operations import Operation, Stand
from support.model_checker.rows import Violation
from support.model_checker.world import LOCATION, TABLE, World


class Actor(ABC):
    """A client of a model, made anew for each run. `bears` are the conditions that it may fail by without a fault."""

    bears: tuple[str, ...] = ()

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.number = number

    @abstractmethod
    def act(self) -> None:
        """All that it does."""

    @property
    def _from_the_dead(self) -> tuple[str, ...]:
        """How it may fail because of what a client has left that was killed: half of a DROP PARTITION."""
        return ("HIVE_ACID_FOLDER_NOT_EMPTY",) if self.world.run is not None and self.world.run.faults else ()

    @contextmanager
    def doing(self, operation: Operation) -> Iterator[None]:
        """Within it the operation is carried out; an error says that it was not."""
        self.world.begin(self.number, operation)
        try:
            yield
        except HiveAcidError as error:
            # of a change that cannot be undone the error says that it was made
            operation.stand = Stand.DONE if operation.is_effective else Stand.FAILED
            if not self.world.is_struck(self.number) and main_condition(error) not in (
                *self.bears,
                *self._from_the_dead,
            ):
                raise Violation(f"{operation} failed by {error}") from error
        else:
            operation.stand = Stand.DONE
        finally:
            self.world.running.pop(self.number, None)


class SparkStatement(Actor):
    """A statement of ours by itself."""

    def __init__(self, world: World, number: int, effect: Effect) -> None:
        super().__init__(world, number)
        self.client = SparkClient(world, number)
        self.operation = Operation((effect,))
        if effect.kind is StatementKind.TRUNCATE and effect.partition is not None:  # another may have dropped it
            self.bears = ("HIVE_ACID_PARTITION_NOT_FOUND",)

    def act(self) -> None:
        effect = self.operation.effects[0]
        statement = build_statement(self.world, effect)
        with self.doing(self.operation):
            self.client.executor.run(statement, build_engine(self.client, effect))


def build_statement(world: World, effect: Effect) -> Statement:
    """The statement of ours that has this effect, analysed on the table as it is at the beginning."""
    overwrite = None
    if effect.kind in (StatementKind.OVERWRITE, StatementKind.TRUNCATE):
        overwrite = Overwrite(() if effect.partition is None else (f"d={effect.partition}",))
    return Statement(
        kind=effect.kind,
        writes=effect.writes,
        target=TABLE,
        sources=(TABLE,) if effect.kind.changes_rows else (),
        time_zone="UTC",
        parallelism=2,
        analysed=(describe_analysed(world.first_table),),
        overwrite=overwrite,
    )


def build_engine(client: SparkClient, effect: Effect) -> RowEngine:
    """That of the client."""
    world = client.world
    snapshots = client.executor.snapshots
    return RowEngine(effect, TABLE, world.setting.is_partitioned, client.files, world.files, snapshots)


class SparkTransaction(Actor):
    """A transaction of several statements of ours, each of which sees what those before it wrote."""

    bears = ("HIVE_ACID_WRITE_CONFLICT", "HIVE_ACID_TABLE_CHANGED", "HIVE_ACID_SNAPSHOT_UNAVAILABLE")
    """It is never run again: the statements before were answered."""
    asks_for_locks_again = True

    def __init__(self, world: World, number: int, *effects: Effect) -> None:
        super().__init__(world, number)
        self.client = SparkClient(world, number)
        self.operation = Operation(effects)
        world.may_deadlock |= self.asks_for_locks_again

    def act(self) -> None:
        with self.doing(self.operation):
            executor = self.client.executor
            transaction = executor.begin_transaction({})
            try:
                for effect in self.operation.effects:
                    statement = build_statement(self.world, effect)
                    executor.run_within(transaction.token, statement, build_engine(self.client, effect))
            except BaseException as error:
                executor.end_transaction(transaction, error)
                raise
            executor.end_transaction(transaction, None)


class SparkTogether(SparkTransaction):
    """Statements of ours that run as one: INSERTs from one source."""

    bears = ()
    asks_for_locks_again = False

    def act(self) -> None:
        effects = self.operation.effects
        pairs = [(build_statement(self.world, one), build_engine(self.client, one)) for one in effects]
        with self.doing(self.operation):
            self.client.executor.run_together(pairs)


class SparkDropPartition(Actor):
    """ALTER TABLE … DROP PARTITION (d=1) of ours: the metastore forgets the partition, and then its folder goes."""

    def __init__(self, world: World, number: int) -> None:
        super().__init__(world, number)
        self.client = SparkClient(world, number)
        self.operation = Operation((drop_partition(1),))

    def act(self) -> None:
        statement = DdlStatement(DdlKind.DROP_PARTITION, (TABLE,), (("d=1",),))
        with self.doing(self.operation):
            DdlExecutor(self.client.warehouse, self.client.settings).run(statement, self._drop)

    def _drop(self) -> None:
        """IF EXISTS."""
        try:
            self.client.metastore.remove_partition(TABLE, "d=1")
        except KeyError:
            return
        self.operation.is_effective = True
        self.world.note_commits()
        self.client.files.delete_tree(f"{LOCATION}/d=1")
