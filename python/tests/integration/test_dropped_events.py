"""A bus of Spark's that is full drops the events by which queries end, and nobody waits for a reader that is no more.

Each turn of the heartbeat ends such readers, too: `unit/execution/test_readers.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from integration.conftest import Tables
from integration.test_program_ends import assert_nothing_is_open, create, run_program

READS = """
def read():
    for _ in range(6):
        spark.sql("SELECT count(*) FROM t WHERE id > 0").collect()


readers = [start(read) for _ in range(3)]
for reader in readers:
    reader.join()
metrics = spark.sparkContext._jsc.sc().listenerBus().metrics().metricRegistry()
print(metrics.counter("queue.shared.numDroppedEvents").getCount() > 0)
spark.conf.set("spark.hiveacid.lock.timeoutMs", "20000")
spark.sql("INSERT OVERWRITE t VALUES (3, 'c')")
print(spark.sql("SHOW LOCKS t").count())
"""


@pytest.mark.beyond_the_gate("`unit/execution/test_ended_readers.py`")
def test_a_statement_that_waits_for_readers_whose_ends_were_dropped_goes_on(
    tables: Tables, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    create(tables, "t")
    code, out, err = run_program(
        tables, metastore, tmp_path, READS, {"spark.scheduler.listenerbus.eventqueue.shared.capacity": "1"}
    )
    assert (code, out) == (0, "True\n0\n"), err
    assert_nothing_is_open(tables)
    assert tables.sql("SELECT * FROM t") == [(3, "c")]
