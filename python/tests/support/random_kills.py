"""Drivers that end at random moments of random statements, several at a time, each on a table of its own.

They are killed, or they end as programs do (`PROGRAMS_END`): then nothing of them is open when the process is gone. A
table is struck again only after the transactions of its dead have timed out. Until then others are.
"""

from __future__ import annotations

import itertools
import logging
import random
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hive_acid.model.table import TableName
from support.drivers import SHARED_TRIALS, Drivers, Table, wait_until
from support.mutations import BUCKETED, MUTATIONS, TRUNCATIONS, Mutation, Rows
from support.session_process import SessionProcess, StatementFailed
from support.spark_settings import SHORT_LIVED

LOG = logging.getLogger(__name__)
LAYOUTS = ("flat", "partitioned", "bucketed")
STATEMENTS = (*MUTATIONS, *BUCKETED, *TRUNCATIONS)
SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "700m",
    "spark.hiveacid.lock.pollMaxMs": "200",
    "spark.hiveacid.lock.timeoutMs": "60000",
}
LATER, EARLIER = 1.04, 0.9
"""How the latest moment of a kill moves after a statement that was struck, and after one that had returned.

So a quarter of the statements return in time on any machine, and the others are struck at every point of their way.
"""
FIRST_SECONDS = 6.0
PROGRAMS_END = ("sys.exit", "an exception", "spark.stop")
"""Ways of a program's own, each of which ends its statements first."""
DIES = ("SIGTERM", "SIGKILL")
"""Python does nothing more: transactions time out."""
ENDS = ("returned", "struck, done", "struck, undone")
"""Its client was told that a statement is done; it was struck, and is visible; it was struck, and is not."""


def layout_of(mutation: Mutation) -> str:
    """The layout of the tables it is for."""
    return "partitioned" if mutation.is_partitioned else "bucketed" if mutation.is_bucketed else "flat"


@dataclass
class Target:
    """A table whose rows are known; `trials` counts the statements that have had rows of their own."""

    table: Table
    layout: str
    rows: Rows
    trials: int = 0
    is_replaced: bool = False

    @property
    def is_used_up(self) -> bool:
        """True if there are no rows left for another statement."""
        return self.trials == SHARED_TRIALS or self.is_replaced

    def next_numbers(self) -> range:
        """Two rows that no statement has touched."""
        self.trials += 1
        return range(2 * self.trials - 2, 2 * self.trials)


@dataclass(frozen=True)
class Strike:
    """A statement on its way: what the table holds if it counts, and if it does not."""

    target: Target
    mutation: Mutation
    before: Rows
    after: Rows
    answer: Future[list[tuple[Any, ...]]]

    @property
    def has_returned(self) -> bool:
        """True if its client was told that it is done."""
        return self.answer.done() and self.answer.exception() is None

    @property
    def is_cancelled(self) -> bool:
        """True if its client was told that nothing of it is visible."""
        failure = self.answer.exception() if self.answer.done() else None
        return isinstance(failure, StatementFailed) and failure.condition == "HIVE_ACID_CANCELLED"

    def judge(self, found: Rows) -> None:
        """Wholly visible, or not at all; what returned is, and what was cancelled is not."""
        allowed = (
            [self.after] if self.has_returned else [self.before] if self.is_cancelled else [self.before, self.after]
        )
        assert found in allowed, f"{self.mutation} on {self.target.table.name}: {found} is none of {allowed}"
        self.target.rows = found
        if found == self.after and self.mutation.name.startswith(("overwrite", "truncate")):
            self.target.is_replaced = True


_NUMBERS = itertools.count()
"""Of tables and sessions: tests of one process share a metastore."""


