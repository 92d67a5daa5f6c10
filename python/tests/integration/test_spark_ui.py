"""What people see in Spark's UI: the statement's text at its jobs, and what it did at its node."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.sql import SparkSession

from integration.conftest import Tables

DESCRIPTION = "spark.job.description"


@dataclass(frozen=True)
class Execution:
    """One line of the SQL tab, with the numbers at its nodes of ours."""

    number: int
    root: int
    description: str
    numbers: dict[str, str]


def items(sequence: Any) -> Iterator[Any]:
    """Of Scala's."""
    return (sequence.apply(i) for i in range(sequence.size()))


def load_store(spark: SparkSession) -> Any:
    """What the UI knows of executions, once all events have arrived. It forgets the oldest of many."""
    bus: Any = spark.sparkContext._jsc.sc().listenerBus()
    bus.waitUntilEmpty()
    return spark._jsparkSession.sharedState().statusStore()


def load_executions(spark: SparkSession, after: int) -> list[Execution]:
    """Those that began after one of this number, in their order."""
    store, found = load_store(spark), []
    for one in items(store.executionsList()):
        number = one.executionId()
        if number <= after:
            continue
        values = store.executionMetrics(number)
        nodes = [node for node in items(store.planGraph(number).allNodes()) if "HiveAcid" in node.name()]
        metrics = [metric for node in nodes for metric in items(node.metrics())]
        numbers = {m.name(): values.apply(m.accumulatorId()) for m in metrics if values.contains(m.accumulatorId())}
        found.append(Execution(number, one.rootExecutionId(), one.description(), numbers))
    return sorted(found, key=lambda one: one.number)


def run(tables: Tables, statement: str) -> tuple[Execution, Execution]:
    """The statement's own line, and that of its write below it."""
    spark = tables.spark
    last = max((one.executionId() for one in items(load_store(spark).executionsList())), default=-1)
    tables.sql(statement)
    own, write, *_ = load_executions(spark, last)
    assert (own.root, write.root) == (own.number, own.number), "the write stands below the statement"
    return own, write


@pytest.fixture
def parts(tables: Tables) -> Tables:
    tables.create("parts", more="PARTITIONED BY (d INT)")
    tables.sql("INSERT INTO parts SELECT int(id), 'a', int(id % 2) FROM range(10)")
    return tables


def rows_shown(own: Execution) -> tuple[str, ...]:
    return tuple(own.numbers[f"rows {name}"] for name in ("inserted", "updated", "deleted"))


def test_a_statement_shows_its_text_and_what_it_did(parts: Tables) -> None:
    statement = "UPDATE parts SET name = 'größer' WHERE id < 4"
    own, write = run(parts, f"/* first */ {statement}")
    assert write.description.endswith(statement)
    assert rows_shown(own) == ("0", "4", "0")
    assert own.numbers["files written"] == "4"  # a delta and a delete delta in each of two partitions
    assert own.numbers["size of files written"].endswith("KiB")
    times = [own.numbers[f"{phase} time"] for phase in ("snapshot", "lock wait", "write", "publish", "commit")]
    assert all(re.fullmatch(r"[\d.,]+ m?s", time) for time in times), times
    assert times[2] != "0 ms", "a Spark job wrote the rows"
    assert parts.spark.sparkContext.getLocalProperty(DESCRIPTION) is None


@pytest.mark.beyond_the_gate("a DELETE; several inserts", but=["DELETE", "several inserts"])
@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("INSERT INTO parts VALUES (20, 'b', 7)", ("1", "0", "0")),
        ("DELETE FROM parts WHERE id > 6", ("0", "0", "3")),
        (
            "MERGE INTO parts t USING (SELECT * FROM VALUES (1), (2), (30) v(k)) ON id = k WHEN MATCHED AND id = 2 "
            "THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'm' "
            "WHEN NOT MATCHED THEN INSERT (id, name, d) VALUES (k, 'n', 1)",
            ("1", "1", "1"),
        ),
        ("FROM parts INSERT INTO parts SELECT id, name, d WHERE id = 1 INSERT INTO parts SELECT 5, name, d", None),
    ],
    ids=["INSERT", "DELETE", "MERGE", "several inserts"],
)
def test_each_kind_of_statement_shows_its_rows(parts: Tables, statement: str, rows: tuple[str, ...] | None) -> None:
    own, write = run(parts, statement)
    assert write.description == (statement if rows else statement[statement.index("INSERT") :])
    assert rows_shown(own) == (rows or ("11", "0", "0"))


def test_a_description_of_the_users_stays(parts: Tables) -> None:
    context = parts.spark.sparkContext
    context.setJobDescription("the nightly run")
    try:
        own, write = run(parts, "DELETE FROM parts WHERE id = 1")
        assert (own.description, write.description) == ("the nightly run", "the nightly run")
        assert context.getLocalProperty(DESCRIPTION) == "the nightly run"
    finally:
        context.setLocalProperty(DESCRIPTION, None)


def test_what_spark_hides_in_texts_is_hidden_here(parts: Tables) -> None:
    parts.spark.conf.set("spark.sql.redaction.string.regex", "se[a-z]ret")
    try:
        _, write = run(parts, "DELETE FROM parts WHERE name = 'secret'")
    finally:
        parts.spark.conf.unset("spark.sql.redaction.string.regex")
    assert write.description == "DELETE FROM parts WHERE name = '*********(redacted)'"


def test_a_long_text_is_cut(parts: Tables) -> None:
    _, write = run(parts, f"DELETE FROM parts WHERE name = '{'x' * 3000}'")
    assert len(write.description) == 1001 and write.description.endswith("x…")
