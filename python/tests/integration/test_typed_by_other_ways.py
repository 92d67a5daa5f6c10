"""What people type is answered alike by JDBC, by Spark Connect and in a session of Python.

The golden files `typed_*` have the answers of a session that `hive_acid.configure` made. The servers here have the
settings alone.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid_sqltest.golden import parse_golden
from support.connect_client import find_client, run_client
from support.jdbc import Connection, Refused, jdbc_client
from support.spark_lines import since
from support.spark_programs import started_connect_server, started_thrift_server

pytestmark = [pytest.mark.slow, since("4.3", "the golden files are those of this line; others have differences")]
RESULTS = sorted((Path(__file__).parents[3] / "sql-tests" / "results").glob("typed_*.sql.out"))
UNNAMED = "_LEGACY_ERROR_TEMP"
NAMED = re.compile(r"\[([A-Z][\w.]+)\]")
CLIENT = """
import json, re, sys
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").create()
for statement in json.load(open({statements!r})):
    try:
        spark.sql(statement).collect()
        print(json.dumps(None))
    except PySparkException as error:
        print(json.dumps(error.getCondition()))
spark.stop()
"""
Answers = Sequence[str | None]
"""The condition of each error, None for rows."""


def read(path: Path) -> tuple[list[str], Answers]:
    """Statements and answers of a golden file."""
    results = parse_golden(path.read_text(encoding="utf-8"), path.name)
    return [result.query for result in results], [named(result.error) for result in results]


def named(condition: str | None) -> str | None:
    """Without the inner names of Spark's errors, which stand in no message."""
    return UNNAMED if condition and condition.startswith(UNNAMED) else condition


def by_jdbc(session: Connection, statements: Sequence[str]) -> list[str | None]:
    def answer(statement: str) -> str | None:
        try:
            session.sql(statement)
        except Refused as refused:
            found = NAMED.search(refused.message)
            return found[1] if found else UNNAMED
        return None

    return [answer(statement) for statement in statements]


@pytest.fixture(scope="module")
def jdbc(metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Answers]]:
    """Runs statements in a session of a Thrift server."""
    folder = tmp_path_factory.mktemp("server")
    with started_thrift_server(metastore, folder) as (_, port), jdbc_client(port) as client:

        def run(statements: Sequence[str], _: Path) -> Answers:
            with client.connect() as session:
                return by_jdbc(session, statements)

        yield run


@pytest.fixture(scope="module")
def connect(metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Answers]]:
    """Runs statements by a plain client of Spark Connect."""
    with started_connect_server(metastore, tmp_path_factory.mktemp("connect")) as (_, port):

        def run(statements: Sequence[str], folder: Path) -> Answers:
            script, listed = folder / "client.py", folder / "statements.json"
            listed.write_text(json.dumps(list(statements)), encoding="utf-8")
            script.write_text(CLIENT.format(port=port, statements=str(listed)), encoding="utf-8")
            return [named(json.loads(line)) for line in run_client(script, find_client())]

        yield run


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name.partition(".")[0])
@pytest.mark.parametrize("way", ["jdbc", "connect"])
def test_what_is_typed_is_answered_as_in_a_session_of_python(
    way: str, path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    statements, expected = read(path)
    name = f"typed_{uuid.uuid4().hex[:10]}"
    run = request.getfixturevalue(way)
    answers = run([f"CREATE DATABASE {name}", f"USE {name}", *statements], tmp_path)[2:]
    compared = zip(statements, expected, answers, strict=True)
    assert [(text, recorded, answer) for text, recorded, answer in compared if answer != recorded] == []
