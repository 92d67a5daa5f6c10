"""Beside an extension that masks and filters rows, and asks for rights, statements change what is stored or nothing.

Masks and filters are put above a relation while Spark analyses a plan, above a table's name, or in the optimizer.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.spark_lines import LINES, find_line
from support.extension_session import ExtensionSession
from support.extension_statements import changes, erase, rows, table, verify

ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY = "STORED AS ORC TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
STAGES = ("analysis", "alias", "optimizer")
STORED = [[1, "Ada", "111-11"], [2, "Bob", "222-22"]]
TARGET, SOURCE = "HIVE_ACID_FOREIGN_NODE.TARGET", "HIVE_ACID_FOREIGN_NODE.SOURCE"
KEY = "HIVE_ACID_FOREIGN_NODE.KEY"
needs_early_rules = pytest.mark.skipif(
    LINES.index(find_line()) < LINES.index("4.3"), reason="extensions have no such rules before Spark 4.3"
)


@pytest.fixture(scope="module")
def session(metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExtensionSession]:
    with ExtensionSession(tmp_path_factory.mktemp("extension"), metastore.uri, metastore.warehouse) as started:
        yield started


@pytest.fixture
def people(session: ExtensionSession) -> Iterator[str]:
    """A table of two people, with a column that policies mask."""
    with table(session, f"(id INT, name STRING, ssn STRING) {ACID}") as name:
        session.sql(f"INSERT INTO {name} VALUES (1, 'Ada', '111-11'), (2, 'Bob', '222-22')")
        session.seen()
        yield name


@pytest.mark.beyond_the_gate(
    "the other cells of the test; one of each stage and of each kind of statement",
    but=[
        "update-analysis",
        "delete-alias",
        "merge-analysis",
        "merge-optimizer",
        "replace-analysis",
        "api delete-optimizer",
    ],
)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", changes("t"))
def test_a_mask_over_the_target_refuses_a_change_of_rows(
    session: ExtensionSession, people: str, stage: str, kind: str
) -> None:
    with session.policies(stage=stage, mask=f"{people}.ssn"):
        assert rows(session, people)[0][2] == "***"
        refused = session.refusal(changes(people)[kind])
    assert refused.condition == TARGET, refused
    assert people in refused.text
    assert "Project" in refused.text
    assert rows(session, people) == STORED


@pytest.mark.beyond_the_gate(
    "the other cells of the test; one of each stage", but=["update all-analysis", "merge-alias", "delete all-optimizer"]
)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", ["update all", "delete all", "merge", "replace", "api delete", "dry run"])
def test_a_filter_over_the_target_refuses_a_change_of_rows(
    session: ExtensionSession, people: str, stage: str, kind: str
) -> None:
    with session.policies(stage=stage, filter=f"{people}.id=2"):
        assert len(rows(session, people)) == 1
        refused = session.refusal(changes(people)[kind])
    assert refused.condition == TARGET, refused
    assert "Filter" in refused.text
    assert rows(session, people) == STORED


@pytest.mark.parametrize("kind", ["update", "delete", "merge", "replace"])
def test_a_plug_in_that_knows_no_statement_masks_none_of_their_targets(
    session: ExtensionSession, people: str, kind: str
) -> None:
    with session.policies(stage="analysis", mask=f"{people}.ssn", knows="nothing"):
        refused = session.refusal(changes(people)[kind])
    assert refused.condition == TARGET, refused
    assert rows(session, people) == STORED


@pytest.mark.parametrize("kind", ["update", "update all", "api update", "merge"])
def test_columns_that_are_kept_are_not_masked_in_place(session: ExtensionSession, people: str, kind: str) -> None:
    with session.policies(stage="expression", mask=f"{people}.ssn"):
        assert session.sql(f"SELECT ssn FROM {people}") == [["***"], ["***"]]
        refused = session.refusal(changes(people)[kind])
    assert refused.condition == TARGET, refused
    assert rows(session, people) == STORED


@pytest.mark.parametrize("stage", STAGES)
def test_a_mask_below_the_padding_of_a_char_column_is_seen(session: ExtensionSession, stage: str) -> None:
    with table(session, f"(id INT, name STRING, ssn CHAR(6)) {ACID}") as name:
        session.sql(f"INSERT INTO {name} VALUES (1, 'Ada', '111'), (2, 'Bob', '222-22')")
        for column in ("ssn", "name"):
            with session.policies(stage=stage, mask=f"{name}.{column}"):
                for kind in ("update", "delete", "merge", "replace"):
                    refused = session.refusal(changes(name)[kind])
                    assert refused.condition == TARGET, refused
        assert rows(session, name) == [[1, "Ada", "111   "], [2, "Bob", "222-22"]]


@pytest.mark.parametrize("stage", ["normalization", pytest.param("early optimizer", marks=needs_early_rules)])
def test_a_rule_that_comes_before_those_of_the_optimizer_is_seen(
    session: ExtensionSession, people: str, stage: str
) -> None:
    for kind in ("update", "delete", "merge"):
        for policy in ({"mask": f"{people}.ssn"}, {"filter": f"{people}.id=2"}):
            with session.policies(stage=stage, **policy):
                refused = session.refusal(changes(people)[kind])
            assert refused.condition == TARGET, refused
    assert rows(session, people) == STORED


@pytest.mark.parametrize("stage", ["analysis", "alias"])
def test_values_that_are_shown_in_a_coarser_type_are_not_what_a_change_of_rows_meets(
    session: ExtensionSession, stage: str
) -> None:
    statements = (
        "UPDATE {} SET id = id + 1 WHERE salary = 10",
        "DELETE FROM {} WHERE salary = 10",
        "MERGE INTO {} t USING (SELECT 10 AS s) ON salary = s WHEN MATCHED THEN DELETE",
        "INSERT INTO {} REPLACE WHERE salary = 10 SELECT 2, 10.00",
    )
    with table(session, f"(id INT, salary DECIMAL(6, 2)) {ACID}") as name:
        session.sql(f"INSERT INTO {name} VALUES (1, 10.75)")
        with session.policies(stage=stage, coarse=f"{name}.salary=INT"):
            assert rows(session, name) == [[1, 10]]
            for statement in statements:
                refused = session.refusal(f"spark.sql({statement.format(name)!r})")
                assert refused.condition == TARGET, refused
        assert session.sql(f"SELECT id, string(salary) FROM {name}") == [[1, "10.75"]]


@pytest.mark.parametrize(("stage", "rule"), [("analysis", "ShownInAnalysis"), ("optimizer", "ShownInOptimizer")])
def test_the_refusal_names_the_rule(session: ExtensionSession, people: str, stage: str, rule: str) -> None:
    with session.policies(stage=stage, mask=f"{people}.ssn"):
        assert f"policies.{rule}" in session.refusal(changes(people)["update"]).text


@pytest.mark.beyond_the_gate("the other cells of the test", but=["update", "merge", "replace", "api update"])
@pytest.mark.parametrize("kind", [kind for kind in changes("t") if kind != "dry run"])
def test_a_plug_in_that_leaves_targets_as_they_are_lets_statements_change_stored_rows(
    session: ExtensionSession, people: str, kind: str
) -> None:
    with session.policies(stage="analysis", mask=f"{people}.ssn", leavesTargets="true"):
        session.call(changes(people)[kind] + " is None")
    now = {
        "update": [[1, "ADA", "111-11"], [2, "Bob", "222-22"]],
        "update all": [[1, "ADA", "111-11"], [2, "ADA", "222-22"]],
        "delete all": [],
        "merge": [[1, "Ada", "111-11"], [2, "BOB", "222-22"]],
        "replace": [[1, "Ada", "111-11"], [3, "Cyd", "222-22"]],
        "frame": [[1, "Ada", "111-11"], [3, "Cyd", "222-22"]],
        "api update": [[1, "ADA", "111-11"], [2, "Bob", "222-22"]],
    }
    assert rows(session, people) == now.get(kind, [[1, "Ada", "111-11"]])


@pytest.mark.parametrize("stage", STAGES)
def test_masks_over_other_sources_are_what_a_statement_reads(
    session: ExtensionSession, people: str, stage: str
) -> None:
    with table(session, f"(id INT, name STRING, ssn STRING) {ACID}") as copy:
        with session.policies(stage=stage, mask=f"{people}.ssn"):
            session.sql(f"INSERT INTO {copy} SELECT * FROM {people}")
            session.sql(f"UPDATE {copy} SET name = 'x' WHERE ssn IN (SELECT ssn FROM {people})")
            merge = f"MERGE INTO {copy} t USING {people} s ON t.id = s.id AND s.id = 2"
            session.sql(f"{merge} WHEN MATCHED THEN UPDATE SET name = s.ssn")
        assert rows(session, copy) == [[1, "x", "***"], [2, "***", "***"]]


@pytest.mark.parametrize("stage", ["analysis", "optimizer"])
def test_what_a_statement_reads_of_its_own_target_is_not_written_back_masked(
    session: ExtensionSession, people: str, stage: str
) -> None:
    whole = f"INSERT OVERWRITE {people} SELECT * FROM {people}"
    merge = f"MERGE INTO {people} t USING {people} s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
    replace = f"INSERT INTO {people} REPLACE WHERE id = 1 SELECT * FROM {people} WHERE id = 1"
    update = f"UPDATE {people} SET ssn = (SELECT max(ssn) FROM {people})"
    with session.policies(stage=stage, mask=f"{people}.ssn", leavesTargets="true" if stage == "analysis" else ""):
        for statement in (whole, merge, replace, update):
            refused = session.refusal(f"spark.sql({statement!r})")
            # the optimizer tells nobody which relation is the target's
            wanted = SOURCE if stage == "analysis" or statement == whole else TARGET
            assert refused.condition == wanted, (statement, refused)
    assert rows(session, people) == STORED


def test_statements_that_read_no_row_of_their_target_go_on_under_masks(session: ExtensionSession, people: str) -> None:
    with session.policies(stage="optimizer", mask=f"{people}.ssn", filter=f"{people}.id=1"):
        session.sql(f"INSERT INTO {people} VALUES (3, 'Cyd', '333-33')")
        session.sql(f"ALTER TABLE {people} COMPACT 'major'")
        session.sql("SET spark.hiveacid.guard.maxRows = 2")
        refused = session.refusal(f'spark.sql("TRUNCATE TABLE {people}")')
        session.sql("RESET spark.hiveacid.guard.maxRows")
        assert refused.condition == "HIVE_ACID_TOO_MANY_ROWS", refused
    assert rows(session, people) == [*STORED, [3, "Cyd", "333-33"]]
    with session.policies(stage="analysis", mask=f"{people}.ssn", filter=f"{people}.id=1"):
        session.sql(f"INSERT OVERWRITE {people} VALUES (4, 'Dan', '444-44')")
    assert rows(session, people) == [[4, "Dan", "444-44"]]


def test_padding_of_char_columns_is_no_node_of_others(session: ExtensionSession) -> None:
    with table(session, f"(id INT, c CHAR(5), n STRUCT<c: CHAR(3)>) {ACID}") as name:
        session.sql(f"INSERT INTO {name} SELECT 1, 'a', named_struct('c', 'b')")
        session.sql(f"UPDATE {name} SET id = 2 WHERE c = 'a'")
        session.sql(f"MERGE INTO {name} t USING {name} s ON t.c = s.c WHEN MATCHED THEN UPDATE SET id = s.id + 1")
        session.sql(f"INSERT OVERWRITE {name} SELECT * FROM {name}")
        session.sql(f"INSERT INTO {name} REPLACE WHERE c = 'a' SELECT id + 1, c, n FROM {name}")
        assert session.sql(f"SELECT id, rtrim(c), rtrim(n.c) FROM {name}") == [[4, "a", "b"]]


@pytest.mark.beyond_the_gate(
    "the other cells of the test; each stage, policy and kind of table once",
    but=["analysis-full ACID-mask", "optimizer-full ACID-filter", "alias-plain-mask"],
)
@pytest.mark.parametrize("policy", ["mask", "filter"])
@pytest.mark.parametrize(
    ("described", "ask"),
    [(ACID, erase), (INSERT_ONLY, erase), ("STORED AS ORC", verify)],
    ids=["full ACID", "insert-only", "plain"],
)
@pytest.mark.parametrize("stage", STAGES)
def test_no_subject_is_looked_for_in_what_is_shown(
    session: ExtensionSession,
    tmp_path: Path,
    stage: str,
    described: str,
    ask: Callable[[str, Path], str],
    policy: str,
) -> None:
    with table(session, f"(id INT, ssn STRING) {described}") as name:
        session.sql(f"INSERT INTO {name} VALUES (1, '111-11'), (2, '222-22')")
        with session.policies(stage=stage, **{policy: f"{name}.ssn" if policy == "mask" else f"{name}.id=2"}):
            refused = session.refusal(ask(name, tmp_path))
        assert refused.condition == KEY, refused
        assert not (tmp_path / "certificate.json").exists()
        assert len(rows(session, name)) == 2


def test_an_erasure_beside_policies_for_other_tables_is_signed(
    session: ExtensionSession, people: str, tmp_path: Path
) -> None:
    with session.policies(stage="analysis", mask="others.ssn"):
        assert session.call(erase(people, tmp_path)) == "erased"
    assert rows(session, people) == STORED[:1]


def test_each_statement_asks_for_the_rights_to_its_target_and_sources(session: ExtensionSession, people: str) -> None:
    with table(session, f"(id INT) {ACID}") as other, table(session, "(id INT) STORED AS ORC") as plain:
        session.sql(f"CREATE OR REPLACE TEMPORARY VIEW v AS SELECT id FROM {plain}")
        merge = f"MERGE INTO {people} t USING {other} s ON t.id = s.id WHEN MATCHED THEN DELETE"
        several = f"FROM {plain} INSERT INTO {other} SELECT id INSERT INTO {people} SELECT id, 'x', 'y'"
        copied = f"copied_{uuid.uuid4().hex[:10]}"
        asked = {
            f"INSERT INTO {people} SELECT id, 'x', 'y' FROM {other}": ("INSERT", [people], [other]),
            f"INSERT OVERWRITE {other} SELECT id FROM v": ("OVERWRITE", [other], [plain]),
            f"UPDATE {people} SET name = 'x' WHERE id IN (SELECT id FROM v)": ("UPDATE", [people], [plain]),
            f"DELETE FROM {people} WHERE id = 99": ("DELETE", [people], []),
            merge: ("MERGE", [people], [other]),
            f"MERGE INTO {people} t USING {people} s ON t.id = s.id WHEN MATCHED THEN DELETE": (
                "MERGE",
                [people],
                [people],
            ),
            f"INSERT INTO {other} REPLACE WHERE id = 9 SELECT 9 FROM {plain}": ("REPLACE", [other], [plain]),
            several: ("INSERT into several tables", [other, people], [plain]),
            f"TRUNCATE TABLE {other}": ("TRUNCATE", [other], []),
            f"CREATE TABLE {copied} {ACID} AS SELECT id FROM {people}": ("CREATE TABLE AS SELECT", [copied], [people]),
            f"ALTER TABLE {other} ADD COLUMNS (c INT)": ("ADD or CHANGE COLUMNS", [other], []),
            f"ALTER TABLE {other} COMPACT 'major'": ("ALTER TABLE … COMPACT", [other], []),
            f"DROP TABLE {copied}": ("DROP TABLE", [copied], []),
        }
        session.seen()
        for statement, (kind, targets, sources) in asked.items():
            session.sql(statement)
            seen = session.seen()
            wanted = [f"ask {kind} {target}" for target in targets] + [f"ask READ {source}" for source in sources]
            assert set(wanted) <= set(seen), (statement, seen)
            inside = next(line for line in seen if line.startswith("inside ")).removeprefix("inside ").split(",")
            assert set(sources) <= set(inside), (statement, seen)
            assert f"lineage {kind} {','.join(sorted(targets))} <- {','.join(sorted(sources))}" in seen, (
                statement,
                seen,
            )


def test_a_right_that_is_denied_ends_the_statement_before_anything_happens(
    session: ExtensionSession, people: str
) -> None:
    for denied, statement in (
        (f"UPDATE {people}", f"UPDATE {people} SET name = 'x'"),
        (f"INSERT {people}", f"INSERT INTO {people} VALUES (3, 'x', 'y')"),
        (f"TRUNCATE {people}", f"TRUNCATE TABLE {people}"),
        (f"UPDATE {people}", f"EXPLAIN ACID UPDATE {people} SET name = 'x'"),
    ):
        with session.policies(denied=denied):
            assert f"nobody may {denied}" in session.refusal(f"spark.sql({statement!r})").text
    assert rows(session, people) == STORED
