"""Runs the quick start of the README by the Python that runs this, which must print what the README shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).parents[3] / "README.md"
SECTION = re.compile(r"start:quick-start(.*)end:quick-start", re.DOTALL)


def find_block(section: str, mark: str) -> str:
    """The fenced block below this comment."""
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    if found is None:
        sys.exit(f"the quick start has no block below <!-- {mark} -->")
    return found[1]


def main() -> None:
    """Ends with an error if anything else is printed."""
    section = SECTION.search(README.read_text("utf-8"))
    if section is None:
        sys.exit(f"{README} has no quick start")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", find_block(section[1], "runnable")]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    if done.stdout != find_block(section[1], "output"):
        sys.exit(f"it prints something else than {README} shows:\n{done.stdout}")
    sys.stdout.write(done.stdout)


if __name__ == "__main__":
    main()
