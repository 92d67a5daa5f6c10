"""The report of the last run of everything is of this project's own history, and not old."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
REPORT = ROOT / "docs/test-report.md"
MOST_COMMITS = 50


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="without its history nobody can tell")
def test_everything_was_run_within_the_last_fifty_commits() -> None:
    (commit,) = set(re.findall(r"of commit `([0-9a-f]{7,40})`", REPORT.read_text("utf-8")))
    if git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("a shallow clone has no history to count in")
    git("merge-base", "--is-ancestor", commit, "HEAD")
    commits = int(git("rev-list", "--count", f"{commit}..HEAD"))
    assert commits <= MOST_COMMITS, f"{REPORT.name} is of {commit}, {commits} commits ago: run ./dev test --all"
