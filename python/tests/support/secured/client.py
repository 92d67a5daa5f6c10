"""Runs the program that asks metastores for their release."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import hive_acid
from support.spark_settings import SHORT_LIVED

Settings = Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """User and release, or condition and message of the error."""

    user: str | None = None
    version: str | None = None
    condition: str | None = None
    message: str = ""

    @property
    def sub(self) -> str:
        """The sub-condition of the error."""
        return (self.condition or "").rpartition(".")[2]


def ask_metastores(
    cases: Sequence[tuple[str, Settings]],
    conf: Settings,
    variables: Settings,
    token: Path | None = None,
    *,
    pause_s: int = 0,
) -> list[Answer]:
    """The answers of metastores, each by its address and Hive's settings, to one new process with a JVM.

    `conf` are Spark's settings, `variables` those of the environment. `token` is a file for a token of the first one.
    It waits `pause_s` ahead of each but the first.
    """
    asked = {
        "conf": {**SHORT_LIVED, "spark.driver.memory": "500m", **conf},
        "cases": [{"uri": uri, "settings": settings} for uri, settings in cases],
        "token": str(token) if token else None,
        "pause": pause_s,
    }
    tests = Path(__file__).parents[2]
    found = f"{Path(hive_acid.__file__).parents[1]}:{tests}"
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("client_program.py"))],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env={**os.environ, **variables, "PYTHONPATH": found, "PYTHONSAFEPATH": "1", "PYSPARK_PYTHON": sys.executable},
        timeout=400,
        check=False,
    )
    answers = [Answer(**json.loads(line)) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(answers) == len(cases), done.stderr
    return answers
