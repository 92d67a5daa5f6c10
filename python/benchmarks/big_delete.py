"""DELETE of all rows by a process of its own whose driver, which is also the executor, has a heap of 1 GB."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measures import Measure, ensure_equal, timed
from workbench import Workbench, build_session

HEAP = "1g"
MAX_HEAP_MIB = 1024


def measure_big_delete(bench: Workbench) -> Sequence[Measure]:
    """Time and peak memory; the table is empty afterwards."""
    bench.create("big")
    ensure_equal("rows inserted", bench.insert("big"), bench.rows)
    command = [sys.executable, __file__, bench.metastore.uri, str(bench.metastore.warehouse), str(bench.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"the DELETE under a heap of {HEAP} failed:\n{done.stderr[-4000:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    ensure_equal("rows deleted", answer["deleted"], bench.rows)
    ensure_equal("rows left", bench.spark.table("big").count(), 0)
    bench.spark.sql("DROP TABLE big")
    note = (
        f"heap limit {answer['max_heap_mib']} MiB, in use after the last collection {answer['live_heap_mib']} MiB, "
        f"process {answer['peak_process_mib']} MiB"
    )
    return [Measure("DELETE of all rows, 1 GB heap", answer["seconds"], None, (answer["seconds"],), note)]


def delete_all(metastore_uri: str, warehouse: Path, folder: Path) -> None:
    """The part of the other process: prints its answer as one line of JSON."""
    with TemporaryDirectory(dir=folder) as local:
        spark = build_session(metastore_uri, warehouse, Path(local), HEAP)
        result: list[int] = []
        seconds = timed(lambda: result.append(spark.sql("DELETE FROM big").collect()[0][0]))
        jvm: Any = spark._jvm
        pools = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
        # usage right after a collection: what is in use in between is mostly garbage, and pools peak at different times
        collected = [pool.getCollectionUsage() for pool in pools if pool.getType().toString() == "Heap memory"]
        max_heap_mib = jvm.java.lang.Runtime.getRuntime().maxMemory() >> 20
        if max_heap_mib > MAX_HEAP_MIB:
            raise AssertionError(f"the heap may grow to {max_heap_mib} MiB, so this measures nothing")
        answer = {
            "deleted": result[0],
            "seconds": seconds,
            "max_heap_mib": max_heap_mib,
            "live_heap_mib": sum(usage.getUsed() for usage in collected if usage is not None) >> 20,
            "peak_process_mib": find_peak_mib(jvm.java.lang.ProcessHandle.current().pid()),
        }
        spark.stop()
        print(json.dumps(answer))


def find_peak_mib(process_id: int) -> int | None:
    """The greatest resident size a process has had, where the system tells (Linux), in MiB."""
    status = Path(f"/proc/{process_id}/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) >> 10 if found else None


if __name__ == "__main__":
    delete_all(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
