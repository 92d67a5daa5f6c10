"""A deletion that loses against another writer is tried again, and nothing of the first attempt is left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, SIGNING_KEY_FILE, Signer, make_keys
from hive_acid_erasure.plan.plan_parsing import build_plan
from hive_acid_erasure.run import erase_subjects
from hive_acid_erasure.spark.erasing import build_case, build_world
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.subjects import build_subjects
from integration.conftest import Tables

pytestmark = pytest.mark.beyond_the_gate(
    "`unit/erasure/test_meanwhile.py`, `unit/erasure/test_retrying.py`; the other tests of the file"
)

ADA = "ada.lovelace@example.org"
INSERT_ONLY = "'transactional'='true', 'transactional_properties'='insert_only'"


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("'transactional'='true'", f"UPDATE {{table}} SET id = 7 WHERE email = '{ADA}'"),
        (INSERT_ONLY, f"INSERT INTO {{table}} VALUES (7, '{ADA}', 'mon')"),
    ],
)
def test_a_change_of_another_session_makes_it_run_again(
    spark: SparkSession, tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, change: str
) -> None:
    tables.sql(
        f"CREATE TABLE sales (id INT, email STRING) PARTITIONED BY (day STRING) STORED AS ORC TBLPROPERTIES ({kind})"
    )
    tables.sql(f"INSERT INTO sales VALUES (1, '{ADA}', 'mon'), (2, 'cyd', 'mon'), (3, 'cyd', 'tue')")
    other, table = spark.newSession(), f"{tables.database}.sales"
    changes = [change.format(table=table)]
    delete_from = SparkErasureEngine._delete_from

    def meet(self: SparkErasureEngine, *args: Any) -> int:
        self.count(args[0], None)  # takes the snapshot
        while changes:
            other.sql(changes.pop())
        return delete_from(self, *args)

    monkeypatch.setattr(SparkErasureEngine, "_delete_from", meet)
    make_keys(tmp_path)
    key, signer = HashKey.read(tmp_path / HASH_KEY_FILE), Signer.read(tmp_path / SIGNING_KEY_FILE)
    plan = build_plan({"subjects": ["email"], "tables": {table: {"keys": {"email": "email"}}}})
    told: list[str] = []
    case = build_case("erasure", plan, build_subjects([ADA], plan.subject_columns), key)
    world = build_world(spark, key, told.append)
    outcome = erase_subjects(case, world, tmp_path / "ledger", signer, tmp_path / "certificate.json")
    assert [text for text in told if "tried again: 2 of 6" in text], told
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert tables.sql("SELECT email FROM sales") == [("cyd",), ("cyd",)]
    assert outcome.certificate is not None
    deletions = outcome.certificate.payload["tables"][0]["deletions"]
    assert [deletion["rows"] for deletion in deletions] == [1 if kind != INSERT_ONLY else 2]
