"""The clients' ends of a world: each call is a step of the run, and transactions are somebody's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hive_acid import config
from hive_acid.config import Settings
from hive_acid.execution.executor import Executor
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.locks import OUR_AGENT, Identity, Timing
from hive_acid.transactions.manager import TransactionManager
from support.model_checker.operations import find_serial_states
from support.model_checker.world import LOCK_TIMEOUT_MS, START, World
from support.statements import StillHeartbeat


class Watched:
    """The metastore or the file system of one client: each call is a step of the run."""

    def __init__(self, world: World, real: Any, number: int) -> None:
        self._world = world
        self._real = real
        self._number = number

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        if not callable(real):
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            run = self._world.run
            if run is None:  # the client is being made
                return real(*args, **kwargs)
            return run.call(self._number, name, args, lambda: real(*args, **kwargs))

        self.__dict__[name] = call
        return call


class OwnedMetastore(Watched):
    """Whose transactions are the client's."""

    def __init__(self, world: World, client: int) -> None:
        super().__init__(world, world.memory, client)
        self.open_transaction = self._owning("open_transaction")
        self.open_compaction = self._owning("open_compaction")
        self.valid_transactions = self._noting_states()
        self.commit = self._noting_commits()

    def _noting_commits(self) -> Callable[[int], None]:
        asked = super().__getattr__("commit")

        def commit(txn_id: int) -> None:
            asked(txn_id)
            self._world.note_commits()

        return commit

    def _noting_states(self) -> Callable[[int], Any]:
        """What a reader that takes its snapshot now may read."""
        asked = super().__getattr__("valid_transactions")

        def valid_transactions(own_txn_id: int) -> Any:
            seen = asked(own_txn_id)
            if self._world.run is not None:
                states = find_serial_states(START, self._world.find_committed())
                self._world.snapshot_states[self._number] = states
            return seen

        return valid_transactions

    def _owning(self, method: str) -> Callable[..., int]:
        opened = super().__getattr__(method)

        def open_(*args: Any) -> int:
            txn_id: int = opened(*args)
            self._world.note_opened(self._number, txn_id)
            return txn_id

        return open_


@dataclass
class SparkClient:
    """One of our own sessions: the project's executor on the client's metastore and files."""

    world: World
    number: int

    def __post_init__(self) -> None:
        self.metastore = OwnedMetastore(self.world, self.number)
        self.files = Watched(self.world, self.world.files, self.number)
        self.pause_ms = self.world.pause_of(self.number)
        clock = self.world.clock
        timing = Timing(clock, self.pause_ms, self.pause_ms)
        settings = self.settings = Settings({config.LOCK_TIMEOUT_MS.key: str(LOCK_TIMEOUT_MS)})
        identity = Identity(f"user{self.number}", "host", OUR_AGENT)
        self.transactions = TransactionManager(self.metastore, identity, settings, timing)
        beat = self.transactions.heartbeat
        self.transactions.heartbeat = StillHeartbeat(self.metastore, beat.timeout_ms, clock)
        self.warehouse = Warehouse(self.metastore, self.files, self.transactions)
        self.executor = Executor(self.warehouse, settings, self.pause_ms)
