"""Jars and folders that a metastore of the tests has on its class path, beside its own jars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hive_acid_local import start


@contextmanager
def on_the_class_path(entry: Path) -> Iterator[None]:
    """Metastores that start meanwhile have a jar, or a folder of settings, behind their own jars."""
    build: Any = start._metastore_program

    def extended(*arguments: Any) -> dict[str, Any]:
        program: dict[str, Any] = dict(build(*arguments))
        command = list(program["command"])
        command[command.index("-cp") + 1] += f":{entry}"
        return {**program, "command": command}

    with patch.object(start, "_metastore_program", extended):
        yield
