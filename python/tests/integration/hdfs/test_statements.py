"""Every statement on tables of a real HDFS of two NameNodes, by the name of the name service."""

from __future__ import annotations

import pytest

from hive_acid.model.table import TableName
from support.drivers import wait_until
from support.hdfs.cluster import ROOT
from support.hdfs.lake import Lake
from support.hdfs.tables import ACID, BEFORE, NUMBERS, ROW_COUNT
from support.mutations import MUTATIONS, TRUNCATIONS, WAYS_OF_WRITING, Mutation

pytestmark = pytest.mark.slow
INSERT, DELETE = (next(m for m in MUTATIONS if m.name == name) for name in ("insert-flat", "delete-flat"))


@pytest.mark.parametrize("mutation", (*WAYS_OF_WRITING, *TRUNCATIONS), ids=str)
def test_each_statement_changes_what_it_says(lake: Lake, mutation: Mutation) -> None:
    lake.assert_changes(mutation)


def test_a_table_is_created_of_a_query(lake: Lake) -> None:
    name = lake.new_name()
    lake.session.sql(f"CREATE TABLE {name} {ACID} AS SELECT int(id) AS id, 0 AS v FROM range({ROW_COUNT})")
    assert lake.rows(name) == BEFORE
    assert lake.client.table(TableName(*name.split("."))).location == f"{ROOT}{lake.path(name)}"


def test_two_statements_are_one_transaction(lake: Lake) -> None:
    name = lake.create(INSERT)
    lake.session.submit_for("teller", [m.text(name, NUMBERS) for m in (INSERT, DELETE)], together=True).result(120)
    assert lake.rows(name) == DELETE.effect(INSERT.effect(BEFORE, NUMBERS), NUMBERS)


def test_a_table_is_altered_and_its_older_rows_are_read(lake: Lake) -> None:
    name = lake.create(INSERT)
    lake.session.sql(f"ALTER TABLE {name} ADD COLUMNS (w STRING)")
    lake.session.sql(f"INSERT INTO {name} VALUES (500, 1, 'new')")
    found = lake.reader.sql(f"SELECT w, count(*) FROM {name} GROUP BY w")
    assert sorted(found, key=str) == [("new", 1), (None, ROW_COUNT)]


@pytest.mark.parametrize("kind", ["minor", "major"])
def test_a_compaction_keeps_the_rows_and_the_cleaner_removes_what_it_replaced(lake: Lake, kind: str) -> None:
    name = lake.create(INSERT)
    for mutation in (INSERT, DELETE):
        lake.session.sql(mutation.text(name, NUMBERS))
    replaced = {path for path in lake.hdfs.tree(lake.path(name)) if path.rpartition("/")[2].startswith("delta_")}
    ((*_, state, accepted, reason),) = lake.session.sql(f"ALTER TABLE {name} COMPACT '{kind}' AND WAIT")
    assert accepted, (state, reason)
    wait_until(lambda: not replaced & set(lake.hdfs.tree(lake.path(name))), "the Cleaner has removed what was folded")
    assert lake.rows(name) == DELETE.effect(INSERT.effect(BEFORE, NUMBERS), NUMBERS)
