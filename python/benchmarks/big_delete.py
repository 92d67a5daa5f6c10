"""DELETE of all rows in a session whose driver has a heap of 1 GB."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from heap import HEAP, find_memory, run_apart
from measures import Measure, ensure_equal, timed
from workbench import Workbench, build_session


def measure_big_delete(bench: Workbench) -> Sequence[Measure]:
    """Time and peak memory; the table is empty afterwards."""
    bench.create("big")
    ensure_equal("rows inserted", bench.insert("big"), bench.rows)
    answer = run_apart(__file__, bench)
    ensure_equal("rows deleted", answer["deleted"], bench.rows)
    ensure_equal("rows left", bench.spark.table("big").count(), 0)
    bench.spark.sql("DROP TABLE big")
    seconds = answer["seconds"]
    return [Measure("DELETE of all rows, 1 GB heap", seconds, None, (seconds,), answer["memory"])]


def delete_all(metastore_uri: str, warehouse: Path, folder: Path) -> None:
    """The part of the other process: prints its answer as one line of JSON."""
    with TemporaryDirectory(dir=folder) as local:
        spark = build_session(metastore_uri, warehouse, Path(local), HEAP)
        result: list[int] = []
        seconds = timed(lambda: result.append(spark.sql("DELETE FROM big").collect()[0][0]))
        answer = {"deleted": result[0], "seconds": seconds, "memory": find_memory(spark)}
        spark.stop()
        print(json.dumps(answer))


if __name__ == "__main__":
    delete_all(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
