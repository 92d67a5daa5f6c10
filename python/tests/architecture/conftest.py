"""What tests of an installation share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from architecture.documents import ROOT

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as `./dev wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


def install(wheel: Path, folder: Path) -> tuple[Path, Path]:
    """Makes an environment that has the wheel alone: its Python and the folder of its packages."""
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    python = folder / "bin" / "python"
    run(*PIP, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    (packages,) = folder.glob("lib/python*/site-packages")
    return python, packages


def call(*command: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command away from this repository's Python path."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def run(*command: str, cwd: Path | None = None) -> str:
    """The standard output of a command that must succeed."""
    done = call(*command, cwd=cwd)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
