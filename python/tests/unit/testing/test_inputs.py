from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.input.parsing import load_input, parse_input
from hive_acid_sqltest.input.values import MAIN_SESSION, InputStatement, Recording, TestInput, Variant


def parse(text: str, imports: dict[str, TestInput] | None = None) -> TestInput:
    return parse_input(text, "x.sql", lambda name: (imports or {})[name])


def test_files_and_rows_belong_to_the_next_statement_only() -> None:
    test = parse("--FILES t\n--ROWS db.`u`\nINSERT INTO t VALUES (1);\nSELECT 1;")
    assert test.statements == (
        InputStatement("INSERT INTO t VALUES (1)", 3, ((Recording.FILES, "t"), (Recording.ROWS, "db.`u`"))),
        InputStatement("SELECT 1", 4),
    )


def test_an_expectation_is_one_of_the_next_statement_alone() -> None:
    test = parse("--EXPECT error SOME_CONDITION\nSELECT 1;\nSELECT 2;\n--EXPECT value\nSELECT 3;")
    assert [s.expectation and s.expectation.text for s in test.statements] == ["error SOME_CONDITION", None, "value"]
    assert test.has_expectations and not parse("SELECT 1;").has_expectations


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("--EXPECT three rows\nSELECT 1;", "x.sql:1: not error, error CONDITION, no rows, N rows, or value TEXT"),
        (
            "--EXPECT no rows\n--EXPECT 1 row\nSELECT 1;",
            "x.sql:2: the next statement is expected to do no rows already",
        ),
        ("SELECT 1;\n--EXPECT no rows\n", "--EXPECT has no statement after it"),
        ("--ONLY_IF hive >= 4\nSELECT 1;", "x.sql:1: not of the form spark|metastore"),
        ("--MASK [\nSELECT 1;", "x.sql:1: no regular expression: ["),
        ("--MASK a*\nSELECT 1;", "x.sql:1: it matches where there is nothing: a*"),
        ("--HASH_ABOVE many\nSELECT 1;", "x.sql:1: no number of rows: many"),
    ],
)
def test_a_wrong_directive_is_refused_with_its_line(text: str, says: str) -> None:
    with pytest.raises(SuiteError) as refused:
        parse(text)
    assert says in str(refused.value)


def test_what_an_imported_file_requires_and_masks_holds_for_the_whole() -> None:
    imported = parse("--ONLY_IF spark >= 4.0\n--MASK [0-9]+ ms\n--HASH_ABOVE 5\nSELECT 1;")
    test = parse("--MASK x+\n--IMPORT y\nSELECT 2;", {"y": imported})
    assert [each.text for each in test.requirements] == ["spark >= 4.0"]
    assert [mask.pattern for mask in test.recorder.masks] == ["x+", "[0-9]+ ms"]
    assert test.recorder.most_rows == 5


def test_settings_are_for_the_whole_file_wherever_they_stand() -> None:
    test = parse("--SET a.b=1, c = x=y \nSELECT 1;\n--SET d=\nSELECT 2;\n--SET e=5\n")
    assert test.settings == (("a.b", "1"), ("c", "x=y"), ("d", ""), ("e", "5"))
    assert test.runs() == [Variant(test.settings)]


def test_a_file_runs_once_for_each_combination_of_choices() -> None:
    test = parse("--SET s=0\n--CONFIG_DIM1 a=1\n--CONFIG_DIM2 c=1\n--CONFIG_DIM1 a=2,b=2\nSELECT 1;")
    assert test.runs() == [
        Variant((("s", "0"), ("a", "1"), ("c", "1")), (), "a=1, c=1"),
        Variant((("s", "0"), ("a", "2"), ("b", "2"), ("c", "1")), (), "a=2,b=2, c=1"),
    ]


KINDS = "--TABLE_DIM t flat\n--TABLE_DIM t partitioned PARTITIONED BY (b)\n"


def test_a_file_runs_once_for_each_kind_of_a_table() -> None:
    test = parse(KINDS + "CREATE TABLE t (a INT, b INT) ${t} STORED AS ORC;\nSELECT '${x}';")
    flat, partitioned = test.runs()
    create, other = (statement.text for statement in test.statements)
    assert (flat.label, partitioned.label) == ("t flat", "t partitioned")
    assert flat.fill(create) == "CREATE TABLE t (a INT, b INT)  STORED AS ORC"
    assert partitioned.fill(create) == "CREATE TABLE t (a INT, b INT) PARTITIONED BY (b) STORED AS ORC"
    assert flat.fill(other) == other


def test_kinds_of_tables_and_choices_of_settings_are_combined() -> None:
    test = parse("--TABLE_DIM u x\n--CONFIG_DIM1 k=1\n" + KINDS + "--CONFIG_DIM1 k=2\nSELECT ${t} ${u};")
    assert [variant.label for variant in test.runs()] == [
        "k=1, t flat, u x",
        "k=1, t partitioned, u x",
        "k=2, t flat, u x",
        "k=2, t partitioned, u x",
    ]


def test_statements_run_in_the_session_named_last() -> None:
    test = parse("SELECT 1;\n--SESSION a\n--FILES t\nSELECT 2;\nSELECT 3;\n--SESSION main\nSELECT 4;")
    assert [statement.session for statement in test.statements] == [MAIN_SESSION, "a", "a", MAIN_SESSION]


