"""A part of a benchmark in a process of its own, whose driver has a heap of 1 GB."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from workbench import Workbench

HEAP = "1g"
MAX_HEAP_MIB = 1024


def run_apart(file: str, bench: Workbench) -> dict[str, Any]:
    """Runs the file with the metastore's address, the warehouse and the bench's folder: the JSON it prints last."""
    command = [sys.executable, file, bench.metastore.uri, str(bench.metastore.warehouse), str(bench.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{Path(file).stem} under a heap of {HEAP} failed:\n{done.stderr[-4000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def find_memory(spark: SparkSession) -> str:
    """The heap's limit, what of it was in use after the last collections, and the peak of the process."""
    jvm: Any = spark._jvm
    pools = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    # usage right after a collection: what is in use in between is mostly garbage, and pools peak at different times
    collected = [pool.getCollectionUsage() for pool in pools if pool.getType().toString() == "Heap memory"]
    max_heap_mib = jvm.java.lang.Runtime.getRuntime().maxMemory() >> 20
    if max_heap_mib > MAX_HEAP_MIB:
        raise AssertionError(f"the heap may grow to {max_heap_mib} MiB, so this measures nothing")
    live_mib = sum(usage.getUsed() for usage in collected if usage is not None) >> 20
    process_mib = _find_peak_mib(jvm.java.lang.ProcessHandle.current().pid())
    return f"heap limit {max_heap_mib} MiB, in use after the last collection {live_mib} MiB, process {process_mib} MiB"


def _find_peak_mib(process_id: int) -> int | None:
    """The greatest resident size a process has had, where the system tells (Linux), in MiB."""
    status = Path(f"/proc/{process_id}/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) >> 10 if found else None
