from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import ANY
from xml.etree import ElementTree

import pytest

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.failures import StatementFailed
from hive_acid_sqltest.golden import format_golden, parse_golden
from hive_acid_sqltest.input.values import Settings
from hive_acid_sqltest.junit import format_junit
from hive_acid_sqltest.runner import Report, Verdict, check_file, order_files, run_suite, update_file
from hive_acid_sqltest.session import Answer
from hive_acid_sqltest.suite import SuiteFile, create_input, find_suite


@dataclass
class Engine:
    """Answers every statement with itself; keeps what ran, session by session."""

    location: str = "/nowhere"
    answers: dict[str, str] = field(default_factory=dict)
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    settings: list[Settings] = field(default_factory=list)
    ran: list[list[str]] = field(default_factory=list)

    def version(self, of: str) -> str:
        return {"spark": "4.3.0", "metastore": "4.0.0"}[of]

    def open(self, settings: Settings) -> EngineSession:
        self.settings.append(settings)
        self.ran.append([])
        return EngineSession(self, dict(settings), self.ran[-1])


@dataclass
class EngineSession:
    engine: Engine
    settings: dict[str, str]
    ran: list[str]

    def run(self, statement: str) -> Answer:
        self.ran.append(statement)
        if statement.startswith("FAIL"):
            raise StatementFailed("the whole prose", "X", "SOME_CONDITION", "12345")
        if statement.startswith("CRASH"):
            raise KeyboardInterrupt
        if statement.startswith("SHOW SETTING "):
            return Answer("struct<v:string>", (self.settings.get(statement.rsplit(maxsplit=1)[-1], "unset"),))
        if statement == "SELECT current_database()":
            return Answer("struct<d:string>", (self.ran[0].split()[-1],))
        if statement in self.engine.rows:
            return Answer("struct<s:string>", self.engine.rows[statement])
        return Answer("struct<s:string>", (self.engine.answers.get(statement, statement),))

    def location(self, table: str) -> str:
        if table == "missing":
            raise StatementFailed("no such table", "X", "TABLE_OR_VIEW_NOT_FOUND")
        return self.engine.location


def suite_of(folder: Path, **inputs: str) -> list[SuiteFile]:
    (folder / "inputs").mkdir(exist_ok=True)
    for name, text in inputs.items():
        (folder / "inputs" / f"{name}.sql").write_text(text)
    return find_suite(folder)


def test_a_recorded_file_passes_until_an_answer_changes(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="SELECT 1;\nSELECT 2;")
    engine = Engine()
    assert check_file(file, engine).verdict is Verdict.BROKEN  # nothing recorded yet
    assert update_file(file, engine).verdict is Verdict.UPDATED
    assert update_file(file, engine).verdict is Verdict.PASSED
    assert check_file(file, engine).verdict is Verdict.PASSED
    engine.answers["SELECT 2"] = "other"
    report = check_file(file, engine)
    assert report.verdict is Verdict.DIFFERS and not report.is_good
    assert "-SELECT 2\n+other" in report.text


@pytest.mark.parametrize(
    ("recorded", "now"),
    [((), ("",)), (("",), ()), (("", ""), ("\n",)), (("a", "b"), ("a\nb",)), (("a\nb", "c"), ("a", "b", "c"))],
)
def test_other_rows_of_the_same_text_are_a_difference(
    tmp_path: Path, recorded: tuple[str, ...], now: tuple[str, ...]
) -> None:
    [file] = suite_of(tmp_path, a="SELECT 1;")
    engine = Engine(rows={"SELECT 1": recorded})
    update_file(file, engine)
    assert check_file(file, engine).verdict is Verdict.PASSED
    engine.rows["SELECT 1"] = now
    report = check_file(file, engine)
    assert report.verdict is Verdict.DIFFERS
    assert "-- !query count" in report.text


def test_the_number_of_rows_stands_only_where_the_lines_do_not_tell_it(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="SELECT 1; SELECT 2; SELECT 3;")
    update_file(file, Engine(rows={"SELECT 1": (), "SELECT 2": ("a", ""), "SELECT 3": ("",)}))
    text = file.result.read_text()
    assert text.count("-- !query count") == 1
    assert text.endswith("SELECT 3\n-- !query schema\nstruct<s:string>\n-- !query output\n\n-- !query count\n1\n")


