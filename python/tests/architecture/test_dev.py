"""The index of commands tells what can be told without an environment."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
REPORT = "docs/test-report.md"


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
