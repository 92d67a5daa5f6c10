"""Rows that another table leads to are erased by the links of the deletion's snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hive_acid
from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, SIGNING_KEY_FILE, make_keys
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Tables

pytestmark = pytest.mark.beyond_the_gate("`unit/erasure/test_paths.py`, `unit/erasure/test_meanwhile.py`")

ADA, CYD = "ada@example.org", "cyd@example.org"


@pytest.mark.parametrize("one_transaction", [False, True])
def test_rows_of_an_account_that_comes_during_an_erasure_or_before_a_second_run_are_erased(
    spark: SparkSession, tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_transaction: bool
) -> None:
    tables.sql("CREATE TABLE people (email STRING, account INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    tables.sql(
        "CREATE TABLE notes (account INT, note STRING) PARTITIONED BY (day STRING) STORED AS ORC "
        "TBLPROPERTIES ('transactional'='true')"
    )

    def open_account(email: str, account: int) -> None:
        tables.sql(f"INSERT INTO people VALUES ('{email}', {account})")
        tables.sql(f"INSERT INTO notes VALUES ({account}, 'of {email}', 'mon')")

    open_account(ADA, 17)
    open_account(CYD, 18)
    delete: Any = SparkErasureEngine.delete
    coming = [100] if one_transaction else [101, 100]  # the last one comes first; the second deletion is that of people

    def open_and_delete(*arguments: Any) -> Any:
        if coming:
            open_account(ADA, coming.pop())
        calls.append("delete")
        return delete(*arguments)

    def follow_and_write(*arguments: Any) -> Any:
        """Somebody's rows come after the links were found, before the deletion begins to read the table."""
        answer = links(*arguments)
        busy.sql(f"INSERT INTO {tables.database}.notes VALUES (18, 'again', 'mon')")
        return answer

    calls = list[str]()
    links: Any = SparkErasureEngine.links
    busy = spark.newSession()
    monkeypatch.setattr(SparkErasureEngine, "delete", open_and_delete)
    if not one_transaction:  # its snapshot is as old as the links
        monkeypatch.setattr(SparkErasureEngine, "links", follow_and_write)
    make_keys(tmp_path / "keys")
    keys = {"email": "email"}
    plan = {
        f"{tables.database}.people": {"keys": keys},
        f"{tables.database}.notes": {
            "keys": {"account": "account"},
            "via": [{"table": f"{tables.database}.people", "keys": keys, "link": {"account": "account"}}],
        },
    }

    def erase_and_check() -> None:
        outcome = hive_acid.erase(
            spark,
            subjects=[ADA],
            tables=plan,
            columns=["email"],
            hash_key=bytes.fromhex((tmp_path / "keys" / HASH_KEY_FILE).read_text().strip()),
            signing_key=tmp_path / "keys" / SIGNING_KEY_FILE,
            ledger=tmp_path / "ledger",
            certificate=tmp_path / "certificate.json",
            one_transaction=one_transaction,
        )
        assert outcome.verdict.state.value == "erased", outcome.verdict
        assert tables.sql("SELECT DISTINCT account FROM notes") == [(18,)]
        assert tables.sql("SELECT account FROM people") == [(18,)]

    erase_and_check()
    assert not coming
    assert len(calls) < 6, "no deletion has lost against a writer of other rows"
    open_account(ADA, 200)
    erase_and_check()
    files = [path for name in ("notes", "people") for path in tables.location(name).rglob("*") if path.is_file()]
    assert not [path for path in files if ADA.encode() in path.read_bytes()]