def test_a_statement_added_to_the_input_differs_from_what_was_recorded(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="SELECT 1;")
    update_file(file, Engine())
    file.input.write_text("SELECT 1; SELECT 2;")
    assert "+SELECT 2" in check_file(file, Engine()).text


def test_an_error_is_recorded_and_its_prose_shown_only_where_it_was_not_expected(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="--EXPECT error\nFAIL;")
    assert update_file(file, Engine()).verdict is Verdict.UPDATED
    assert '"errorClass": "SOME_CONDITION"' in file.result.read_text()
    assert "prose" not in file.result.read_text()
    assert check_file(file, Engine()).verdict is Verdict.PASSED
    file.input.write_text("SELECT 1;\n--EXPECT error\nFAIL 2;")
    assert "statement 2 failed: the whole prose" in check_file(file, Engine()).text


def test_each_run_has_a_database_of_its_own_that_is_dropped_also_after_a_crash(tmp_path: Path) -> None:
    good, bad = suite_of(tmp_path, good="SELECT current_database();", zz="CRASH;")
    engine = Engine()
    update_file(good, engine)
    assert check_file(good, engine).verdict is Verdict.PASSED
    with pytest.raises(KeyboardInterrupt):
        update_file(bad, engine)
    databases = [ran[0].removeprefix("CREATE DATABASE ") for ran in engine.ran]
    assert len(set(databases)) == 3
    for database, ran in zip(databases, engine.ran, strict=True):
        assert ran[1] == f"USE {database}"
        assert ran[-2:] == ["USE default", f"DROP DATABASE {database} CASCADE"]
    assert "{database}" in good.result.read_text()


def test_a_file_runs_under_its_settings_and_every_choice_must_agree(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="--SET k=v\n--CONFIG_DIM1 z=1\n--CONFIG_DIM1 z=2\nSHOW SETTING k;")
    engine = Engine()
    update_file(file, engine)
    assert check_file(file, engine).verdict is Verdict.PASSED
    assert [dict(settings)["z"] for settings in engine.settings] == ["1", "2", "1", "2"]
    assert all(dict(settings)["spark.sql.session.timeZone"] == "UTC" for settings in engine.settings)
    file.input.write_text(file.input.read_text().replace("SETTING k", "SETTING z"))
    report = update_file(file, engine)
    assert report.verdict is Verdict.DIFFERS
    assert report.text.startswith("with z=2\n")


def test_every_kind_of_a_table_must_answer_the_same(tmp_path: Path) -> None:
    text = "--TABLE_DIM t flat\n--TABLE_DIM t other BY (x)\nCREATE t ${t};\nSELECT 1;"
    [file] = suite_of(tmp_path, a=text)
    engine = Engine(answers={"CREATE t ": "made", "CREATE t BY (x)": "made"})
    assert update_file(file, engine).verdict is Verdict.UPDATED
    assert "-- !query\nCREATE t ${t}\n" in file.result.read_text()
    assert check_file(file, engine).verdict is Verdict.PASSED
    assert [ran[2] for ran in engine.ran] == ["CREATE t ", "CREATE t BY (x)"] * 2
    engine.answers["CREATE t BY (x)"] = "made otherwise"
    report = check_file(file, engine)
    assert report.verdict is Verdict.DIFFERS
    assert report.text.startswith("with t other\n")
    assert "-made\n+made otherwise" in report.text


def test_each_named_session_is_one_of_its_own_in_the_database_of_the_file(tmp_path: Path) -> None:
    text = "--SET k=v\nSELECT 1;\n--SESSION a\nSHOW SETTING k;\n--SESSION b\nSELECT 2;\n--SESSION a\nSELECT 3;"
    [file] = suite_of(tmp_path, a=text)
    engine = Engine()
    assert update_file(file, engine).verdict is Verdict.UPDATED
    assert check_file(file, engine).verdict is Verdict.PASSED
    create, use, *main = engine.ran[0]
    assert (use, main[0]) == (create.replace("CREATE DATABASE", "USE"), "SELECT 1")
    assert engine.ran[1] == [use, "SHOW SETTING k", "SELECT 3"]
    assert engine.ran[2] == [use, "SELECT 2"]
    assert "-- !query session a\nSHOW SETTING k\n-- !query schema\nstruct<v:string>\n" in file.result.read_text()
    file.input.write_text(text.replace("SESSION b", "SESSION main"))
    assert "--- !query session b\n+-- !query\n SELECT 2" in check_file(file, engine).text


def test_files_of_a_table_are_recorded_after_the_statement(tmp_path: Path) -> None:
    table = tmp_path / "t"
    table.mkdir()
    (table / "bucket_00000").touch()
    [file] = suite_of(tmp_path, a="--FILES t\nSELECT 1;")
    assert update_file(file, Engine(location=str(table))).verdict is Verdict.UPDATED
    assert "-- !query files t\nbucket_00000\n" in file.result.read_text()


def test_recording_a_table_that_is_not_there_breaks_the_file_and_records_nothing(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="--FILES missing\nSELECT 1;")
    report = update_file(file, Engine())
    assert (report.verdict, report.text) == (Verdict.BROKEN, "--FILES missing: no such table")
    assert not file.result.exists()


def test_files_run_in_an_order_that_the_seed_repeats(tmp_path: Path) -> None:
    files = suite_of(tmp_path, **{f"f{number}": f"SELECT {number};" for number in range(8)})
    orders = []
    for seed in (1, 1, 2):
        told: list[Report] = []
        run_suite(order_files(files, seed), Engine(), True, told.append)
        orders.append([report.name for report in told])
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) == [file.name for file in files]


def test_a_broken_input_does_not_stop_the_others(tmp_path: Path) -> None:
    files = suite_of(tmp_path, a="SELECT 'open", b="SELECT 1;")
    reports = {report.name: report for report in run_suite(files, Engine(), True, lambda _: None)}
    assert (reports["a"].verdict, reports["b"].verdict) == (Verdict.BROKEN, Verdict.UPDATED)


@pytest.mark.parametrize("text", ["", "-- SELECT 1;\n", "--SET k=v\n", "--IMPORT nothing.sql\n"])
def test_an_input_without_a_statement_proves_nothing_and_is_broken(tmp_path: Path, text: str) -> None:
    files = suite_of(tmp_path, a="SELECT 1;", nothing="--SET k=v\n")
    (tmp_path / "results").mkdir()
    files[0].result.write_text(format_golden([], "a"))
    files[0].input.write_text(text)
    for report in (check_file(files[0], Engine()), update_file(files[0], Engine())):
        assert (report.verdict, report.text) == (Verdict.BROKEN, f"{files[0].input}: there is no statement in it")


def test_an_import_may_hold_settings_alone(tmp_path: Path) -> None:
    file, _ = suite_of(tmp_path, a="--IMPORT settings.sql\nSELECT 1;", settings="--SET k=v\n")
    assert update_file(file, Engine()).verdict is Verdict.UPDATED


def test_a_result_without_an_input_is_refused(tmp_path: Path) -> None:
    suite_of(tmp_path, a="SELECT 1;")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "gone.sql.out").touch()
    with pytest.raises(SuiteError, match="have no input, remove them: gone"):
        find_suite(tmp_path, "a")


def test_inputs_are_found_in_folders_and_filtered_by_name(tmp_path: Path) -> None:
    (tmp_path / "inputs/sub").mkdir(parents=True)
    (tmp_path / "inputs/sub/b.sql").touch()
    (tmp_path / "inputs/a.sql").touch()
    assert [file.name for file in find_suite(tmp_path)] == ["a", "sub/b"]
    assert [file.result for file in find_suite(tmp_path, "^sub/")] == [tmp_path / "results/sub/b.sql.out"]
    for wrong in ("nothing", "("):
        with pytest.raises(SuiteError):
            find_suite(tmp_path, wrong)
    with pytest.raises(SuiteError, match="no suite"):
        find_suite(tmp_path / "inputs")


def test_a_new_input_can_be_parsed_and_is_never_written_over(tmp_path: Path) -> None:
    path = create_input(tmp_path, "sub/first.sql")
    assert path == tmp_path / "inputs/sub/first.sql"
    [file] = find_suite(tmp_path)
    assert file.name == "sub/first"
    with pytest.raises(SuiteError, match="exists already"):
        create_input(tmp_path, "sub/first")
    for wrong in ("", "../x", "a b", "/x", "x.y"):
        with pytest.raises(SuiteError, match="is no name"):
            create_input(tmp_path, wrong)


def test_junit_tells_differences_from_errors() -> None:
    reports = [
        Report("a", Verdict.PASSED, 0.5),
        Report("b", Verdict.DIFFERS, 1.0, "-1\n+2 <&> \x00"),
        Report("c", Verdict.BROKEN, 0.0, "why"),
    ]
    suite = ElementTree.fromstring(format_junit(reports, 7))
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "time")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "time": "1.500",
    }
    assert [case.get("name") for case in suite.findall("testcase")] == ["a", "b", "c"]
    assert suite.findtext("testcase/failure") == "-1\n+2 <&> \N{REPLACEMENT CHARACTER}"
    assert suite.findtext("testcase/error") == "why"


def test_an_error_that_is_not_expected_is_not_recorded(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="SELECT 1;\nFAIL;")
    report = update_file(file, Engine())
    assert report.verdict is Verdict.BROKEN and not file.result.exists()
    assert f"{file.input}:2: failed: the whole prose\nIf it is meant to fail, write `--EXPECT error`" in report.text
    file.input.write_text("SELECT 1;\n--EXPECT error\nFAIL;")
    assert update_file(file, Engine()) == replace(
        report, verdict=Verdict.UPDATED, text="lines that end in an error: 3", seconds=ANY
    )
    file.input.write_text("SELECT 2;\nFAIL;")  # the same error as in the record
    assert update_file(file, Engine()).verdict is Verdict.UPDATED


def test_a_record_that_may_differ_tomorrow_is_told(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="SELECT 1;\nSELECT current_date();\nSELECT knows;\nSELECT a, UUID();")
    assert update_file(file, Engine()).text == "lines whose result depends on the time or on chance: 2, 4"


def test_a_file_with_expectations_runs_before_it_is_recorded(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="--EXPECT value SELECT 1\nSELECT 1;\nSELECT 2;")
    engine = Engine()
    assert check_file(file, engine).verdict is Verdict.PASSED
    engine.answers["SELECT 1"] = "other"
    report = check_file(file, engine)
    assert report.verdict is Verdict.DIFFERS
    assert report.text == f"{file.input}:2: expected value SELECT 1, found value other"
    file.input.write_text("--EXPECT 1 row\nSELECT 1;\nFAIL;")
    assert "failed: the whole prose" in check_file(file, engine).text


def test_an_expectation_counts_whatever_was_recorded(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="SELECT 1;")
    update_file(file, Engine())
    file.input.write_text("--EXPECT no rows\nSELECT 1;")
    report = check_file(file, Engine())
    assert report.verdict is Verdict.DIFFERS and "expected no rows, found value SELECT 1" in report.text
    assert update_file(file, Engine()).verdict is Verdict.BROKEN


def test_a_file_for_other_versions_is_skipped(tmp_path: Path) -> None:
    [file] = suite_of(tmp_path, a="--ONLY_IF spark >= 4.0\n--ONLY_IF metastore < 4\nSELECT 1;")
    engine = Engine()
    for work in (check_file, update_file):
        report = work(file, engine)
        assert (report.verdict, report.text) == (Verdict.SKIPPED, "only if metastore < 4, and this is 4.0.0")
    assert report.is_good and not engine.ran and not file.result.exists()
    assert 'skipped="1"' in format_junit([report], 1) and "<skipped message=" in format_junit([report], 1)


def test_masks_and_hashes_stand_in_the_record(tmp_path: Path) -> None:
    text = "--MASK [0-9]+ ms\n--HASH_ABOVE 2\nSELECT 1;\n--EXPECT 3 rows\nSELECT 2;"
    [file] = suite_of(tmp_path, a=text)
    engine = Engine(answers={"SELECT 1": "took 12 ms"}, rows={"SELECT 2": ("a", "b", "c")})
    update_file(file, engine)
    first, second = parse_golden(file.result.read_text(), "a")
    assert first.output == "took {masked}"
    assert re.fullmatch("3 rows hashing to [0-9a-f]{64}", second.output) and not second.recorded
    engine.answers["SELECT 1"] = "took 13 ms"
    assert check_file(file, engine).verdict is Verdict.PASSED
    engine.rows["SELECT 2"] = ("a", "b", "d")
    assert check_file(file, engine).verdict is Verdict.DIFFERS
