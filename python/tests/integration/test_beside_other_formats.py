"""Sessions whose catalog is Delta's or Iceberg's: our statements work, and theirs leave transactional tables alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.spark_lines import find_line, is_before
from support.other_formats import LINES, find_session_catalogs, settings_beside
from support.session_process import SessionProcess, StatementFailed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_line() not in LINES, reason="Delta or Iceberg is not there for this line of Spark"),
]
ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY = "STORED AS ORC TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
ROWS = [(2, "m", None), (3, "c", None), (9, "r", None)]
NEW_ROWS = "(SELECT 2 AS id, 'm' AS v UNION ALL SELECT 9, 'n')"
STATEMENTS: tuple[tuple[str, list[tuple[object, ...]]], ...] = (
    (f"CREATE TABLE t (id INT, v STRING) {ACID}", []),
    (f"CREATE TABLE p (id INT, v STRING) PARTITIONED BY (d INT) {ACID}", []),
    (f"CREATE TABLE io (id INT, v STRING) {INSERT_ONLY}", []),
    ("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", [(3,)]),
    ("INSERT INTO p VALUES (1, 'a', 1), (2, 'b', 2)", [(2,)]),
    ("INSERT INTO io VALUES (1, 'a')", [(1,)]),
    ("DELETE FROM t WHERE id = 1", [(1,)]),
    ("UPDATE t SET v = 'u' WHERE id = 2", [(1,)]),
    ("UPDATE p SET d = 3 WHERE id = 1", [(1,)]),
    ("SELECT * FROM p ORDER BY id", [(1, "a", 3), (2, "b", 2)]),
    (
        f"MERGE INTO t USING {NEW_ROWS} s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        [(2, 1, 0, 1)],
    ),
    ("INSERT OVERWRITE p SELECT id, upper(v), d FROM p WHERE id = 1", [(1,)]),
    ("SELECT * FROM p ORDER BY id", [(1, "A", 3), (2, "b", 2)]),
    ("UPDATE t SET v = 'r' WHERE id = 9", [(1,)]),
    ("TRUNCATE TABLE io", []),
    ("SELECT * FROM io", []),
    (f"CREATE TABLE c {ACID} AS SELECT * FROM t", []),
    ("SELECT count(*) FROM c", [(3,)]),
    ("ALTER TABLE t ADD COLUMNS (w INT)", []),
    ("SELECT * FROM t ORDER BY id", ROWS),
)
THEIRS: Mapping[str, str] = {"spark": "ice.db.i", "delta": "theirs", "iceberg": "theirs"}
PROCEDURE, ALTERATION = (f"HIVE_ACID_UNSUPPORTED_STATEMENT.{name}" for name in ("PROCEDURE", "FOREIGN_ALTERATION"))
BY_THEM = ""
"""They refuse it themselves, by an error that they have for any table of another format."""
FOREIGN: Mapping[str, Mapping[str, str]] = {
    "spark": {
        "CALL ice.system.snapshot('{db}.t', 'db.x')": PROCEDURE,
        "CALL ice.system.add_files(table => 'db.i', source_table => '{db}.t')": PROCEDURE,
        "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)": BY_THEM,
    },
    "delta": {
        "ALTER TABLE t ADD CONSTRAINT k CHECK (id > 0)": ALTERATION,
        "ALTER TABLE t DROP CONSTRAINT k": ALTERATION,
        "CONVERT TO DELTA t": BY_THEM,
        "VACUUM t": BY_THEM,
        "OPTIMIZE t": BY_THEM,
        "RESTORE TABLE t TO VERSION AS OF 1": BY_THEM,
        "CREATE TABLE x SHALLOW CLONE t": BY_THEM,
    },
    "iceberg": {
        "CALL spark_catalog.system.migrate('{db}.t')": PROCEDURE,
        "CALL system.migrate(table => 't')": PROCEDURE,
        "CALL system.snapshot('spark_catalog.{db}.t', '{db}.x')": PROCEDURE,
        **(
            {}
            if is_before("4.0")  # whose Iceberg takes literals only
            else {
                "CALL system.migrate('{db}.' || 't')": PROCEDURE,
                "CALL system.migrate(table => concat('{db}', '.t'))": PROCEDURE,
                "EXECUTE IMMEDIATE 'CALL system.migrate(''{db}.t'')'": PROCEDURE,
                "CALL system.migrate(name_of_t)": PROCEDURE,
            }
        ),
        "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)": BY_THEM,
        "ALTER TABLE t WRITE ORDERED BY id": BY_THEM,
    },
}


@dataclass(frozen=True)
class Beside:
    """A session in a database of its own with the table `t`, which has ROWS, and one of another format."""

    catalog: str
    session: SessionProcess
    folder: Path

    @property
    def theirs(self) -> str:
        """The table of the other format."""
        return THEIRS[self.catalog]

    def files(self) -> list[Path]:
        """Of the table `t`."""
        return sorted((self.folder / "t").rglob("*"))


def start(metastore: EmbeddedMetastore, catalog: str, folder: Path, *, ours_first: bool = False) -> SessionProcess:
    conf = settings_beside(catalog, metastore.uri, folder / "ice", ours_first=ours_first)
    return SessionProcess(folder / "spark", metastore.uri, metastore.warehouse, conf)


@pytest.fixture(scope="module", params=find_session_catalogs())
def beside(
    request: pytest.FixtureRequest, metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Beside]:
    catalog, database = request.param, f"beside_{request.param}"
    with start(metastore, catalog, tmp_path_factory.mktemp(catalog)) as session:
        session.sql(f"CREATE DATABASE {database}")
        session.sql(f"USE {database}")
        for statement, rows in STATEMENTS:
            assert session.sql(statement) == rows, statement
        form = "delta" if catalog == "delta" else "iceberg"
        if not is_before("4.0"):
            session.sql(f"DECLARE VARIABLE name_of_t STRING DEFAULT '{database}.t'")
        session.sql(f"CREATE TABLE {THEIRS[catalog]} (id INT, v STRING) USING {form}")
        yield Beside(catalog, session, metastore.warehouse / f"{database}.db")


def test_tables_of_both_are_sources_and_targets(beside: Beside) -> None:
    session, theirs = beside.session, beside.theirs
    session.sql(f"INSERT INTO {theirs} VALUES (1, 'a'), (2, 'b')")
    session.sql(f"DELETE FROM {theirs} WHERE id = 1")
    session.sql(f"UPDATE {theirs} SET v = 'z'")
    session.sql(f"MERGE INTO {theirs} o USING t ON o.id = t.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (t.id, t.v)")
    assert session.sql(f"SELECT * FROM {theirs} ORDER BY id") == [(2, "z"), (3, "c"), (9, "r")]
    assert session.sql(
        f"MERGE INTO c USING {theirs} o ON c.id = o.id WHEN MATCHED AND o.v = 'z' THEN UPDATE SET v = o.v "
        "WHEN MATCHED AND o.id = 9 THEN DELETE"
    ) == [(2, 1, 1, 0)]
    assert session.sql("SELECT * FROM c ORDER BY id") == [(2, "z"), (3, "c")]
    assert session.sql(f"INSERT INTO c SELECT * FROM {theirs} WHERE id = 9") == [(1,)]
    assert session.sql("SELECT * FROM c ORDER BY id") == [(2, "z"), (3, "c"), (9, "r")]
    if beside.catalog != "delta":  # which has no procedures
        name = theirs.removeprefix("ice.")
        ((rewritten, *_),) = session.sql(
            f"CALL {theirs.removesuffix(name)}system.rewrite_data_files(table => '{name}')"
        )
        assert rewritten >= 0


def test_their_commands_leave_a_transactional_table_alone(beside: Beside) -> None:
    before = beside.files()
    for statement, condition in FOREIGN[beside.catalog].items():
        with pytest.raises(StatementFailed) as failed:
            beside.session.sql(statement.format(db=f"beside_{beside.catalog}"))
        assert condition in (failed.value.condition, BY_THEM), failed.value.text
        assert beside.files() == before, statement
        assert beside.session.sql("SELECT * FROM t ORDER BY id") == ROWS, statement


def test_the_extension_may_stand_before_theirs(metastore: EmbeddedMetastore, tmp_path: Path) -> None:
    with start(metastore, "delta", tmp_path, ours_first=True) as session:
        session.sql("CREATE DATABASE first")
        session.sql("USE first")
        for statement, rows in STATEMENTS:
            assert session.sql(statement) == rows, statement
        with pytest.raises(StatementFailed, match="FOREIGN_ALTERATION"):
            session.sql("ALTER TABLE t ADD CONSTRAINT k CHECK (id > 0)")