def test_an_imported_file_keeps_its_sessions_to_itself() -> None:
    shared = parse("--SESSION a\nSELECT 1;")
    test = parse("--IMPORT shared.sql\nSELECT 2;", {"shared.sql": shared})
    assert [statement.session for statement in test.statements] == ["a", MAIN_SESSION]


def test_imported_statements_and_directives_come_first() -> None:
    shared = parse("--SET a=1\n--CONFIG_DIM1 z=1\n--CONFIG_DIM1 z=2\n--FILES t\nCREATE TABLE t (a INT);")
    test = parse("--IMPORT shared.sql\n--CONFIG_DIM1 y=1\n--SET a=2\nSELECT 1;", {"shared.sql": shared})
    assert [statement.text for statement in test.statements] == ["CREATE TABLE t (a INT)", "SELECT 1"]
    assert test.statements[0].recordings == ((Recording.FILES, "t"),)
    assert test.settings == (("a", "1"), ("a", "2"))
    assert len(test.runs()) == 2


def test_two_files_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 'a';")
    (tmp_path / "b.sql").write_text("SELECT 'b';")
    (tmp_path / "main.sql").write_text("--IMPORT a.sql\n--IMPORT b.sql\nSELECT 'main';\r\nSELECT 2;")
    found = load_input(tmp_path / "main.sql").statements
    assert [statement.text for statement in found] == ["SELECT 'a'", "SELECT 'b'", "SELECT 'main'", "SELECT 2"]


def test_ordinary_comments_are_no_directives() -> None:
    test = parse("-- SET a=1\n--SELECT 1;\n--set a=1\n---- SET\nSELECT 2;")
    assert test == TestInput((), (), (InputStatement("SELECT 2", 5),))


def test_a_script_between_delimiters_is_a_statement_with_its_directives() -> None:
    test = parse("--FILES t\n--QUERY-DELIMITER-START\nBEGIN SELECT 1; SELECT 2; END;\n--QUERY-DELIMITER-END\nSELECT 3;")
    assert test.statements == (
        InputStatement("BEGIN SELECT 1; SELECT 2; END", 3, ((Recording.FILES, "t"),)),
        InputStatement("SELECT 3", 5),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--FILE t\nSELECT 1;", "x.sql:1: --FILE is no directive; is --FILES meant?"),
        ("SELECT 1;\n--ROW t\nSELECT 1;", "x.sql:2: --ROW is no directive; is --ROWS meant?"),
        ("--FILES1 t\nSELECT 1;", "x.sql:1: --FILES1 is no directive; is --FILES meant?"),
        ("--CONFIG_DIMS a=1\nSELECT 1;", "x.sql:1: --CONFIG_DIMS is no directive; is --CONFIG_DIM meant?"),
        ("--FILES\nSELECT 1;", "x.sql:1: --FILES needs a value"),
        ("--SET a\nSELECT 1;", "x.sql:1: not of the form key=value"),
        ("--SET a=1,=2\nSELECT 1;", "x.sql:1: not of the form key=value"),
        ("--CONFIG_DIM1 a\nSELECT 1;", "x.sql:1: not of the form key=value"),
        ("SELECT 1;\n--FILES t\n", "x.sql:3: --FILES has no statement after it"),
        ("SELECT 1;\n--IMPORT y.sql\nSELECT 1;", "x.sql:2: --IMPORT comes before all statements"),
        ("--TABLE_DIM flat\nSELECT 1;", "x.sql:1: not of the form table kind [clauses]: flat"),
        ("--TABLE_DIM t flat\n--TABLE_DIM t flat x\nSELECT 1;", "x.sql:2: t has the kind flat already"),
        (KINDS + "SELECT '${u}';", "x.sql: --TABLE_DIM t changes nothing: no statement holds ${t}"),
        (KINDS + "SELECT '${t}';\n--FILES db.`T`\nSELECT 1;", "x.sql:5: --FILES db.`T` and --TABLE_DIM t exclude"),
        ("--SESSION a b\nSELECT 1;", "x.sql:1: no name for a session: a b"),
        ("--SESSION\nSELECT 1;", "x.sql:1: --SESSION needs a value"),
        ("--DEBUG on\nSELECT 1;", "x.sql:1: --DEBUG is not supported"),
    ],
)
def test_a_directive_that_would_not_do_what_it_seems_to_is_refused(text: str, message: str) -> None:
    with pytest.raises(SuiteError) as refused:
        parse(text)
    assert str(refused.value).startswith(message)


def test_a_table_has_its_kinds_in_one_file() -> None:
    shared = parse(KINDS + "CREATE TABLE t ${t};")
    with pytest.raises(SuiteError, match="--TABLE_DIM t stands here and in an imported file"):
        parse("--IMPORT shared.sql\n--TABLE_DIM t bucketed\nSELECT 1;", {"shared.sql": shared})


def test_a_file_that_imports_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("--IMPORT b.sql\nSELECT 1;")
    (tmp_path / "b.sql").write_text("--IMPORT a.sql\nSELECT 1;")
    with pytest.raises(SuiteError, match=r"imports itself by way of a\.sql and b\.sql"):
        load_input(tmp_path / "a.sql")


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("--IMPORT missing.sql\nSELECT 1;")
    (tmp_path / "b.sql").write_bytes(b"SELECT '\xff'")
    for name, missing in (("a.sql", "missing.sql"), ("b.sql", "b.sql")):
        with pytest.raises(SuiteError, match=f"{missing}: cannot be read"):
            load_input(tmp_path / name)
