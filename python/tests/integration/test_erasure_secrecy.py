"""Neither a subject nor the hash key nor a hash is in what Spark writes: plans, event logs, logs of the driver."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from hive_acid import AcidTable
from hive_acid.local import EmbeddedMetastore
from hive_acid.model.names import HISTORY_FILE
from hive_acid.model.table import TableName
from hive_acid_erasure.certificate.signing import make_keys
from hive_acid_erasure.subjects.folding import fold
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.subjects import build_subjects
from integration.conftest import Tables
from support import secrecy_run
from support.insert_only_tables import create
from support.metastore_database import Cell, opened
from support.spellings import NAMES, TEXTS, find_spellings

BEYOND = pytest.mark.beyond_the_gate("`unit/erasure`; the suite of keyed hashes in Scala")

SUBJECT = "Ada-7f3a-Lovelace"
SECRET = b"\x01\x02the secret of this test, 32 bytes"

SCRIPT = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
import hive_acid
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid.model.table import TableName
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine

told = json.loads(sys.stdin.read())
builder = SparkSession.builder.master("local[1]").config(map=told["conf"])
spark = hive_acid.configure(builder, metastore=told["metastore"]).getOrCreate()
spark.sparkContext.setLogLevel("DEBUG")
engine = SparkErasureEngine(spark, bytes.fromhex(told["secret"]))
table, key = TableName(told["database"], "t"), Key(("name",))
matcher = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [(told["subject"],)])),))
found = [engine.count(matcher, None).matched, len(engine.links(matcher, Key(("id",))))]
with engine._functions.conditions(matcher) as conditions:
    frame = engine._session.sql(f"SELECT * FROM {table} WHERE {conditions[0]}")
    print(frame._jdf.queryExecution().toString())
    engine._session.sql(f"EXPLAIN FORMATTED SELECT * FROM {table} WHERE {conditions[0]}").show(truncate=False)
found.append(engine.delete([matcher], {})[0].row_count)
files = [path for path in Path(told["root"]).rglob("bucket_*") if not path.name.endswith(".crc")]
listed = [PhysicalFile(str(p), p.stat().st_size, p.stat().st_mtime_ns // 1_000_000) for p in files]
found.append(sum(finding.match_count for finding in engine.search(matcher, listed)))
list(engine.compact(table, [""]))
print("FOUND", json.dumps(found))
spark.stop()
"""


