"""The index of commands asks for no more than a command needs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from architecture.documents import DOCUMENTS

ROOT = Path(__file__).parents[3]
REPORT = "docs/test-report.md"


def find_commands() -> set[str]:
    """The labels of the last `case` of the index of commands."""
    chosen = (ROOT / "dev").read_text("utf-8").rpartition("case $command in")[2]
    labels = re.findall(r"^  ([a-z][a-z| -]*)\)", chosen, re.MULTILINE)
    return {name for label in labels for name in label.split(" | ")}


def git(folder: Path, *arguments: str) -> str:
    """What git prints, by an author of its own: a machine may have none."""
    author = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    done = subprocess.run(["git", *author, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def last_run(folder: Path) -> str:
    done = subprocess.run(["./dev", "last-run"], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def project(folder: Path, report: str) -> Path:
    """A project with the index of commands and this report, whose history is none of this project's."""
    (folder / "docs").mkdir(parents=True)
    shutil.copy(ROOT / "dev", folder)
    (folder / REPORT).write_text(report, "utf-8")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "all")
    return folder


def test_the_age_of_the_last_run_is_told_where_the_history_has_it(tmp_path: Path) -> None:
    origin = project(tmp_path / "origin", "")
    commit = git(origin, "rev-parse", "--short", "HEAD")
    (origin / REPORT).write_text(f"This is the report of `./dev test --all` of commit `{commit}` on a day.\n", "utf-8")
    git(origin, "commit", "-qam", "its report")
    git(origin, "commit", "-qm", "something else", "--allow-empty")
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), "shallow")

    told = f"everything was run on {commit}"
    assert last_run(origin) == f"{told}, 2 commits ago ({REPORT})\n"
    assert last_run(tmp_path / "shallow") == f"{told}, which is not in the history of this clone ({REPORT})\n"


def test_the_kept_report_says_of_which_commit_it_is(tmp_path: Path) -> None:
    told = last_run(project(tmp_path / "squashed", (ROOT / REPORT).read_text("utf-8")))
    assert re.fullmatch(rf"everything was run on [0-9a-f]{{7,40}}, which is not in the history .*\({REPORT}\)\n", told)


def test_a_report_of_no_commit_is_named(tmp_path: Path) -> None:
    assert last_run(project(tmp_path / "other", "All is well.\n")) == f"{REPORT} does not say of which commit it is\n"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_names_commands_of_the_index(document: Path) -> None:
    named = re.findall(r"\./dev (?:--line \S+ )?([a-z][a-z-]*)", document.read_text("utf-8"))
    assert set(named) <= find_commands()


TOOLS = (
    "awk",
    "bash",
    "cat",
    "cmp",
    "dirname",
    "git",
    "grep",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sed",
    "sh",
    "sort",
    "tail",
    "tee",
)


def machine_without_java(folder: Path) -> dict[str, str]:
    """The environment of a machine that has these tools alone."""
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, tool
        (folder / tool).symlink_to(found)
    return {"PATH": str(folder), "HOME": str(folder)}


def set_up_project(folder: Path) -> Path:
    """A project whose environment is set up, with a Python that only tells what it was asked for."""
    shutil.copy(ROOT / "dev", folder)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "python $*"\n', "utf-8")
    python.chmod(0o755)
    shutil.copy(python, python.parent / "lint-imports")
    for lock in ("requirements-dev.lock", ".venv/installed.lock", "pyproject.toml", ".venv/installed.toml"):
        (folder / lock).write_text("", "utf-8")
    return folder


def run_dev(folder: Path, machine: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["./dev", *arguments], cwd=folder, env=machine, capture_output=True, text=True, check=False)


def test_the_project_is_installed_again_when_it_names_other_programs(tmp_path: Path) -> None:
    """A pytest that looks for a plugin where it was does not start."""
    folder, machine = set_up_project(tmp_path), machine_without_java(tmp_path / "bin")
    (folder / "pyproject.toml").write_text("[project]\n", "utf-8")
    first, second = (run_dev(folder, machine, "py", "-V") for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert "install" in first.stdout
    assert second.stdout == "python -V\n"


@pytest.mark.parametrize("arguments", [(), ("help",)])
def test_help_needs_neither_java_nor_python(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    shutil.copy(ROOT / "dev", tmp_path)
    done = run_dev(tmp_path, machine_without_java(tmp_path / "bin"), *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The index of commands")


def test_a_command_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    shutil.copy(ROOT / "dev", tmp_path)
    done = run_dev(tmp_path, machine_without_java(tmp_path / "bin"), "tset")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("The index of commands")


@pytest.mark.parametrize(
    ("command", "asked"),
    [("check", "-m pytest"), ("docs", "-m mkdocs"), ("coverage", "--cov=hive_acid"), ("py", "python")],
)
def test_what_runs_no_jvm_needs_no_java(tmp_path: Path, command: str, asked: str) -> None:
    done = run_dev(set_up_project(tmp_path), machine_without_java(tmp_path / "bin"), command)
    assert (done.returncode, done.stderr) == (0, "")
    assert asked in done.stdout


def test_what_runs_a_jvm_says_that_it_needs_java(tmp_path: Path) -> None:
    done = run_dev(set_up_project(tmp_path), machine_without_java(tmp_path / "bin"), "test")
    assert done.returncode == 1
    assert done.stderr == "Java 17 is needed: install a JDK 17 or set JAVA_HOME\n"
