"""How planning grows, without Spark and without storage: `./dev py python/benchmarks/scale.py [--publish]`.

The listings and lists of IDs are made in memory, for tables larger than any machine of tests can hold. What is measured
is the code that every statement runs: IDs are parsed, folders chosen, the plan built and written as the engine's
message. The exponent says how seconds grow from one size to the next: 1 is in proportion, 2 is quadratic.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from peers.page import put

from hive_acid.model.evolution import Evolution
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.listing import ListedFile, Listing
from hive_acid.snapshot.plan_building import build_scan_plan
from hive_acid.wire import codec

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "scale.md"
TABLE: Final = TableDescription(
    TableName("db", "t"),
    "hdfs://names/warehouse/db.db/t",
    (Column("id", "int"),),
    input_format="org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
    parameters={"transactional": "true"},
)
FILES_PER_FOLDER: Final = 4


@dataclass(frozen=True)
class Case:
    """A kind of growth: `make` gives the listings by partition, and the text of the snapshot's write IDs."""

    name: str
    sizes: tuple[int, ...]
    make: Callable[[int], tuple[list[Listing], str]]


@dataclass(frozen=True)
class Point:
    """One size: seconds of the planning, and the bytes of its message."""

    size: int
    seconds: float
    message_bytes: int


def listing(root: str, folders: Sequence[str]) -> Listing:
    """A table or partition with some files in each of these folders."""
    files = tuple(
        ListedFile(f"{folder}/bucket_{bucket:05}", 1_000_000, 1_700_000_000_000)
        for folder in folders
        for bucket in range(FILES_PER_FOLDER)
    )
    return Listing(root, files, tuple(folders))


def deltas(first: int, count: int) -> list[str]:
    """Every second one holds deletes."""
    return [f"{'delete_' * (i % 2)}delta_{i:07}_{i:07}_0000" for i in range(first, first + count)]


def ids(mark: int, aborted: Sequence[int] = ()) -> str:
    """The list as the metastore sends it."""
    return f"db.t:{mark}:{2**63 - 1}::{','.join(map(str, aborted))}"


def many_deltas(count: int) -> tuple[list[Listing], str]:
    """One table that nobody compacts."""
    return [listing(TABLE.location, ["base_0000001", *deltas(2, count)])], ids(count + 1)


def many_partitions(count: int) -> tuple[list[Listing], str]:
    """A base and two deltas each."""
    names = ["base_0000001", *deltas(2, 2)]
    return [listing(f"{TABLE.location}/p={number}", names) for number in range(count)], ids(3)


def many_aborted(count: int) -> tuple[list[Listing], str]:
    """A thousand deltas, and between any two of them aborted write IDs."""
    step = max(1, count // 1000)
    folders = [name for i in range(1000) for name in deltas(2 + i * (step + 1), 1)]
    aborted = [2 + i * (step + 1) + 1 + j for i in range(1000) for j in range(step)]
    return [listing(TABLE.location, ["base_0000001", *folders])], ids(max(aborted) + 1, aborted)


def many_checked_partitions(count: int) -> tuple[list[Listing], str]:
    """Partitions with compacted deltas whose range has aborted write IDs in it: a thousand in all."""
    aborted = range(3, 3000, 3)
    names = ["base_0000001", "delta_0000002_0003000_v0000009", "delete_delta_0000002_0003000_v0000009"]
    return [listing(f"{TABLE.location}/p={number}", names) for number in range(count)], ids(3000, aborted)


CASES: Final = (
    Case("deltas of one table", (100, 1_000, 10_000, 100_000), many_deltas),
    Case("partitions, three folders each", (100, 1_000, 10_000, 100_000), many_partitions),
    Case("partitions beside 1,000 aborted write IDs", (100, 1_000, 10_000), many_checked_partitions),
    Case("aborted write IDs, 1,000 deltas", (1_000, 10_000, 100_000, 1_000_000), many_aborted),
)


def plan(listings: Sequence[Listing], write_ids: str) -> int:
    """What a statement does between the answer of storage and the engine; the bytes of the message."""
    seen, transactions = ValidWriteIdList.parse(write_ids), ValidTxnList(100)
    states = [(str(number), choose_directories(one, seen, transactions, {})) for number, one in enumerate(listings)]
    message = build_scan_plan(TABLE, seen, states).message(Evolution(True, as_hive_3=False), None)
    return len(codec.write(message))


def measure(case: Case, limit: int) -> list[Point]:
    """Each size up to the limit; the better of two runs counts."""
    points = []
    for size in (size for size in case.sizes if size <= limit):
        made = case.make(size)
        seconds, length = [], 0
        for _ in range(2):
            started = time.process_time()
            length = plan(*made)
            seconds.append(time.process_time() - started)
        points.append(Point(size, min(seconds), length))
        print(f"{case.name}: {points[-1]}", flush=True)
    return points


def format_table(measured: Sequence[tuple[Case, Sequence[Point]]]) -> str:
    """A row for each size."""
    lines = ["| Growing | Size | Seconds | Exponent | Message MB |", "| --- | ---: | ---: | ---: | ---: |"]
    for case, points in measured:
        for before, point in zip((None, *points), points, strict=False):
            exponent = find_exponent(before, point)
            shown = "" if exponent is None else f"{exponent:.2f}"
            cells = (case.name, f"{point.size:,}", f"{point.seconds:.3f}", shown, f"{point.message_bytes / 1e6:.2f}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def find_exponent(before: Point | None, after: Point) -> float | None:
    """Of the power by which seconds grow with the size."""
    if before is None or before.seconds <= 0:
        return None
    return math.log(after.seconds / before.seconds) / math.log(after.size / before.size)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; `--publish` writes the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--limit", type=int, default=1_000_000, help="largest size (default: %(default)s)")
    parser.add_argument("--publish", action="store_true", help="write the table into docs/scale.md")
    chosen = parser.parse_args(arguments)
    text = format_table([(case, measure(case, chosen.limit)) for case in CASES])
    print(text)
    if chosen.publish:
        put("planning", text, PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
