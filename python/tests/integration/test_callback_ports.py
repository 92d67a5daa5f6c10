"""Python answers the JVM of its own session and nobody else, at whatever port it is called back.

The side-car of the Thrift server: `test_jvm_first.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hive_acid.local import EmbeddedMetastore
from support.connect_client import find_client, run_client
from support.other_user import NOBODY, find_answers, lie_in_wait, start_as
from support.polling import eventually
from support.processes import find_below, find_listening
from support.spark_programs import program_settings, started, started_connect_server

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells where a process listens"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user"),
]

STREAMS = """
import time, uuid
import hive_acid
from pathlib import Path
from typing import Any
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
gateway, folder = spark.sparkContext._gateway, Path("{folder}")
table = "streamed_" + uuid.uuid4().hex[:10]
told = []

def count(batch, number):
    told.append(batch.count())

def insert(batch, number):
    batch.write.insertInto(table)
    told.append(spark.sql(f"UPDATE {{table}} SET id = id + 100 WHERE id < 100").first()[0])

def start(name, change):
    source = folder / name
    source.mkdir()
    query = spark.readStream.schema("id INT").json(str(source)).writeStream.foreachBatch(change)
    return query.option("checkpointLocation", str(folder / (name + "-state"))).start(), source

def feed(stream, number):
    query, source = stream
    before = len(told)
    (source / f"{{number}}.json").write_text('{{"id": ' + str(number) + "}}")
    query.processAllAvailable()
    assert told[before:] == [1], told

def tell(*words):
    print(*words, gateway._callback_server.get_listening_port(), flush=True)
    while not (folder / words[0]).exists():
        time.sleep(0.05)

early = start("early", count)
feed(early, 1)
tell("LISTENS")
hive_acid.configure(SparkSession.builder).getOrCreate()
tell("CONFIGURED")
feed(early, 2)
gateway._callback_server = None
ensure_callback_server_started(gateway)
tell("STARTED_AGAIN")
feed(early, 3)
spark.sql(f"CREATE TABLE {{table}} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
late = start("late", insert)
feed(late, 4)
feed(late, 5)
print(*(row.id for row in spark.sql(f"SELECT id FROM {{table}} ORDER BY id").collect()))
spark.stop()
"""


def test_a_driver_answers_nobody_but_its_jvm(spark: SparkSession) -> None:
    gateway: Any = spark.sparkContext._gateway
    assert find_answers([gateway._callback_server.get_listening_port()]) == ""


@pytest.mark.slow
@pytest.mark.parametrize("pinned", ["true", "false"])
def test_streams_that_call_python_go_on_and_who_was_connected_before_is_hung_up_on(
    metastore: EmbeddedMetastore, tmp_path: Path, pinned: str
) -> None:
    script = tmp_path / "streams.py"
    script.write_text(STREAMS.format(folder=tmp_path))
    variables = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_PIN_THREAD": pinned}
    settings = program_settings(metastore, tmp_path)
    with started(["spark-submit", str(script)], settings, tmp_path / "run", variables) as job:
        job.wait_for("LISTENS")
        (process_id,) = find_below(job.process.pid, str(script))
        waiting = start_as(NOBODY, lie_in_wait, job.output.read_text().split()[1])
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == ("!y\n" if pinned == "true" else "\n")
        (tmp_path / "LISTENS").touch()
        job.wait_for("CONFIGURED")
        assert waiting.communicate("\n")[0] == "hung up\n"
        assert find_answers(find_listening(process_id)) == ""
        (tmp_path / "CONFIGURED").touch()
        job.wait_for("STARTED_AGAIN")
        assert find_answers(find_listening(process_id)) == ""
        (tmp_path / "STARTED_AGAIN").touch()
        assert job.process.wait(300) == 0, job.output.read_text()
        assert job.output.read_text().splitlines()[-1] == "104 105"


@pytest.mark.slow
def test_the_side_car_of_spark_connect_answers_nobody_but_its_driver(
    metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    script = tmp_path / "client.py"
    with started_connect_server(metastore, tmp_path / "server") as (server, port):
        script.write_text(
            "from pyspark.sql import SparkSession\n"
            f"spark = SparkSession.builder.remote('sc://127.0.0.1:{port}').getOrCreate()\n"
            "print(spark.sql('SHOW TRANSACTIONS').columns[0])\n"
        )
        assert run_client(script, find_client()) == ["txnid"]
        assert find_answers(find_listening(server.sidecar())) == ""


@pytest.mark.slow
def test_a_worker_answers_nobody_but_its_jvm(metastore: EmbeddedMetastore) -> None:
    command = [sys.executable, "-m", "hive_acid.cli", "worker", "--metastore", metastore.uri, "--master", "local[1]"]
    worker = subprocess.Popen(command)
    try:
        # one for accumulators, which Spark opens before it, and one to be called back
        assert eventually(lambda: len(find_listening(worker.pid)) == 2, limit_s=120)
        assert find_answers(find_listening(worker.pid)) == ""
    finally:
        worker.terminate()
        worker.wait(60)
