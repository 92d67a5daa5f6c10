"""One exhibit in front of both engines: they must see the same rows, whoever wrote last."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from interop.gallery.exhibit import Exhibit, Row, Workshop
from interop.gallery.tour import Step
from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable


class Visit:
    """An exhibit that has been made in a table of its own."""

    def __init__(
        self, exhibit: Exhibit, hive: HiveEngine, spark: SparkSession, client: ThriftMetastore, purpose: str
    ) -> None:
        """`purpose` goes into the table's name: an exhibit can be made more than once in one engine."""
        self.exhibit = exhibit
        self.table = HiveTable(hive, f"{exhibit.name}_{purpose}")
        self.spark = spark
        self.workshop = Workshop(self.table, spark, client)
        hive.sql(exhibit.create_statement(self.table.name))
        exhibit.make(self.workshop)

    def check_rows(self, rows: Sequence[Row], moment: str, *, hive_reads: bool = True) -> None:
        """Raises AssertionError unless our reader and Hive's return these rows, with the same row IDs."""
        ours = self._ours(f"SELECT *, ROW__ID FROM {self.table.name} ORDER BY id")
        assert [row[:-1] for row in ours] == list(rows), f"our reader {moment}"
        if not hive_reads:
            return
        plain = self.table.rows_plain("*, ROW__ID")
        assert sorted(row[:-1] for row in plain) == list(rows), f"Hive's row reader {moment}"
        assert {row[0]: _row_id(row[-1]) for row in plain} == {row[0]: tuple(row[-1]) for row in ours}, moment
        found = self.table.rows_vectorised("id", "*, ROW__ID")
        assert [row[:-1] for row in found] == list(rows), f"Hive's vectorised reader {moment}"
        assert [_row_id(row[-1]) for row in found] == [tuple(row[-1]) for row in ours], moment

    def take(self, steps: Iterable[Step], *, by_hive: bool = False, hive_reads: bool = True) -> tuple[Row, ...]:
        """Carries out the steps, with a check after each: by our reader, and after the last by both of Hive's.

        Returns the rows then.
        """
        rows: tuple[Row, ...] = ()
        remaining = list(steps)
        while remaining:
            step = remaining.pop(0)
            text = step.statement.format(t=self.table.name)
            if by_hive:
                self.table.engine.sql(text)
            else:
                answer = self._ours(text)
                assert step.count is None or answer[0][0] == step.count, f"{step.name} said {answer}"
            rows = step.rows
            self.check_rows(rows, f"after {step.name}", hive_reads=hive_reads and not remaining)
        return rows

    def check_refused(self, steps: Iterable[Step]) -> None:
        """Raises AssertionError unless a SELECT and each step but the INSERT, which reads nothing, are refused by the
        exhibit's condition."""
        statements = ["SELECT * FROM {t}", *(step.statement for step in steps if step.name != "INSERT")]
        for text in (statement.format(t=self.table.name) for statement in statements):
            try:
                answer = self._ours(text)
            except PySparkException as error:
                assert error.getCondition().partition(".")[0] == self.exhibit.refused, f"{text}: {error}"
            else:
                raise AssertionError(f"{text} was not refused but said {answer}")

    def compact(self, kind: str) -> None:
        """A compaction by Hive of the table, or of each partition."""
        partitions: list[str | None] = [None]
        if self.exhibit.partitioned_by:
            names = self.workshop.client.partition_names(self.workshop.name)
            partitions = [", ".join(f"{k}='{v}'" for k, v in (part.split("=") for part in n.split("/"))) for n in names]
        for partition in partitions:
            # Hive 4 refuses what is not worth it, such as a partition that nobody has changed
            self.table.compact(kind, partition, may_be_refused=partition is not None)

    def _ours(self, text: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.spark.sql(text).collect()]


def _row_id(text: str) -> tuple[int, ...]:
    return tuple(json.loads(text).values())
