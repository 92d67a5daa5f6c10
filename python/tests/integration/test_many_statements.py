"""Hundreds of statements through each program of Spark's: nothing is left of any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from support.connect_client import find_client, run_client
from support.drivers import open_transactions, wait_until
from support.jdbc import Refused, jdbc_client
from support.many_statements import ROUND, SPARKS_POOLS, STATEMENTS, TABLES
from support.polling import eventually
from support.processes import Usage, find_below, measure
from support.spark_programs import (
    Program,
    program_settings,
    started,
    started_connect_server,
    started_thrift_server,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads Linux's /proc"),
]
POOLS = (*SPARKS_POOLS, "HiveServer2", "grpc", "SparkConnect")
"""Spark's own, which grow up to a bound, and end their threads later."""
SPARE = 12
"""Threads and files that come and go."""
WARM_UP = 8
"""Rounds until everything is there that is used again."""
POOLS_END_S = 150.0
SHARE = 3
"""Entries in the same side-car get a third of the statements: a leak of one for each is a multiple of what is spare."""

Run = Callable[[int, int], None]
"""Runs the rounds from a number until another."""

CLIENT = """
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
for text in {before!r}:
    spark.sql(text).collect()
for number in range({first}, {end}):
    for text in {round!r}:
        try:
            spark.sql(text.format(n=number, d=number % 3)).collect()
        except PySparkException:
            assert "on purpose" in text
        else:
            assert "on purpose" not in text
spark.stop()
"""


@contextmanager
def by_jdbc(metastore: EmbeddedMetastore, folder: Path) -> Iterator[tuple[Program, Run]]:
    """One session of the Thrift server."""
    with (
        started_thrift_server(metastore, folder) as (server, port),
        jdbc_client(port) as client,
        client.connect() as session,
    ):
        for text in TABLES:
            session.sql(text)

        def run(first: int, end: int) -> None:
            for number in range(first, end):
                for text in ROUND:
                    try:
                        session.sql(text.format(n=number, d=number % 3))
                    except Refused:
                        assert "on purpose" in text
                    else:
                        assert "on purpose" not in text

        yield server, run


@contextmanager
def by_connect(metastore: EmbeddedMetastore, folder: Path) -> Iterator[tuple[Program, Run]]:
    """A client for each stretch of rounds."""
    script = folder / "client.py"
    with started_connect_server(metastore, folder) as (server, port):

        def run(first: int, end: int) -> None:
            before = TABLES if first == 1 else ()
            script.write_text(CLIENT.format(port=port, before=before, first=first, end=end, round=ROUND))
            run_client(script, find_client(), limit_s=3600)

        yield server, run


@contextmanager
def by_spark_sql(metastore: EmbeddedMetastore, folder: Path) -> Iterator[tuple[Program, Run]]:
    """The shell of SQL, which goes on after an error."""
    with started(["spark-sql"], program_settings(metastore, folder), folder) as shell:
        shell.say("".join(f"{text};\n" for text in TABLES))

        def run(first: int, end: int) -> None:
            for number in range(first, end):
                shell.say("".join(f"{text.format(n=number, d=number % 3)};\n" for text in ROUND))
                shell.say(f"SELECT concat('ROUND ', {number}, ' ', count(*)) FROM t;\n")
                shell.wait_for(f"ROUND {number} 0\n")

        yield shell, run


Entry = Callable[[EmbeddedMetastore, Path], AbstractContextManager[tuple[Program, Run]]]


def look(program: Program) -> dict[str, Usage]:
    """What the driver and its side-car have."""
    return {"driver": measure(program.process.pid), "side-car": measure(program.sidecar())}


def grown(program: Program, before: dict[str, Usage]) -> dict[str, object]:
    """What there is more than may be, by process."""
    found: dict[str, object] = {}
    for name, now in look(program).items():
        was = before[name]
        threads = now.count_threads(but=POOLS) - was.count_threads(but=POOLS)
        if threads > SPARE or now.files > was.files + SPARE:
            found[name] = (threads, now.files - was.files, dict(now.threads - was.threads))
    return found


@pytest.mark.parametrize(("entry", "share"), [(by_jdbc, 1), (by_connect, SHARE), (by_spark_sql, SHARE)])
def test_statements_leave_nothing_behind(
    metastore: EmbeddedMetastore, client: ThriftMetastore, tmp_path: Path, entry: Entry, share: int
) -> None:
    rounds = max(2 * WARM_UP, STATEMENTS // len(ROUND) // share)
    with entry(metastore, tmp_path) as (program, run):
        run(1, WARM_UP + 1)
        before, sidecar = look(program), program.sidecar()
        children = len(find_below(program.process.pid, ""))
        run(WARM_UP + 1, rounds + 1)
        assert eventually(lambda: not grown(program, before), POOLS_END_S), grown(program, before)
        assert (program.sidecar(), len(find_below(program.process.pid, ""))) == (sidecar, children)
        wait_until(lambda: not open_transactions(client), "no transaction is left")
        assert client.held_locks() == []
