"""A line of the matrix of statements and kinds of tables: its words, and the examples by which it is tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pyspark.sql import SparkSession

from support.table_kinds import OTHER, ROWS, Kind

YES: Final = "yes"
REFUSED: Final = "refused"
SPARK: Final = "Spark"
NONE: Final = "-"


@dataclass(frozen=True)
class Example:
    """A statement, or what is done from Python, and the rows (id, name) that the table holds afterwards.

    `rows` are None if the rows of another table matter, or none.
    """

    sql: str = ""
    rows: tuple[tuple[int, str], ...] | None = ROWS
    call: Callable[[SparkSession, str], object] | None = None

    def run(self, spark: SparkSession, kind: Kind, table: str, other: str) -> None:
        """Does it to `table`."""
        if self.call is not None:
            self.call(spark, table)
        else:
            spark.sql(kind.text(self.sql, table, other)).collect()


@dataclass(frozen=True)
class Line:
    """A line of the matrix: its text, what stands for it in the test, and where it is not simply supported.

    A table that is not transactional is tried only where the cell is `Spark`: nothing of ours refuses the statement. A
    line with a `short` title stands in the README's summary too.
    """

    title: str
    examples: tuple[Example, ...]
    cells: Mapping[Kind, str] = field(default_factory=dict)
    short: str = ""

    def cell(self, kind: Kind) -> str:
        """The word in the matrix."""
        return self.cells.get(kind, SPARK if kind is OTHER else YES)
