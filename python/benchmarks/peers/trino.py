"""Trino on a table of ours: the server that the tests run, with as much of the machine as the other engines get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from interop.trino_installation import SERVER
from interop.trino_server import Share, TrinoServer
from peers.sessions import SessionOptions

RELEASE = SERVER.version
_QUERY_PART, _HEADROOM_PART = 2, 4
"""A query may take half of the heap, and a quarter of it is kept free beside queries."""


@contextmanager
def started_trino(options: SessionOptions) -> Iterator[TrinoServer]:
    """The server. Its number of cores is the machine's."""
    heap_mib = parse_mib(options.memory)
    share = Share((f"-Xmx{options.memory}", "-XX:+UseG1GC"), heap_mib // _QUERY_PART, heap_mib // _HEADROOM_PART)
    with TrinoServer.started(Path(options.folder) / "trino", options.metastore, share=share) as server:
        yield server


def parse_mib(memory: str) -> int:
    """The heap that an option of the JVM like `3g` or `900m` asks for, in MiB."""
    return int(memory[:-1]) * {"m": 1, "g": 1024}[memory[-1].lower()]


def run(server: TrinoServer, command: Mapping[str, Any]) -> Any:
    """The rows of the last statement of a command."""
    rows: list[Any] = []
    for statement in command["statements"]:
        rows = [list(row) for row in server.sql(statement).rows]
    return rows