@dataclass
class Kills:
    """Ends one driver after the other; `seed` makes the choices."""

    drivers: Drivers
    seed: int
    statements: int
    """Struck by each end."""
    ends: Sequence[str] = ("SIGKILL",)
    groups: int = 4
    """Sets of tables, of which one is struck while the dead of the others time out."""
    happened: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._latest_seconds = FIRST_SECONDS
        self._waiting: deque[list[Target]] = deque()

    def run(self, kills: int) -> None:
        """All of them."""
        for _ in range(self.groups):
            layouts = itertools.islice(itertools.cycle(LAYOUTS), self.statements)
            self._waiting.append([self._create(layout) for layout in layouts])
        with warm_sessions(self.drivers, kills) as sessions:
            for number, session in enumerate(sessions):
                targets = [self._prepare(target) for target in self._waiting.popleft()]
                self._strike(session, targets)
                self._waiting.append(targets)
                counts = {kind: self.happened[kind] for kind in ENDS}
                LOG.info("kill %d of %d, up to %.1f s: %s", number + 1, kills, self._latest_seconds, counts)
        for targets in self._waiting:
            for target in targets:
                self._prepare(target)
        wait_until(lambda: not self.drivers.open_transactions(), "all transactions have ended")
        assert self.drivers.client.held_locks() == []

    def _strike(self, session: SessionProcess, targets: Sequence[Target]) -> None:
        """Starts a statement on each, kills the driver some time later, and reads at once what there is."""
        strikes = [self._begin(session, target) for target in targets]
        time.sleep(self._chance.uniform(0, self._latest_seconds))  # the moment is what is tried
        returned = [strike.answer.done() for strike in strikes]
        self._end(session, targets)
        for strike, has_ended in zip(strikes, returned, strict=True):
            if has_ended:
                strike.answer.result()  # nothing fails by itself
        for strike, has_returned in zip(strikes, returned, strict=True):
            wait_until(strike.answer.done, "the dead answer nothing")
            strike.judge(strike.target.table.rows())
            found = strike.target.rows
            kind = ENDS[0 if has_returned else 1 if found == strike.after else 2]
            self._latest_seconds *= EARLIER if has_returned else LATER
            self.happened[kind] += 1
            self.happened[f"{strike.mutation} {kind}"] += 1

    def _end(self, session: SessionProcess, targets: Sequence[Target]) -> None:
        way = self._chance.choice(self.ends)
        self.happened[way] += 1
        if way == "SIGKILL":
            session.kill()
            return
        said = session.end(way)
        if way in PROGRAMS_END:
            assert not [lock for target in targets for lock in target.table.locks()], f"{way} leaves locks: {said}"
            assert "HIVE_ACID" not in said, f"{way}: {said}"
            assert ("Traceback" in said) == (way == "an exception"), f"{way}: {said}"
            assert said.count("Traceback") <= 1, said

    def _begin(self, session: SessionProcess, target: Target) -> Strike:
        mutation = self._chance.choice([choice for choice in STATEMENTS if layout_of(choice) == target.layout])
        numbers = target.next_numbers()
        text = mutation.text(target.table.name, numbers)
        return Strike(target, mutation, target.rows, mutation.effect(target.rows, numbers), session.submit(text))

    def _prepare(self, target: Target) -> Target:
        """Once its dead have timed out: nothing has changed, nothing is open, and a statement of another works."""
        target.table.wait_for_locks()
        assert target.table.rows() == target.rows, f"{target.table.name} has changed since"
        if not target.is_used_up:
            change = next(choice for choice in STATEMENTS if choice.name.startswith("update-" + target.layout[:4]))
            numbers = target.next_numbers()
            assert self.drivers.attempt(change.text(target.table.name, numbers)) == len(numbers)
            target.rows = change.effect(target.rows, numbers)
        if not target.is_used_up:
            return target
        self.drivers.reader.sql(f"DROP TABLE {target.table.name}")
        return self._create(target.layout)

    def _create(self, layout: str) -> Target:
        """A table with rows for all its trials."""
        name = f"struck_{next(_NUMBERS)}"
        more = {"flat": "", "partitioned": "PARTITIONED BY (d INT)", "bucketed": "CLUSTERED BY (v) INTO 3 BUCKETS"}
        columns = "int(id), 0, int(id % 2)" if layout == "partitioned" else "int(id), 0"
        sql = self.drivers.reader.sql
        sql(f"CREATE TABLE {name} (id INT, v INT) {more[layout]} STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        sql(f"INSERT INTO {name} SELECT {columns} FROM range(0, {2 * SHARED_TRIALS}, 1, 1)")
        table = Table(self.drivers, TableName("default", name))
        return Target(table, layout, table.rows())


@contextmanager
def warm_sessions(drivers: Drivers, number: int) -> Iterator[Iterator[SessionProcess]]:
    """So many sessions that have run statements, one after the other; the next two are made ready meanwhile."""

    def start() -> SessionProcess:
        folder = drivers.scratch / f"victim-{next(_NUMBERS)}"
        session = SessionProcess(
            folder, drivers.metastore.uri, drivers.metastore.warehouse, {**SHORT_LIVED, **SETTINGS}
        )
        session.sql("UPDATE warm SET v = v + 1 WHERE id = 1")
        return session

    sql = drivers.reader.sql
    sql("CREATE TABLE IF NOT EXISTS warm (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    sql("INSERT OVERWRITE warm VALUES (1, 0)")
    with ThreadPoolExecutor(2) as pool:
        ready: deque[Future[SessionProcess]] = deque(pool.submit(start) for _ in range(min(2, number)))

        def each() -> Iterator[SessionProcess]:
            for turn in range(2, number + 2):
                session = ready.popleft().result()
                if turn < number:
                    ready.append(pool.submit(start))
                yield session

        try:
            yield each()
        finally:
            for future in ready:
                future.result().close()
