"""Deletes of a part of the rows in a part of the files, by every engine, and the scan that follows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from columns import COLUMNS
from measures import ensure_equal

from peers.client import Answer
from peers.environments import OURS, TRINO
from peers.statement_run import ALL_COLUMNS, Rounds
from peers.statements import CHECK, FLAT, SIDES, Side

FILES = 10
TOUCHED = (1, 3, 10)
PERCENTS = (1, 10, 29)
OVERWRITE = "partition overwrite"
SCATTERED = "(id + 12345) * (id + 12345) % 1000003 % 100"
"""A percentile of each row that has no order, by arithmetic that all engines know."""
SCAN = f"SELECT {', '.join(f'max({name})' for name in COLUMNS)} FROM {{table}}"
_PARTITIONED = Side(OVERWRITE, OURS, "default.parts", "", "PARTITIONED BY (part INT) STORED AS ORC", "")
"""Flat ORC in the session of ours: a partition with rows to delete is written anew without them."""
_TRINO = Side(TRINO, TRINO, "default.of_trino", "", SIDES[0].clauses, "")
"""A table that ours makes and fills as its own, and that Trino deletes from and scans."""


@dataclass(frozen=True)
class Spot:
    """A cell of the grid: rows of so many percent go, in so many of the ten files."""

    touched: int
    percent: int

    @property
    def name(self) -> str:
        return f"{self.percent} % of {self.touched} file" + ("s" if self.touched > 1 else "")

    def condition(self, rows: int) -> str:
        """The rows that go."""
        return f"id < {rows * self.touched // FILES} AND {SCATTERED} < {self.percent}"


SPOTS = tuple(Spot(touched, percent) for touched in TOUCHED for percent in PERCENTS)


def find_sides(engines: Collection[str]) -> tuple[Side, ...]:
    """The transactional tables of the engines, and the partitions."""
    sides = (*(side for side in SIDES if side.name != FLAT), _TRINO)
    return (*(side for side in sides if side.engine in engines), _PARTITIONED)


class GridRun(Rounds):
    """All cells, by all sides."""

    def run_round(self, number: int, spots: Sequence[Spot] = SPOTS) -> None:
        """New tables for each cell."""
        sides = self.sides
        for spot in spots:
            for side in sides:
                self._fill(side)
            turn = number % len(sides)
            ordered = (*sides[turn:], *sides[:turn])
            for side in ordered:
                self.note(f"DELETE of {spot.name}", side, number, self._delete(side, spot))
            answers = {}
            for side in ordered:
                told = self.worker(side).sql(SCAN.format(table=side.table))
                if side.engine != TRINO:  # whose numbers and times are spelled in another way
                    answers[side.name] = told.result
                self.note(f"scan after {spot.name}", side, number, told)
            checks = {side.name: self.home(side).sql(CHECK.format(table=side.table)).result for side in sides}
            for found in (answers, checks):
                for name, rows in found.items():
                    ensure_equal(f"{spot.name}: {name}", rows, found[OURS])
            print(f"  {spot.name}: " + "; ".join(self._tell(spot, side, number) for side in sides), flush=True)
        for side in sides:
            self.home(side).sql(f"DROP TABLE {side.table}")

    def _fill(self, side: Side) -> None:
        self.create(side, side.table, ALL_COLUMNS)
        if side.engine == TRINO:
            self._fill_one_by_one(side)
            return
        rows = f"SELECT /*+ REPARTITION_BY_RANGE({FILES}, id) */ *"
        if side.name == OVERWRITE:
            rows = f"{rows}, CAST(id * {FILES} DIV {self.rows} AS INT) AS part"
        self.home(side).sql(
            "SET hive.exec.dynamic.partition.mode = nonstrict",
            f"INSERT INTO {side.table} {rows} FROM {self.source}",
        )

    def _fill_one_by_one(self, side: Side) -> None:
        """Ten deltas of one bucket file each: Trino does not find its deletes in other buckets than the first."""
        apart = self.rows // FILES
        for number in range(FILES):
            self.home(side).sql(
                "SET spark.hiveacid.insert.buckets = 1",
                f"INSERT INTO {side.table} SELECT * FROM {self.source} "
                f"WHERE id >= {number * apart} AND id < {(number + 1) * apart}",
            )
        self.home(side).sql("RESET spark.hiveacid.insert.buckets")

    def _delete(self, side: Side, spot: Spot) -> Answer:
        condition = spot.condition(self.rows)
        if side.name != OVERWRITE:
            return self.worker(side).sql(f"DELETE FROM {side.table} WHERE {condition}")
        names = ", ".join(COLUMNS)
        rows = f"SELECT {names}, CAST(id * {FILES} DIV {self.rows} AS INT) AS part FROM {self.source}"
        # a table that is read cannot be overwritten in Spark: the rows come from where it had them from
        left = f"{rows} WHERE id < {self.rows * spot.touched // FILES} AND NOT ({condition})"
        return self.worker(side).sql(
            "SET spark.sql.sources.partitionOverwriteMode = dynamic", f"INSERT OVERWRITE {side.table} {left}"
        )

    def _tell(self, spot: Spot, side: Side, number: int) -> str:
        mine = [c for c in self.cells if (c.side, c.round) == (side.name, number) and c.step.endswith(spot.name)]
        return f"{side.name} " + " + ".join(f"{cell.wall_s:.2f} s" for cell in mine)
