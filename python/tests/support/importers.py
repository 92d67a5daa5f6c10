"""Which tests use a file that tests share, directly or by others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath


def find_users(file: str, texts: Mapping[str, str]) -> set[str]:
    """The files that use this one, and those that use them; without the file itself.

    `texts` has the Python files of the tests by their paths below python/tests, as `file` is one. A conftest.py is used
    by all files in and below its folder.
    """
    users: set[str] = set()
    new = {file}
    while new:
        found = {user for used in new for user, text in texts.items() if _uses(user, text, used)}
        new = found - users - {file}
        users |= new
    return users


def _uses(user: str, text: str, used: str) -> bool:
    path = PurePosixPath(used)
    if path.name == "conftest.py":
        return PurePosixPath(user).is_relative_to(path.parent)
    module = ".".join(path.with_suffix("").parts)
    is_started = re.search(rf"(?<![\w/.]){re.escape(path.name)}", text)  # as a program, by its name
    return is_started is not None or module in _find_imports(text)


@cache
def _find_imports(text: str) -> frozenset[str]:
    return frozenset(_walk_imports(text))


def _walk_imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
