"""One concept has one name, and one name one concept."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

CORE = Path(__file__).parents[2] / "hive_acid"
OF_LIBRARIES = {"Java"}
"""py4j asks a class that implements an interface for an inner class of this name."""


def test_no_name_of_a_class_stands_twice_in_the_core() -> None:
    places = defaultdict[str, list[str]](list)
    for path in sorted(CORE.rglob("*.py")):
        if "generated" not in path.parts:
            classes = [
                node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef)
            ]
            for name in classes:
                places[name].append(str(path.relative_to(CORE)))
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in OF_LIBRARIES} == {}
