"""The page of the documents with the results that are published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peers.environments import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"


def put(mark: str, text: str, page: Path | None = None) -> None:
    """Writes the text between the comments of that name of a page, the benchmarks' by default.

    Raises ValueError if they are not there.
    """
    path = page or PAGE
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    written, count = re.subn(
        f"{begin}.*?{end}", lambda _: f"{begin}\n\n{text}\n\n{end}", path.read_text("utf-8"), flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(f"{path} has {count} places {begin} … {end}")
    path.write_text(written, "utf-8")


def describe_machine(result: Mapping[str, Any]) -> str:
    """What figures belong to: the machine, the versions, the load."""
    engines = [
        f"{name} {each['release']}" + (f" on Spark {each['spark']}" if each["spark"] else "")
        for name, each in result["engines"].items()
    ]
    return (
        f"{result['cores']} cores, a heap of {result['heap']}, {result['system']}, Python {result['python']}; "
        f"{', '.join(engines)}. "
        f"Load average {result['load_before'][0]:.1f} before and {result['load_after'][0]:.1f} after."
    )


def describe_rounds(rounds: int) -> str:
    """How many there were."""
    return f"{rounds} round" + ("s" if rounds > 1 else "")
