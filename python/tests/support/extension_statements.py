"""Tables of a session that has the tests' extension, and expressions that change and search them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hive_acid_erasure.certificate.signing import make_keys
from support.extension_session import ExtensionSession


@contextmanager
def table(session: ExtensionSession, described: str) -> Iterator[str]:
    name = f"people_{uuid.uuid4().hex[:10]}"
    session.sql(f"CREATE TABLE {name} {described}")
    try:
        yield name
    finally:
        session.sql(f"DROP TABLE {name}")


def rows(session: ExtensionSession, name: str) -> list[list[object]]:
    return session.sql(f"SELECT * FROM {name} ORDER BY 1, 2")


def changes(name: str) -> dict[str, str]:
    """Statements of each kind that reads its target."""
    return {
        "update": f"spark.sql(\"UPDATE {name} SET name = 'ADA' WHERE id = 1\")",
        "update all": f"spark.sql(\"UPDATE {name} SET name = 'ADA'\")",
        "delete": f"spark.sql(\"DELETE FROM {name} WHERE ssn = '222-22'\")",
        "delete all": f'spark.sql("DELETE FROM {name}")',
        "merge": f'spark.sql("MERGE INTO {name} t USING (SELECT 2 AS id) s ON t.id = s.id '
        "WHEN MATCHED THEN UPDATE SET name = 'BOB' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)\")",
        "replace": f"spark.sql(\"INSERT INTO {name} REPLACE WHERE ssn = '222-22' SELECT 3, 'Cyd', '222-22'\")",
        "frame": f"spark.range(1).selectExpr('3', \"'Cyd'\", \"'222-22'\").toDF('id', 'name', 'ssn')"
        f".writeTo('{name}').overwrite(functions.col('ssn') == '222-22')",
        "api delete": f"hive_acid.AcidTable.forName(spark, '{name}').delete(\"ssn = '222-22'\")",
        "api update": f"hive_acid.AcidTable.forName(spark, '{name}').update('id = 1', {{'name': \"'ADA'\"}})",
        "dry run": f'spark.sql("EXPLAIN ACID UPDATE {name} SET name = upper(name)").collect()',
    }


def erase(name: str, folder: Path) -> str:
    """The verdict of an erasure of the subject 222-22."""
    hash_key, signing_key, _ = make_keys(folder / "keys")
    files = {"signing_key": signing_key, "ledger": folder / "ledger", "certificate": folder / "certificate.json"}
    given = ", ".join(f"{key}=pathlib.Path({str(path)!r})" for key, path in files.items())
    return f"hive_acid.erase(spark, {searched(name, hash_key)}, {given}).verdict.state.value"


def verify(name: str, folder: Path) -> str:
    """The verdict on the subject 222-22 where nothing is erased."""
    hash_key, _, _ = make_keys(folder / "keys")
    return f"hive_acid.verify(spark, {searched(name, hash_key)}).verdict.state.value"


def searched(name: str, hash_key: Path) -> str:
    tables = {f"default.{name}": {"keys": {"ssn": "ssn"}}}
    secret = f"bytes.fromhex({hash_key.read_text()!r})"
    return f"subjects=['222-22'], columns=['ssn'], tables={tables}, hash_key={secret}"
