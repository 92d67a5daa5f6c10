"""Processor time and memory of processes, as Linux tells them."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_TICKS = 100
"""Linux gives /proc's times in hundredths of a second on all its machines."""


class _Process(NamedTuple):
    parent: int
    ticks: int


def cpu_seconds(root: int) -> float:
    """Processor time that a process, all below it, and those of them that have ended and been waited for have taken."""
    processes = _read_all()
    children: dict[int, list[int]] = {}
    for process_id, process in processes.items():
        children.setdefault(process.parent, []).append(process_id)
    total, waiting = 0, [root]
    while waiting:
        process_id = waiting.pop()
        waiting += children.get(process_id, ())
        if process_id in processes:
            total += processes[process_id].ticks
    return total / _TICKS


def peak_mib(process_id: int) -> int:
    """The greatest resident size since the process began or `reset_peak`, in MiB."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process_id}/status").read_text())
    return int(found[1]) >> 10 if found else 0


def reset_peak(process_id: int) -> None:
    """Forgets the peak: from now on it is at least what is resident now."""
    Path(f"/proc/{process_id}/clear_refs").write_text("5")


def _read_all() -> dict[int, _Process]:
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                found[int(folder.name)] = _parse_stat((folder / "stat").read_text())
    return found


def _parse_stat(text: str) -> _Process:
    """The name before the bracket may hold blanks; utime, stime, cutime and cstime are fields 14 to 17."""
    fields = text[text.rindex(")") + 2 :].split()
    return _Process(int(fields[1]), sum(map(int, fields[11:15])))
