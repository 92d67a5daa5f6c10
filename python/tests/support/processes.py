"""The processes below a process, by `ps`, and what a process has of the machine, by `/proc`."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path


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


def find_listening(process_id: int) -> list[int]:
    """The TCP ports at which a process listens, in ascending order."""
    links = Path(f"/proc/{process_id}/fd").iterdir()
    sockets = {link.readlink().name for link in links if link.is_symlink()}
    tables = (Path(f"/proc/net/{table}").read_text().splitlines()[1:] for table in ("tcp", "tcp6"))
    rows = (line.split() for table in tables for line in table)
    listening = (row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets)
    return sorted(int(address.rpartition(":")[2], 16) for address in listening)


def _ancestors(known: dict[int, tuple[int, str]], pid: int) -> list[int]:
    found = []
    while pid in known:
        pid = known[pid][0]
        found.append(pid)
    return found


@dataclass(frozen=True)
class Usage:
    """What a process has: its threads by the beginnings of their names, open files, resident memory."""

    threads: Counter[str]
    files: int
    memory_mb: int

    def count_threads(self, *, named: Collection[str] = (), but: Collection[str] = ()) -> int:
        """The threads whose names begin so (all, if nothing is given), without those that begin otherwise."""
        counted = ((name, count) for name, count in self.threads.items() if not name.startswith(tuple(but)))
        return sum(count for name, count in counted if not named or name.startswith(tuple(named)))


def measure(process_id: int) -> Usage:
    """What the process has now; of a thread's name Linux keeps 15 characters, and numbers are left out."""
    folder = Path(f"/proc/{process_id}")
    threads = Counter(filter(None, map(_read_thread_name, (folder / "task").iterdir())))
    return Usage(threads, sum(1 for _ in (folder / "fd").iterdir()), _read_status(process_id, "VmRSS") // 1024)


def _read_thread_name(task: Path) -> str:
    """Nothing of a thread that has ended meanwhile."""
    try:
        return (task / "comm").read_text().strip().rstrip("0123456789")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def count_threads(process_id: int) -> int:
    """The number of a process's threads, as Linux tells."""
    return _read_status(process_id, "Threads")


def _read_status(process_id: int, field: str) -> int:
    lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))
