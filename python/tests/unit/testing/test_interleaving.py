"""Statements that are held and wait, with sessions that do as they are told: `HOLD…` is held, `WAIT…` waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.failures import StatementFailed
from hive_acid_sqltest.input.parsing import parse_input
from hive_acid_sqltest.input.values import Settings
from hive_acid_sqltest.runner import Report, Verdict, update_file
from hive_acid_sqltest.session import Answer, Step
from hive_acid_sqltest.suite import SuiteFile


@dataclass
class ScriptedSession:
    """Keeps what it was told, with all others, in `log`."""

    log: list[str]
    name: str
    statement: str = ""
    hold: str | None = None

    def run(self, statement: str) -> Answer:
        self.log.append(f"{self.name} runs {statement.split(maxsplit=1)[0]}")
        return Answer("struct<>")

    def location(self, table: str) -> str:
        raise AssertionError

    def start(self, statement: str, hold: str | None) -> None:
        if hold == "nowhere":
            raise SuiteError("no such point")
        self.statement, self.hold = statement, hold
        self.log.append(f"{self.name} starts {statement}")

    def go_on(self) -> None:
        self.hold = None
        self.log.append(f"{self.name} goes on")

    def wait(self) -> Step:
        if self.hold:
            return Step.HELD
        if self.statement.startswith("WAIT"):
            self.statement = self.statement.removeprefix("WAIT ")
            return Step.WAITING
        return Step.ENDED

    def finish(self) -> Answer:
        if self.statement == "FAIL":
            raise StatementFailed("prose", "X", "SOME_CONDITION", "12345")
        return Answer("struct<s:string>", (f"{self.statement} has ended",))

    def abandon(self) -> None:
        self.hold = None
        self.log.append(f"{self.name} is abandoned")


@dataclass
class ScriptedSessions:
    log: list[str] = field(default_factory=list)
    opened: int = 0

    def open(self, settings: Settings) -> ScriptedSession:
        self.opened += 1
        return ScriptedSession(self.log, f"session {self.opened}")


Run = Callable[[str], tuple[Report, str, list[str]]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Records an input: the report, the result and the log."""

    def run_text(text: str) -> tuple[Report, str, list[str]]:
        file = SuiteFile("a", tmp_path / "a.sql", tmp_path / "a.sql.out")
        file.input.write_text(text)
        sessions = ScriptedSessions()
        report = update_file(file, sessions)
        return report, file.result.read_text() if file.result.exists() else "", sessions.log

    return run_text


def outputs(result: str) -> list[str]:
    """`session: output` of every statement."""
    blocks = result.split("-- !query")[1:]
    sessions = [block.split("\n")[0].strip() or "main" for block in blocks[::3]]
    return [
        f"{session}: {block.removeprefix(' output').strip()}"
        for session, block in zip(sessions, blocks[2::3], strict=True)
    ]


def test_a_statement_that_is_held_is_recorded_and_once_more_when_it_goes_on(run: Run) -> None:
    report, result, log = run("--SESSION a\n--HOLD lock\nONE;\n--SESSION b\nTWO;\n--CONTINUE a\nTHREE;")
    assert report.verdict is Verdict.UPDATED, report.text
    assert outputs(result) == [
        "session a: <held at lock>",
        "session b: TWO has ended",
        "session a: ONE has ended",
        "session b: THREE has ended",
    ]
    assert "-- !query session a\n--CONTINUE a\n" in result
    steps = ["session 2 starts ONE", "session 3 starts TWO", "session 2 goes on", "session 3 starts THREE"]
    assert [line for line in log if "runs" not in line] == steps


def test_a_statement_that_waits_is_continued_too_and_several_are_at_once(run: Run) -> None:
    text = (
        "--SESSION a\n--HOLD lock\nONE;\n--SESSION b\nWAIT WAIT TWO;\n--SESSION c\n--EXPECT error\nFAIL;\n"
        "--EXPECT 1 row\n--CONTINUE a, b\n--CONTINUE b"
    )
    report, result, log = run(text)
    assert report.verdict is Verdict.UPDATED, report.text
    assert [line.split("\n")[0] for line in outputs(result)] == [
        "session a: <held at lock>",
        "session b: <waiting for a lock>",
        "session c: {",
        "session a: ONE has ended",
        "session b: <waiting for a lock>",
        "session b: TWO has ended",
    ]
    assert log.index("session 3 goes on") == log.index("session 2 goes on") + 1


@pytest.mark.parametrize(
    ("text", "message", "abandoned"),
    [
        ("--SESSION a\n--HOLD lock\nONE;\nTWO;\n--CONTINUE a", "--CONTINUE a comes before the next", [2]),
        ("--SESSION a\n--HOLD lock\nONE;", "statements are under way at the end: --CONTINUE a is missing", [2]),
        ("--SESSION a\nONE;\n--CONTINUE a", "--CONTINUE a: no statement of that session is under way", []),
        ("--SESSION a\n--HOLD nowhere\nONE;\n--CONTINUE a", "no such point", []),
        (
            "--SESSION a\n--HOLD lock\nONE;\n--SESSION b\nWAIT TWO;\n--CONTINUE a\n--SESSION a\nTHREE;\n--CONTINUE b",
            "nobody is held any more that others wait for: --CONTINUE b is missing",
            [3],
        ),
    ],
)
def test_what_cannot_be_told_apart_is_refused_and_nothing_stays_under_way(
    run: Run, text: str, message: str, abandoned: list[int]
) -> None:
    report, _, log = run(text)
    assert report.verdict is Verdict.BROKEN
    assert message in report.text
    assert [line for line in log if "abandoned" in line] == [f"session {number} is abandoned" for number in abandoned]
    assert log[-1] == "session 1 runs DROP"


def test_sessions_that_cannot_be_held_refuse_such_a_file(tmp_path: Path) -> None:
    class Plain(ScriptedSessions):
        def open(self, settings: Settings) -> ScriptedSession:
            session = super().open(settings)
            return type("PlainSession", (), {"run": session.run, "location": session.location})()

    (tmp_path / "a.sql").write_text("--HOLD lock\nONE;\n--CONTINUE main")
    report = update_file(SuiteFile("a", tmp_path / "a.sql", tmp_path / "a.sql.out"), Plain())
    assert report.verdict is Verdict.BROKEN
    assert "need sessions whose statements can be held" in report.text


def test_a_hold_is_for_the_next_statement_only() -> None:
    test = parse_input("--HOLD lock\n--SESSION a\nONE;\nTWO;\n--CONTINUE a", "x.sql", {}.__getitem__)
    assert [(step.session, step.hold, step.continues) for step in test.statements] == [
        ("a", "lock", ()),
        ("a", None, ()),
        ("main", None, ("a",)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--HOLD lock\n--HOLD commit\nONE;", "x.sql:2: the next statement is held at lock already"),
        ("ONE;\n--HOLD lock\n", "x.sql:3: --HOLD has no statement after it"),
        ("ONE;\n--CONTINUE a,main\n", "x.sql:2: there is no statement before it in a session a"),
        ("--HOLD\nONE;", "x.sql:1: --HOLD needs a value"),
    ],
)
def test_holds_that_do_nothing_are_refused(text: str, message: str) -> None:
    with pytest.raises(SuiteError) as refused:
        parse_input(text, "x.sql", {}.__getitem__)
    assert str(refused.value) == message
