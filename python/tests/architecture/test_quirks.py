"""A fault of a server has one file, which says when it can go; the core asks no further which server it speaks to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from architecture.documents import HOOKS, QUIRKS, ROOT, load_faults
from hive_acid.quirks.acting import OF_STATEMENTS

CORE = ROOT / "python" / "hive_acid"
MOST_BRANCHES = 20
NO_BRANCHES = (
    QUIRKS,
    *(CORE / name for name in ("metastore/types.py", "metastore/lock_rules.py", "transactions/validity.py")),
)
"""Where the lines are told apart by design: faults, facts and locks."""
FRAME = {"__init__", "acting", "fault", "quirk"}


def test_each_file_of_a_quirk_says_what_the_fault_is_and_who_meets_it() -> None:
    faults = load_faults()
    assert {path.stem for path in QUIRKS.glob("*.py")} - FRAME == {path.stem for path in faults}
    for path, fault in faults.items():
        assert fault.title and fault.releases and fault.lines and fault.harm and fault.until, path
        assert fault.called_by or any(quirk.FAULT is fault for quirk in OF_STATEMENTS), path


def test_each_quirk_of_statements_acts_in_a_hook() -> None:
    assert all(set(HOOKS) & set(vars(quirk)) for quirk in OF_STATEMENTS)
    assert len({quirk.FAULT.title for quirk in OF_STATEMENTS}) == len(OF_STATEMENTS)


def find_branches(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "MetastoreLine":
            yield f"{path.relative_to(CORE)}:{node.lineno}"


def test_few_places_ask_for_the_line_of_a_metastore() -> None:
    files = [path for path in CORE.rglob("*.py") if not {path, *path.parents} & set(NO_BRANCHES)]
    branches = [branch for path in files for branch in find_branches(path)]
    assert 0 < len(branches) <= MOST_BRANCHES, branches
