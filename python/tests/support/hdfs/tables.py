"""Tables on HDFS that a statement changes while something happens to it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from support.drivers import Gate
from support.hdfs.cluster import HdfsServer
from support.mutations import Mutation, Rows
from support.session_process import SessionProcess

ROW_COUNT: Final = 100
BEFORE: Final[Rows] = [(n, 0, n % 2) for n in range(ROW_COUNT)]
"""The rows of a new table."""
NUMBERS: Final = range(10, 12)
"""Those that a statement changes."""
ACID: Final = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
_LIMIT_S: Final = 200


@dataclass
class HdfsTables:
    """Tables of a database, a session that writes them, and one that reads."""

    hdfs: HdfsServer
    session: SessionProcess
    reader: SessionProcess
    folder: Path
    database: str
    numbers: Iterator[int] = field(default_factory=itertools.count, kw_only=True)

    def create(self, mutation: Mutation) -> str:
        """A table for it with the rows BEFORE."""
        partitions = "PARTITIONED BY (d INT)" if mutation.is_partitioned else ""
        buckets = "CLUSTERED BY (v) INTO 2 BUCKETS" if mutation.is_bucketed else ""
        name = self.create_empty(f"{partitions} {buckets}")
        self.fill(name, is_partitioned=mutation.is_partitioned)
        return name

    def create_empty(self, clauses: str = "") -> str:
        """A table of the columns `id` and `v`."""
        name = self.new_name()
        self.session.sql(f"CREATE TABLE {name} (id INT, v INT) {clauses} {ACID}")
        return name

    def new_name(self) -> str:
        return f"{self.database}.t{next(self.numbers)}"

    def fill(self, name: str, *, is_partitioned: bool) -> None:
        rows = f"SELECT int(id), 0{', int(id % 2)' * is_partitioned} FROM range({ROW_COUNT})"
        self.session.sql(f"INSERT INTO {name} {rows}")

    def rows(self, name: str) -> Rows:
        """As a session sees them that wrote nothing."""
        found = self.reader.sql(f"SELECT * FROM {name}")
        return sorted((row[0], row[1], row[0] % 2 if len(row) < 3 else row[2]) for row in found)

    def gate(self) -> Gate:
        folder = self.folder / f"gate-{next(self.numbers)}"
        folder.mkdir()
        return Gate(folder)

    def path(self, name: str) -> str:
        """The table's folder, without the name service."""
        database, table = name.split(".")[-2:]
        return f"/warehouse/{database}.db/{table}"

    def assert_changes(self, mutation: Mutation) -> None:
        """The statement does what it says."""
        name = self.create(mutation)
        self.session.sql(mutation.text(name, NUMBERS))
        assert self.rows(name) == mutation.effect(BEFORE, NUMBERS)

    def assert_outlives(self, mutation: Mutation, strike: Callable[[], object]) -> None:
        """The same where something happens while a task of the statement waits."""
        name, gate = self.create(mutation), self.gate()
        running = self.session.submit(mutation.text(name, NUMBERS, f"gate('{gate}', id)"))
        gate.wait()
        strike()
        gate.open()
        running.result(_LIMIT_S)
        assert self.rows(name) == mutation.effect(BEFORE, NUMBERS)

    def assert_compacts(self, mutation: Mutation) -> None:
        """The rows stay, and lie in a base. Hive's own workers would be waited for; the base comes first."""
        name = self.create(mutation)
        self.session.sql(mutation.text(name, NUMBERS))
        self.session.sql(f"ALTER TABLE {name} COMPACT 'major'")
        assert self.rows(name) == mutation.effect(BEFORE, NUMBERS)
        assert any("/base_" in path for path in self.hdfs.tree(self.path(name)))
