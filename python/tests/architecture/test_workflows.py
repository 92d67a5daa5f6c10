"""What the workflows of CI run are commands of the index, and they try what the package says that it serves."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

from architecture.documents import ROOT
from architecture.test_dev import find_commands
from hive_acid.older_python import tomllib
from hive_acid.spark_lines import LINES, find_line

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
PYTHON = "Programming Language :: Python :: "
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
COMMAND = re.compile(r"\./dev (?:--line \S+ )?(?P<command>[a-z][a-z-]*)(?: [\w./-]+| \"\$\w+\")*(?: >\S+)?")


def read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text("utf-8"))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job.get("steps", [])]


def pythons(classifiers: list[str]) -> set[str]:
    return {text.removeprefix(PYTHON) for text in classifiers if re.fullmatch(rf"{PYTHON}3\.\d+", text)}


def tried() -> set[tuple[str, str]]:
    """The pairs of Spark and Python with which the built wheel is tried."""
    matrix = read(FOLDER / "wheel.yml")["jobs"]["try"]["strategy"]["matrix"]
    excluded = {(pair["spark"], pair["python"]) for pair in matrix["exclude"]}
    return {(spark, python) for spark in matrix["spark"] for python in matrix["python"]} - excluded


def test_there_is_a_workflow_for_each_occasion() -> None:
    assert [path.stem for path in WORKFLOWS] == ["gate", "night", "release", "wheel"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_runs_is_one_command_of_the_index(path: Path) -> None:
    texts = [EXPRESSION.sub("1", step["run"]) for step in steps(path) if "run" in step]
    found = {text: COMMAND.fullmatch(text) for text in texts}
    assert [text for text, match in found.items() if match is None] == []
    assert {match["command"] for match in found.values() if match} <= find_commands()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_uses_of_ours_is_there(path: Path) -> None:
    jobs = read(path)["jobs"].values()
    used = {step["uses"] for step in [*steps(path), *jobs] if step.get("uses", "").startswith("./")}
    assert [name for name in used if not any((ROOT / name / leaf).is_file() for leaf in ("", "action.yml"))] == []


def test_the_parts_of_a_night_are_all_parts() -> None:
    job = read(FOLDER / "night.yml")["jobs"]["part"]
    parts = job["strategy"]["matrix"]["part"]
    assert parts == [*range(1, len(parts) + 1)]
    assert f"./dev test --all --part ${{{{ matrix.part }}}}/{len(parts)}" in [step.get("run") for step in job["steps"]]


def test_the_wheel_is_tried_on_each_line_of_spark_and_each_python_that_the_metadata_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {spark for spark, _ in tried()} == set(LINES)
    assert {python for _, python in tried()} == pythons(project["classifiers"])
    assert project["requires-python"] == ">=3.10"


def test_the_wheel_is_tried_with_the_pythons_that_this_line_of_spark_names() -> None:
    line = find_line()
    named = pythons(metadata("pyspark").get_all("Classifier") or [])
    ours = {python for _, python in tried()}
    assert {python for spark, python in tried() if spark == line} == named & ours
