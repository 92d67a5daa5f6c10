"""The index of commands tells what can be told without an environment."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def git(folder: Path, *arguments: str) -> str:
    """What git prints, by an author of its own: a machine may have none."""
    author = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    done = subprocess.run(["git", *author, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def last_run(folder: Path) -> str:
    done = subprocess.run(["./dev", "last-run"], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def test_the_age_of_the_last_run_is_told_where_the_history_has_it(tmp_path: Path) -> None:
    origin, shallow = tmp_path / "origin", tmp_path / "shallow"
    (origin / "docs").mkdir(parents=True)
    shutil.copy(ROOT / "dev", origin)
    git(origin, "init", "-q")
    git(origin, "add", "dev")
    git(origin, "commit", "-qm", "what was run")
    commit = git(origin, "rev-parse", "--short", "HEAD")
    report = "docs/test-report.md"
    (origin / report).write_text(f"This is the report of `./dev test --all` of commit `{commit}` on a day.\n", "utf-8")
    git(origin, "add", report)
    git(origin, "commit", "-qm", "its report")
    git(origin, "commit", "-qm", "something else", "--allow-empty")
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), shallow.name)

    told = f"everything was run on {commit}"
    assert last_run(origin) == f"{told}, 2 commits ago ({report})\n"
    assert last_run(shallow) == f"{told}, which is not in the history of this clone ({report})\n"
