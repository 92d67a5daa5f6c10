"""The processes below a process, by `ps`."""

from __future__ import annotations

import subprocess


def _list() -> dict[int, tuple[int, str]]:
    """By process ID, the parent's and the command line."""
    lines = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
    rows = (line.split(None, 2) for line in lines.stdout.splitlines())
    return {int(row[0]): (int(row[1]), row[2] if len(row) > 2 else "") for row in rows}


def find_below(pid: int, text: str) -> list[int]:
    """The descendants of a process whose command line has the text, in ascending order."""
    known = _list()
    return sorted(child for child, (_, args) in known.items() if text in args and pid in _ancestors(known, child))


def is_below(pid: int, ancestor: int) -> bool:
    """True if the process is a descendant."""
    return ancestor in _ancestors(_list(), pid)


def _ancestors(known: dict[int, tuple[int, str]], pid: int) -> list[int]:
    found = []
    while pid in known:
        pid = known[pid][0]
        found.append(pid)
    return found
