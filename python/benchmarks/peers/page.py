"""The page of the documents with the results that are published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from peers.environments import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"


def put(mark: str, text: str) -> None:
    """Writes the text between the page's comments of that name. Raises ValueError if they are not there."""
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    page, count = re.subn(
        f"{begin}.*?{end}", lambda _: f"{begin}\n\n{text}\n\n{end}", PAGE.read_text("utf-8"), flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(f"{PAGE} has {count} places {begin} … {end}")
    PAGE.write_text(page, "utf-8")


def describe_machine(result: Mapping[str, Any]) -> str:
    """What figures belong to: the machine, the versions, the load."""
    engines = [f"{name} {each['release']} on Spark {each['spark']}" for name, each in result["engines"].items()]
    return (
        f"{result['cores']} cores, a heap of {result['heap']}, {result['system']}, Python {result['python']}; "
        f"{', '.join(engines)}. "
        f"Load average {result['load_before'][0]:.1f} before and {result['load_after'][0]:.1f} after."
    )


def describe_rounds(rounds: int) -> str:
    """How many there were."""
    return f"{rounds} round" + ("s" if rounds > 1 else "")