def run_script(
    script: str | Path, metastore: EmbeddedMetastore, folder: Path, mode: str = "extended", **told: Any
) -> subprocess.CompletedProcess[str]:
    """A session of its own, whose event log lies below the folder's `events`."""
    (folder / "events").mkdir()
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.eventLog.compress": "false",
        "spark.sql.ui.explainMode": mode,
        "spark.ui.enabled": "false",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": metastore.warehouse.as_uri(),
    }
    given = {"conf": conf, "metastore": metastore.uri, "secret": SECRET.hex(), "subject": SUBJECT, **told}
    return subprocess.run(
        [sys.executable, *([str(script)] if isinstance(script, Path) else ["-c", script])],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


@BEYOND
def test_spark_writes_down_nothing_that_names_a_subject(
    tables: Tables, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    tables.create("t")
    tables.sql(f"INSERT INTO t VALUES (1, '{SUBJECT}'), (2, 'Bob')")
    run = run_script(SCRIPT, metastore, tmp_path, database=tables.database, root=str(tables.location("t")))
    assert "FOUND [1, 1, 1, 1]" in run.stdout, run.stderr[-3000:]
    texts = [
        run.stdout,
        run.stderr,
        *(
            path.read_text()
            for path in tmp_path.joinpath("events").rglob("*")
            if path.is_file() and path.suffix != ".crc"
        ),
    ]
    events_told = "".join(texts[2:])
    assert "SparkListenerSQLExecutionStart" in events_told
    assert "DELETE FROM" in events_told or "hive_acid_" in events_told, "the event log tells of the statements"
    assert "DEBUG" in run.stderr
    one_hash = HashKey(SECRET).hash_parts((SUBJECT,))
    for secret in (SECRET, one_hash):
        for shown in (secret.hex(), secret.hex().upper(), base64.b64encode(secret).decode(), str(list(secret))[1:-1]):
            assert not any(shown in text for text in texts)
    assert not any(SUBJECT in text or "the secret of this test" in text for text in texts)


PARTITIONS = """
import json, sys
from pyspark.sql import SparkSession
import hive_acid
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher
from hive_acid.model.table import TableName
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine

told = json.loads(sys.stdin.read())
builder = SparkSession.builder.master("local[1]").config(map=told["conf"])
spark = hive_acid.configure(builder, metastore=told["metastore"]).getOrCreate()
engine = SparkErasureEngine(spark, bytes.fromhex(told["secret"]))
table, key = TableName(told["database"], "t"), Key(("name",))
matcher = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [(told["subject"],)])),))
names = frozenset({"who=" + told["subject"], "who=x"})
assert engine.choose_partitions(table, "who <> 'y'", sorted(names)) == names
print("FOUND", engine.delete([matcher], {})[0].row_count, spark.table(str(table)).count())
spark.stop()
"""


@BEYOND
def test_names_of_partitions_stand_in_no_plan_and_no_text(
    tables: Tables, metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    insert_only = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE t (name STRING) PARTITIONED BY (who STRING) STORED AS ORC TBLPROPERTIES ({insert_only})")
    tables.sql(f"INSERT INTO t VALUES ('{SUBJECT}', '{SUBJECT}'), ('{SUBJECT}', 'x'), ('Bob', 'x')")
    run = run_script(PARTITIONS, metastore, tmp_path, database=tables.database)
    assert "FOUND 2 1" in run.stdout, run.stderr[-3000:]
    events = "".join(path.read_text() for path in tmp_path.joinpath("events").rglob("*") if path.is_file())
    assert "Parsed Logical Plan" in events and "HiveAcid OVERWRITE" in events
    assert SUBJECT not in events
    notes = [path.read_text() for path in tables.location("t").rglob("_hive_acid_history")]
    assert notes and not [note for note in notes if "OVERWRITE" in note and SUBJECT in note]


PEOPLE = [name for names in NAMES.values() for name in names if len(name) > 5 or not name.isascii()]
SPELLINGS = sorted({spelled for name, spelled in find_spellings() if name in PEOPLE and len(spelled) > 5})
OF_PARTITIONS = ["Martin King Jr.", "山田太郎", "मोदी"]
OF_METASTORE = {"TC_PARTITION", "CTC_PARTITION", "HL_PARTITION", "CQ_PARTITION", "CC_PARTITION", "WS_PARTITION"}
"""Columns in which the metastore's protocol asks for names of partitions."""
ENDS = {
    "failing key": "HIVE_ACID_ERASURE.NOT_COUNTED",
    "failing limit": "HIVE_ACID_ERASURE.NOT_COUNTED",
    "refusing metastore": "HIVE_ACID_METASTORE_REFUSED",
    "unexpected error": "HIVE_ACID_INTERNAL",
    "conflict": "pending",
    "refused compactions": "pending",
    "failing search": "HIVE_ACID_METASTORE_REFUSED",
    "waiting Cleaner": "pending",
    "damaged file": "HIVE_ACID_ERASURE.NOT_COUNTED",
    "search": "pending",
    "file of another format": "HIVE_ACID_ERASURE.NOT_COUNTED",
    "damaged column": "HIVE_ACID_ERASURE.NOT_COUNTED",
    "partitions of a plain table": "pending",
    "a table in a folder of theirs": "pending",
}
"""How each erasure and search of the process ends."""


def _plant(tables: Tables) -> Path:
    """Tables that everything names people in; a file of a partition that is named by one."""
    insert_only = "'transactional'='true', 'transactional_properties'='insert_only'"
    full = "'transactional'='true'"
    values = ", ".join(f"({number}, {_quote(name)})" for number, name in enumerate((*SPELLINGS, "Cyd")))
    texts = ", ".join(f"'note.{number}'={_quote(text(PEOPLE[0]))}" for number, text in enumerate(TEXTS.values()))
    tables.sql(f"CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ({full}, {texts})")
    tables.sql(f"CREATE TABLE o (id INT, name STRING) STORED AS PARQUET TBLPROPERTIES ({insert_only})")
    for name, kind in (("p", insert_only), ("d", full)):
        tables.sql(
            f"CREATE TABLE {name} (id INT, name STRING) PARTITIONED BY (who STRING) STORED AS ORC "
            f"TBLPROPERTIES ({kind})"
        )
        rows = [f"({number}, {_quote(who)}, {_quote(who)})" for number, who in enumerate((*OF_PARTITIONS, "Cyd"))]
        tables.sql(f"INSERT INTO {name} VALUES {', '.join(rows)}")
    for name in ("t", "o"):
        tables.sql(f"INSERT INTO {name} VALUES {values}")
    for name in ("t", "o", "p"):
        _write_notes(tables.location(name))
        (tables.location(name) / "_note").write_text("\n".join(SPELLINGS), encoding="utf-8")
    _plant_of_other_kinds(tables)
    (damaged,) = tables.location("d").glob("who=Martin*/delta_*/bucket_00000")
    return damaged


def _plant_of_other_kinds(tables: Tables) -> None:
    """A damaged file of Hadoop's, one whose keys can be read, a plain table, and a table in a folder of a person."""
    who, martin = "PARTITIONED BY (who STRING)", OF_PARTITIONS[0]
    create(tables, "s", "SEQUENCEFILE", more=who)
    tables.sql(f"ALTER TABLE s ADD PARTITION (who = '{martin}')")
    file = tables.location("s") / f"who={martin}" / "delta_0000001_0000001_0000" / "000000_0"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"damage" * 99)
    txn_id = tables.client.open_transaction("me", "here", "test")
    tables.client.allocate_write_id(txn_id, TableName(tables.database, "s"))
    tables.client.commit(txn_id)

    create(tables, "b", "ORC", "name STRING, more STRING", who)
    tables.sql("ALTER TABLE b SET TBLPROPERTIES ('orc.compress' = 'ZLIB')")  # which misses the bytes that are gone
    long = "array_join(transform(sequence(1, 9999), n -> sha(string(n))), '')"
    tables.sql(f"INSERT INTO b SELECT '{martin}', {long}, '{martin}'")
    (file,) = tables.location("b").rglob("000000_0*")
    content = file.read_bytes()
    half = len(content) // 2
    file.write_bytes(content[:half] + bytes(1000) + content[half + 1000 :])
    file.with_name(f".{file.name}.crc").unlink()

    tables.sql(f"CREATE TABLE v (id INT, name STRING) {who} STORED AS ORC")
    tables.sql(f"INSERT INTO v VALUES (1, 'x', '{martin}'), (2, 'y', '{OF_PARTITIONS[1]}'), (3, 'z', 'Cyd')")
    tables.sql(f"ALTER TABLE v ADD PARTITION (who = '{OF_PARTITIONS[2]}')")
    (tables.location("v") / f"who={OF_PARTITIONS[2]}").rmdir()

    folder = tables.location("v").parent / martin / "l"
    tables.sql(
        f"CREATE TABLE l (id INT, name STRING) STORED AS ORC LOCATION '{folder}' TBLPROPERTIES ('transactional'='true')"
    )
    tables.sql(f"INSERT INTO l VALUES (1, '{martin}')")


def _write_notes(folder: Path) -> None:
    """As releases of before have told statements, with the names of aliases."""
    for path in list(folder.rglob(HISTORY_FILE)):
        found = json.loads(path.read_text())
        found["notes"][0]["statement"] = f"INSERT INTO x SELECT ? AS `{PEOPLE[0]}`"
        path.write_text(json.dumps(found))
        path.with_name(f".{HISTORY_FILE}.crc").unlink()


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


@pytest.fixture
def read_texts(tables: Tables, metastore: EmbeddedMetastore) -> Iterator[Callable[[], set[Cell]]]:
    """All texts of the metastore's database."""
    with opened(metastore, tables.spark) as read:
        yield read


def test_nothing_that_an_erasure_leaves_names_anybody_however_it_fails(
    tables: Tables, metastore: EmbeddedMetastore, read_texts: Callable[[], set[Cell]], tmp_path: Path
) -> None:
    damaged = _plant(tables)
    before = read_texts()
    make_keys(tmp_path / "keys")
    told = {"names": PEOPLE, "files": str(tmp_path), "database": tables.database, "damaged": str(damaged)}
    run = run_script(Path(secrecy_run.__file__), metastore, tmp_path, "formatted", **told)
    ends = dict(_read_end(line) for line in run.stdout.splitlines() if line.startswith("ENDED"))
    assert "ALL DONE" in run.stdout, run.stderr[-3000:]
    assert ends == ENDS, run.stderr[-3000:]
    finder = build_subjects(PEOPLE, ["name"]).spotters(HashKey(SECRET)).of(())
    texts = {"stdout": run.stdout, "stderr": run.stderr}
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".crc"]
    texts |= {str(path.relative_to(tmp_path)): path.read_bytes().decode(errors="replace") for path in files}
    assert any("SparkListenerSQLExecutionStart" in text and "hive_acid_" in text for text in texts.values())
    everywhere = {each for name in PEOPLE for each in (name, quote(name), json.dumps(name)[1:-1])} | {*SPELLINGS}
    shown = {name: [each for each in everywhere if each in text] for name, text in texts.items()}
    assert {name: found for name, found in shown.items() if found} == {}
    of_ours = {name: finder.count(text) for name, text in texts.items() if not name.startswith(("events", "blockmgr"))}
    assert {name: count for name, count in of_ours.items() if count} == {}

    written = read_texts() - before
    assert any(cell.table == "COMPLETED_COMPACTIONS" for cell in written)
    told = [(cell, name) for cell in written for name in everywhere if name in cell.text]
    asked_for = {name for name in everywhere if any(_is_spelled(name, who) for who in OF_PARTITIONS)}
    assert [(cell, name) for cell, name in told if name not in asked_for or cell.column not in OF_METASTORE] == []

    history = AcidTable.forName(tables.spark, "t").history().where("operation = 'INSERT'")
    ((inserted,),) = history.select("statement").collect()
    assert re.fullmatch(r"INSERT INTO x SELECT \? AS `#[0-9a-f]{16}`", inserted)


def _is_spelled(text: str, name: str) -> bool:
    return fold(unquote(text)) == fold(name)


def _read_end(line: str) -> tuple[str, str]:
    name = next(name for name in ENDS if line.startswith(f"ENDED {name} "))
    return name, line.removeprefix(f"ENDED {name} ").split(" ")[0]
