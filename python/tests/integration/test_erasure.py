"""`hive_acid.erase` on a real metastore: the bytes are gone, and the certificate says so."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.model.table import TableName
from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, PUBLIC_KEY_FILE, SIGNING_KEY_FILE, make_keys
from hive_acid_erasure.run import Outcome
from integration.conftest import Tables
from support.other_metastore import Other

ADA = "ada.lovelace@example.org"


def test_a_person_is_erased_and_verified_and_a_leftover_is_found_again(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    spark.sql(
        "CREATE TABLE sales (id INT, email STRING) PARTITIONED BY (day STRING) STORED AS ORC "
        "TBLPROPERTIES ('transactional'='true')"
    )
    tables.sql(f"INSERT INTO sales VALUES (1, '{ADA}', 'mon'), (2, 'cyd@example.org', 'mon'), (3, 'cyd@x.org', 'tue')")
    tables.sql(f"UPDATE sales SET id = 7 WHERE email = '{ADA}'")
    location = tables.location("sales")
    kept = tmp_path / "kept"
    shutil.copytree(location / "day=mon", kept)
    make_keys(tmp_path / "keys")
    hash_key = bytes.fromhex((tmp_path / "keys" / HASH_KEY_FILE).read_text().strip())
    plan = {f"{tables.database}.sales": {"keys": {"email": "lower(email)"}}}

    outcome = hive_acid.erase(
        spark,
        subjects=[ADA],
        tables=plan,
        columns=["email"],
        hash_key=hash_key,
        signing_key=tmp_path / "keys" / SIGNING_KEY_FILE,
        ledger=tmp_path / "ledger",
        certificate=tmp_path / "certificate.json",
    )
    assert outcome.verdict.state.value == "erased", outcome.verdict
    files = [path for path in location.rglob("*") if path.is_file()]
    assert not [path for path in files if b"lovelace" in path.read_bytes()]
    assert spark.table("sales").count() == 2
    assert outcome.certificate is not None
    told = hive_acid.AcidTable.forName(spark, "sales").history().where("operation = 'DELETE'").select("statement")
    assert [row.statement for row in told.collect()] == [f"erasure {outcome.certificate.payload['erasure']}"]
    table = outcome.certificate.payload["tables"][0]
    assert table["deletions"][0]["rows"] == 1 and table["deletions"][0]["txn_id"] > 0
    assert len(table["compactions"]) == 1 and table["files_removed"]
    for path in (tmp_path / "ledger", tmp_path / "certificate.json", tmp_path / "certificate.html"):
        assert "lovelace" not in path.read_text(encoding="utf-8")

    assert not [
        p
        for each in hive_acid.verify_certificate(
            spark, tmp_path / "certificate.json", hash_key, tmp_path / "keys" / PUBLIC_KEY_FILE
        )
        for p in each.places
    ]
    hashed = [file for file in table["files"] if "sha256" in file]
    assert {Path(file["path"]).parent.parent.name for file in hashed} == {"day=mon"}
    bucket = next(file for file in hashed if Path(file["path"]).name.startswith("bucket_"))
    base = Path(bucket["path"].removeprefix("file:"))
    assert bucket["sha256"] == hashlib.sha256(base.read_bytes()).hexdigest()
    rows = [file for file in table["files"] if file["searched"] == "rows"]
    assert table["cross_check"] == {
        "files": len(rows),
        "rows": sum(file["rows"] for file in rows),
        "unsure_rows": 0,
        "differences": 0,
        "in_part": 0,
        "not_checked": [],
        "one_reader": [],
    }
    assert table["searched"]["files"] == len(table["files"])

    shutil.copytree(kept, location / ".left" / "day=mon")
    found = hive_acid.verify_certificate(
        spark, tmp_path / "certificate.json", hash_key, tmp_path / "keys" / PUBLIC_KEY_FILE
    )
    assert {place.kind.value for each in found for place in each.places} >= {"rows"}
    assert [(each.rewritten.unchanged, each.rewritten.gone) for each in found] == [(len(hashed), 0)]
    with base.open("ab") as file:
        file.write(b"x")
    (found,) = hive_acid.verify_certificate(
        spark, tmp_path / "certificate.json", hash_key, tmp_path / "keys" / PUBLIC_KEY_FILE
    )
    assert [place.where for place in found.rewritten.changed] == [bucket["path"]]


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_other_formats.py`, `unit/erasure/test_plan.py`; a person who is erased and verified"
)
def test_an_erasure_is_of_the_sessions_own_catalog_whatever_catalog_is_the_current_one(
    spark: SparkSession, tables: Tables, lake: Other, tmp_path: Path
) -> None:
    for run in (tables.sql, lake.sql):
        run("CREATE TABLE people (email STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        run(f"INSERT INTO people VALUES ('{ADA}'), ('cyd@example.org')")
    make_keys(tmp_path / "keys")
    hash_key = bytes.fromhex((tmp_path / "keys" / HASH_KEY_FILE).read_text().strip())
    tables.sql("USE lake")
    try:
        outcome = hive_acid.erase(
            spark,
            subjects=[ADA],
            tables={f"{tables.database}.people": {"keys": {"email": "email"}}},
            columns=["email"],
            hash_key=hash_key,
            signing_key=tmp_path / "keys" / SIGNING_KEY_FILE,
            ledger=tmp_path / "ledger",
            certificate=tmp_path / "certificate.json",
        )
        again = hive_acid.verify_certificate(
            spark, tmp_path / "certificate.json", hash_key, tmp_path / "keys" / PUBLIC_KEY_FILE
        )
    finally:
        tables.sql(f"USE spark_catalog.{tables.database}")
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert not [place for each in again for place in each.places]
    assert tables.sql("SELECT * FROM people") == [("cyd@example.org",)]
    assert sorted(lake.sql("SELECT * FROM people")) == [(ADA,), ("cyd@example.org",)]


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_other_formats.py`, `unit/erasure/test_plan.py`; a person who is erased and verified"
)
def test_rows_of_text_are_counted_where_a_query_shows_them_and_told_where_none_does(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    """Hive has replaced the rows of the person; the older base still waits for the Cleaner."""
    columns = "(id INT, name STRING) PARTITIONED BY (day STRING) STORED AS TEXTFILE"
    more = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE lines {columns} TBLPROPERTIES ({more})")
    tables.sql("ALTER TABLE lines ADD PARTITION (day = 'a b')")
    table = TableName(tables.database, "lines")
    for write_id, line in enumerate(("4711\x01Ada\n", "4712\x01Bo\n"), 1):
        folder = tables.location("lines") / "day=a b" / f"base_{write_id:07d}"
        folder.mkdir(parents=True)
        (folder / "000000_0").write_text(line, encoding="utf-8")
        txn_id = tables.client.open_transaction("hive", "here", "test")
        assert tables.client.allocate_write_id(txn_id, table) == write_id
        tables.client.commit(txn_id)
    make_keys(tmp_path / "keys")
    hash_key = bytes.fromhex((tmp_path / "keys" / HASH_KEY_FILE).read_text().strip())

    def erase() -> Outcome:
        return hive_acid.erase(
            spark,
            subjects=["4711"],
            tables={str(table): {"keys": {"id": "id"}}},
            columns=["id"],
            hash_key=hash_key,
            signing_key=tmp_path / "keys" / SIGNING_KEY_FILE,
            ledger=tmp_path / "ledger",
            certificate=tmp_path / "certificate.json",
        )

    def recheck() -> list[tuple[str, str]]:
        found = hive_acid.verify_certificate(
            spark, tmp_path / "certificate.json", hash_key, tmp_path / "keys" / PUBLIC_KEY_FILE
        )
        return [(place.kind.value, Path(place.where).parent.name) for each in found for place in each.places]

    assert erase().verdict.state.value == "pending"
    assert recheck() == [("unsearched", "base_0000001")]
    shutil.rmtree(tables.location("lines") / "day=a b" / "base_0000001")
    outcome = erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert outcome.certificate is not None
    assert [file["searched"] for file in outcome.certificate.payload["tables"][0]["files"]] == ["visible"]
    (tables.location("lines") / "day=a b" / "base_0000002" / "000000_0").write_text("4711\x01Ada\n", encoding="utf-8")
    assert recheck() == [("visible-rows", "")]
