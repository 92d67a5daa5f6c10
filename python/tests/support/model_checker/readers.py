"""A query of ours that holds its snapshot, and reads it more than once."""

from __future__ import annotations

from hive_acid.errors import HiveAcidError
from hive_acid.reading.read_transaction import ReadTransaction
from support.conditions import main_condition
from support.model_checker.actors import Actor
from support.model_checker.clients import SparkClient
from support.model_checker.engine import read_table
from support.model_checker.rows import Rows, Violation, show
from support.model_checker.world import TABLE, World

LOST = ("HIVE_ACID_SNAPSHOT_UNAVAILABLE", "HIVE_ACID_TABLE_CHANGED")
"""The errors by which a reader may be told that its snapshot cannot be read any more."""


class SparkReader(Actor):
    """Reads the table twice under one snapshot: the same rows, of a serial order of what had been committed then."""

    bears = ()

    def __init__(self, world: World, number: int) -> None:
        super().__init__(world, number)
        self.client = SparkClient(world, number)

    def act(self) -> None:
        transaction = ReadTransaction(self.client.warehouse, self.client.settings)
        try:
            transaction.read_together([TABLE])
            first = self._read(transaction)
            if first not in self.world.snapshot_states[self.number]:
                raise Violation(f"a query reads {first}, which was no state when it took its snapshot")
            second = self._read(transaction)
        except HiveAcidError as error:
            if not self.world.is_struck(self.number) and main_condition(error) not in self.bears:
                raise Violation(f"a query failed by {error}") from error
        else:
            if first != second:
                raise Violation(f"a query reads {first}, and then {second}")
        finally:
            transaction.end()

    def _read(self, transaction: ReadTransaction) -> Rows:
        return show(read_table(transaction, TABLE, self.world.setting.is_partitioned, self.client.files))
