"""A seed says everything about a random run, and what shows a difference is made short."""

from __future__ import annotations

from support.random_sql.generator import Generator
from support.random_sql.runner import Difference
from support.random_sql.shrinking import shrink
from support.random_sql.steps import Segment, Step, sql

KINDS = {
    *(
        "ADD COLUMNS",
        "ADD PARTITION",
        "DROP PARTITION",
        "DROP TABLE",
        "TRUNCATE",
        "TRUNCATE PARTITION",
        "SET",
        "SELECT",
    ),
    *("COMPACT 'minor'", "COMPACT 'major'", "COMPACT 'rebalance'", "COMPACT 'major' by a worker", "COMPACT by hand"),
    *("CREATE, ACID", "CREATE, with originals", "CREATE, insert-only, ORC", "CREATE, insert-only, Parquet"),
    *("ALTER TABLE to transactional", "UPDATE", "DELETE", "MERGE", "transaction", "transaction that is undone"),
    *("INSERT VALUES", "INSERT SELECT", "INSERT of some columns", "INSERT OVERWRITE", "INSERT into two tables"),
    *("INSERT PARTITION", "INSERT OVERWRITE PARTITION", "INSERT REPLACE WHERE", "DataFrame write"),
}


def texts(seed: str) -> list[str]:
    return [step.text for step in Generator(seed).segment().steps]


def test_a_seed_gives_the_same_statements_again() -> None:
    assert texts("7") == texts("7")
    assert texts("7") != texts("8")


def test_every_kind_of_statement_is_drawn() -> None:
    drawn = {step.kind for seed in range(60) for step in Generator(str(seed)).segment().steps}
    assert drawn >= KINDS


def named(name: str) -> Step:
    return Step(name, (sql(name),))


def test_steps_that_do_not_matter_are_left_out() -> None:
    def run(segment: Segment) -> Difference | None:
        kinds = [step.kind for step in segment.steps]
        return Difference(len(kinds) - 1, "it is wrong") if {"3", "8"} <= set(kinds) and kinds[-1] == "15" else None

    whole = Segment("1", {}, [named(str(number)) for number in range(16)])
    shortest, difference = shrink(whole, Difference(15, "it is wrong"), run, 10.0)
    assert [step.kind for step in shortest.steps] == ["3", "8", "15"]
    assert difference.step == 2


def test_another_difference_does_not_count() -> None:
    def run(segment: Segment) -> Difference | None:
        return Difference(0, "it is wrong" if len(segment.steps) == 3 else "there is no such table")

    whole = Segment("1", {}, [named(str(number)) for number in range(3)])
    assert shrink(whole, Difference(2, "it is wrong"), run, 10.0)[0].steps == whole.steps
