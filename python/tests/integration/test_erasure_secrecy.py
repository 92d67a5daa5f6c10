"""Neither a subject nor the hash key nor a hash is in what Spark writes: plans, event logs, logs of the driver."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from hive_acid.erasure.keyed_hash import HashKey
from hive_acid.local import EmbeddedMetastore
from integration.conftest import Tables

pytestmark = pytest.mark.beyond_the_gate("`unit/erasure`; the suite of keyed hashes in Scala")

SUBJECT = "Ada-7f3a-Lovelace"
SECRET = b"\x01\x02the secret of this test, 32 bytes"

SCRIPT = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
import hive_acid
from hive_acid.erasure.engine import Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid.model.table import TableName
from hive_acid.spark.erasure_engine import SparkErasureEngine

told = json.loads(sys.stdin.read())
builder = SparkSession.builder.master("local[1]").config(map=told["conf"])
spark = hive_acid.configure(builder, metastore=told["metastore"]).getOrCreate()
spark.sparkContext.setLogLevel("DEBUG")
engine = SparkErasureEngine(spark, bytes.fromhex(told["secret"]))
table, key = TableName(told["database"], "t"), Key(("name",))
matcher = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [(told["subject"],)])),))
found = [engine.count(matcher, None).matched, len(engine.links(matcher, Key(("id",))))]
with engine._functions.conditions(matcher) as conditions:
    frame = spark.sql(f"SELECT * FROM {table} WHERE {conditions[0]}")
    print(frame._jdf.queryExecution().toString())
    spark.sql(f"EXPLAIN FORMATTED SELECT * FROM {table} WHERE {conditions[0]}").show(truncate=False)
found.append(engine.delete([matcher], {})[0].row_count)
files = [path for path in Path(told["root"]).rglob("bucket_*") if not path.name.endswith(".crc")]
listed = [PhysicalFile(str(p), p.stat().st_size, p.stat().st_mtime_ns // 1_000_000) for p in files]
found.append(sum(finding.match_count for finding in engine.search(matcher, listed)))
list(engine.compact(table, [""]))
print("FOUND", json.dumps(found))
spark.stop()
"""


def run_script(
    script: str, metastore: EmbeddedMetastore, folder: Path, **told: str
) -> subprocess.CompletedProcess[str]:
    """A session of its own, whose event log lies below the folder's `events`."""
    (folder / "events").mkdir()
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.eventLog.compress": "false",
        "spark.sql.ui.explainMode": "extended",
        "spark.ui.enabled": "false",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": metastore.warehouse.as_uri(),
    }
    given = {"conf": conf, "metastore": metastore.uri, "secret": SECRET.hex(), "subject": SUBJECT, **told}
    return subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


def test_spark_writes_down_nothing_that_names_a_subject(
    tables: Tables, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    tables.create("t")
    tables.sql(f"INSERT INTO t VALUES (1, '{SUBJECT}'), (2, 'Bob')")
    run = run_script(SCRIPT, metastore, tmp_path, database=tables.database, root=str(tables.location("t")))
    assert "FOUND [1, 1, 1, 1]" in run.stdout, run.stderr[-3000:]
    texts = [
        run.stdout,
        run.stderr,
        *(
            path.read_text()
            for path in tmp_path.joinpath("events").rglob("*")
            if path.is_file() and path.suffix != ".crc"
        ),
    ]
    events_told = "".join(texts[2:])
    assert "SparkListenerSQLExecutionStart" in events_told
    assert "DELETE FROM" in events_told or "hive_acid_" in events_told, "the event log tells of the statements"
    assert "DEBUG" in run.stderr
    one_hash = HashKey(SECRET).hash_parts((SUBJECT,))
    for secret in (SECRET, one_hash):
        for shown in (secret.hex(), secret.hex().upper(), base64.b64encode(secret).decode(), str(list(secret))[1:-1]):
            assert not any(shown in text for text in texts)
    assert not any(SUBJECT in text or "the secret of this test" in text for text in texts)


PARTITIONS = """
import json, sys
from pyspark.sql import SparkSession
import hive_acid
from hive_acid.erasure.engine import Key, KeyedHashes, Matcher
from hive_acid.model.table import TableName
from hive_acid.spark.erasure_engine import SparkErasureEngine

told = json.loads(sys.stdin.read())
builder = SparkSession.builder.master("local[1]").config(map=told["conf"])
spark = hive_acid.configure(builder, metastore=told["metastore"]).getOrCreate()
engine = SparkErasureEngine(spark, bytes.fromhex(told["secret"]))
table, key = TableName(told["database"], "t"), Key(("name",))
matcher = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [(told["subject"],)])),))
names = frozenset({"who=" + told["subject"], "who=x"})
assert engine.choose_partitions(table, "who <> 'y'", sorted(names)) == names
print("FOUND", engine.delete([matcher], {})[0].row_count, spark.table(str(table)).count())
spark.stop()
"""


def test_names_of_partitions_stand_in_no_plan_and_no_text(
    tables: Tables, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    insert_only = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE t (name STRING) PARTITIONED BY (who STRING) STORED AS ORC TBLPROPERTIES ({insert_only})")
    tables.sql(f"INSERT INTO t VALUES ('{SUBJECT}', '{SUBJECT}'), ('{SUBJECT}', 'x'), ('Bob', 'x')")
    run = run_script(PARTITIONS, metastore, tmp_path, database=tables.database)
    assert "FOUND 2 1" in run.stdout, run.stderr[-3000:]
    events = "".join(path.read_text() for path in tmp_path.joinpath("events").rglob("*") if path.is_file())
    assert "Parsed Logical Plan" in events and "HiveAcid OVERWRITE" in events
    assert SUBJECT not in events
    notes = [path.read_text() for path in tables.location("t").rglob("_hive_acid_history")]
    assert notes and not [note for note in notes if "OVERWRITE" in note and SUBJECT in note]
