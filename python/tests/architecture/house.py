"""The drawing of the house, made from the imports: which room knows which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import grimp
import tomllib

ROOT = Path(__file__).resolve().parents[3]
CORE = "hive_acid"
_MODULES_OF_ALL = ("config", "errors")
"""Every room imports them, so that they are in no drawing."""


def draw_house() -> str:
    """A line for each wing and each room of the core: the rooms right below it that it imports.

    A room that is reached through another one on the line is left out. Modules of the core that are no room are too.
    """
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    graph = grimp.build_graph(*settings["root_packages"], cache_dir=None)
    rooms = [room for room in _list_layers(settings) if graph.find_children(f"{CORE}.{room}")]
    wings = sorted(set(settings["root_packages"]) - {CORE})
    places = {f"{CORE}.{room}": room for room in rooms if room not in _MODULES_OF_ALL} | {wing: wing for wing in wings}
    known = _find_imports(graph, places)
    lines = [(place, _reduce(known, place)) for place in (*wings, *rooms) if place in known]
    width = max(len(place) for place, below in lines if below)
    return "\n".join(["```", *(f"{place:<{width}} ─▶ {', '.join(below)}" for place, below in lines if below), "```"])


def _list_layers(settings: Mapping[str, Any]) -> list[str]:
    """The parts of the core from top to bottom, as the linter's contract has them."""
    (contract,) = (each for each in settings["contracts"] if each.get("containers") == [CORE])
    return [part for layer in contract["layers"] for part in layer.split(" : ")]


def _find_imports(graph: grimp.ImportGraph, places: Mapping[str, str]) -> dict[str, set[str]]:
    """Place → the other places that one of its modules imports."""

    def find_place(module: str) -> str | None:
        return next((name for start, name in places.items() if f"{module}.".startswith(f"{start}.")), None)

    known: dict[str, set[str]] = {name: set() for name in places.values()}
    for module in graph.modules:
        place = find_place(module)
        if place is not None:
            imported = map(find_place, graph.find_modules_directly_imported_by(module))
            known[place] |= {other for other in imported if other is not None and other != place}
    return known


def _reduce(known: Mapping[str, set[str]], place: str) -> list[str]:
    """Without what is reached through another one; in the order of the drawing."""
    beyond = _reach(known, known[place])
    return [other for other in known if other in known[place] - beyond]


def _reach(known: Mapping[str, set[str]], places: Iterable[str]) -> set[str]:
    """All that the places import, at any depth."""
    reached: set[str] = set()
    waiting = list(places)
    while waiting:
        new = known[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached
