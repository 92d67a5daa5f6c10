"""One transactional table as a Hive engine sees and changes it: the steps of which the interop tests are made."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from interop.hive_engine import HiveEngine

# Hive's own work is done when the state is "succeeded". The Cleaner of 4.x passes over a compaction as long as a
# transaction may have been opened beside it, which takes its metastore a second to rule out.
CLEANER_LIMIT_S = 15.0
WITHOUT_JOB = "Fetch Operator"
IN_A_JOB = "Map Operator Tree:"
# "Execution mode: vectorized" alone is said of row readers too whose rows are put into batches afterwards.
VECTORISED = "enabledConditionsMet: hive.vectorized.use.vectorized.input.format IS true"


class RowId(NamedTuple):
    """ROW__ID: the write ID, the bucket property (not the bucket's number), the row's number in the file's range."""

    write_id: int
    bucket: int
    row: int


def acid_table(engine: HiveEngine, name: str, columns: str, partitioned_by: str = "") -> "HiveTable":
    """A new, empty transactional table, created by Hive."""
    partitions = f"PARTITIONED BY ({partitioned_by})" if partitioned_by else ""
    engine.sql(f"CREATE TABLE {name} ({columns}) {partitions} STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    return HiveTable(engine, name)


@dataclass(frozen=True)
class HiveTable:
    """A table of `engine` by its name, `table` or `database.table`."""

    engine: HiveEngine
    name: str

    def rows_plain(self, columns: str = "*") -> list[tuple[Any, ...]]:
        """The rows as Hive's row reader gives them: a fetch without a job, in no order that is promised.

        Raises AssertionError if Hive plans a job instead.
        """
        query = f"SELECT {columns} FROM {self.name}"
        self.engine.sql("SET hive.fetch.task.conversion=more")
        plan = self._plan(f"EXPLAIN {query}")
        assert WITHOUT_JOB in plan and IN_A_JOB not in plan, f"not a fetch without a job: {query}\n{plan}"
        return self.engine.sql(query).rows

    def rows_vectorised(self, order_by: str, columns: str = "*") -> list[tuple[Any, ...]]:
        """The rows as Hive's vectorised reader gives them in a job, sorted.

        Raises AssertionError if Hive does not vectorise it.
        """
        query = f"SELECT {columns} FROM {self.name} ORDER BY {order_by}"
        self.engine.sql("SET hive.vectorized.execution.enabled=true")
        plan = self._plan(f"EXPLAIN VECTORIZATION {query}")
        assert IN_A_JOB in plan and VECTORISED in plan, f"not a vectorised job: {query}\n{plan}"
        return self.engine.sql(query).rows

    def rows_by_row_job(self, order_by: str, columns: str = "*") -> list[tuple[Any, ...]]:
        """The rows as Hive's row reader gives them in a job (with vectorisation off), sorted."""
        query = f"SELECT {columns} FROM {self.name} ORDER BY {order_by}"
        self.engine.sql("SET hive.vectorized.execution.enabled=false")
        try:
            return self.engine.sql(query).rows
        finally:
            self.engine.sql("SET hive.vectorized.execution.enabled=true")

    def check_rows(self, order_by: str, expected: Sequence[tuple[Any, ...]]) -> None:
        """Raises AssertionError unless the row reader and the vectorised one both return these rows.

        `order_by` is the first column; its values are not NULL and tell the rows apart.
        """
        assert sorted(self.rows_plain()) == expected
        assert self.rows_vectorised(order_by) == expected

    def row_ids(self, columns: str, *, vectorised: bool = False) -> dict[tuple[Any, ...], RowId]:
        """The ROW__ID of each row by the row's values of `columns`, which must tell the rows apart."""
        if vectorised:
            rows = self.rows_vectorised(columns, f"ROW__ID, {columns}")
        else:
            rows = self.rows_plain(f"ROW__ID, {columns}")
        ids = {row[1:]: RowId(*json.loads(row[0]).values()) for row in rows}
        assert len(ids) == len(rows), f"{columns} does not tell the rows of {self.name} apart: {rows}"
        return ids

    def insert(self, *rows: str) -> None:
        """Inserts rows written as Hive's VALUES, such as "(1, 'a')"."""
        self.engine.sql(f"INSERT INTO {self.name} VALUES {', '.join(rows)}")

    def delete(self, condition: str) -> None:
        """Deletes the rows that meet the condition."""
        self.engine.sql(f"DELETE FROM {self.name} WHERE {condition}")

    def compact_major(self, partition: str | None = None) -> dict[str, Any]:
        """See `compact`."""
        return self.compact("major", partition)

    def compact(self, kind: str, partition: str | None = None, *, may_be_refused: bool = False) -> dict[str, Any]:
        """A compaction ("minor", "major") of the table, or of a partition given as "key='value'", cleaned up by Hive.

        Returns its line of SHOW COMPACTIONS. Raises AssertionError if it does not end in the state "succeeded", or
        "refused" where it may be.
        """
        ends = ("succeeded", "refused") if may_be_refused else ("succeeded",)
        target = f"{self.name} PARTITION ({partition})" if partition else self.name
        known = {line["compactionid"] for line in self._compactions()}
        self.engine.sql(f"ALTER TABLE {target} COMPACT '{kind}'")
        self.engine.sql("!worker")
        limit = time.monotonic() + CLEANER_LIMIT_S
        while time.monotonic() < limit:
            self.engine.sql("!cleaner")
            (line,) = [line for line in self._compactions() if line["compactionid"] not in known]
            if line["state"] in ends:
                return line
        raise AssertionError(f"{kind} compaction of {target} did not succeed: {line}; the log is {self.engine.log}")

    def location(self) -> Path:
        """The table's folder."""
        lines = self.engine.sql(f"DESCRIBE FORMATTED {self.name}").rows
        (uri,) = [value.strip() for key, value, *_ in lines if key and key.strip() == "Location:"]
        return Path(unquote(urlsplit(uri).path))

    def files(self) -> list[str]:
        """The files of the table, relative to its folder, sorted, without checksum files and ACID markers."""
        root = self.location()
        found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        return sorted(str(path) for path in found if not path.name.startswith((".", "_")))

    def _compactions(self) -> list[dict[str, Any]]:
        return self.engine.sql("SHOW COMPACTIONS").dicts()[1:]  # the first row repeats the titles

    def _plan(self, statement: str) -> str:
        return "\n".join(str(row[0]) for row in self.engine.sql(statement).rows)
