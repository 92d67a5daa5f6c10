"""The ledger of an erasure: what has been done, so that a run after a kill goes on from there.

Each line has a seal, made with the hash key over it and all lines before it: who has not the key changes none of them.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from hive_acid.api.conditions import build_error
from hive_acid_erasure.canonical import format_canonical
from hive_acid_erasure.subjects.keyed_hash import HashKey

BEGUN = "begun"
_SEAL = "seal"


class Ledger:
    """A file of one event per line, as JSON; each is on disk before `append` returns."""

    def __init__(self, file: IO[bytes], path: Path, key: HashKey, events: list[dict[str, Any]]) -> None:
        """`events` are those of the file, with their seals."""
        self._file = file
        self._path = path
        self._key = key
        seals = [event.pop(_SEAL, None) for event in events]
        self._events = events
        self._seal = ""
        self._changed_line: int | None = None
        for number, (event, told) in enumerate(zip(events, seals, strict=True), start=1):
            if told is None or told != self._seal_next(event):
                self._changed_line = number
                break

    def _seal_next(self, event: Mapping[str, Any]) -> str | None:
        """The seal of the line that follows; None for an event with a value that no run writes."""
        try:
            _, self._seal = _seal(self._key, self._seal, event)
        except ValueError:
            return None
        return self._seal

    @property
    def events(self) -> tuple[dict[str, Any], ...]:
        """All events, the oldest first."""
        return tuple(self._events)

    def append(self, event: str, at_ms: int, **values: Any) -> dict[str, Any]:
        """Writes an event. Raises OSError if storage refuses, ValueError for values that JSON does not keep."""
        entry = {"event": event, "at_ms": at_ms, **values}
        line, self._seal = _seal(self._key, self._seal, entry)
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._events.append(entry)
        return entry

    def rewrite(self, events: Sequence[dict[str, Any]]) -> None:
        """Replaces all events at once: a kill leaves these or those of before. Raises as `append` does."""
        beside = self._path.with_name(f".{self._path.name}.new")
        file = os.fdopen(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "r+b")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._seal = ""
        for event in events:
            line, self._seal = _seal(self._key, self._seal, event)
            file.write(line)
        file.flush()
        os.fsync(file.fileno())
        beside.replace(self._path)
        _sync_folder(self._path.parent)
        self._file.close()
        self._file, self._events = file, list(events)

    def close(self) -> None:
        """The file and its lock."""
        self._file.close()

    def begin(self, identity: Mapping[str, str], at_ms: int) -> None:
        """Makes it the ledger of this erasure. Raises as `check` does."""
        self.check(identity)
        if not self._events:
            self.append(BEGUN, at_ms, **identity)

    def check(self, identity: Mapping[str, str]) -> None:
        """Nothing that it tells is to be used before.

        Raises HIVE_ACID_ERASURE.LEDGER_OF_ANOTHER if it is of another erasure, and LEDGER_CHANGED for a line that no
        run with the key has written there.
        """
        first = self._events[0] if self._events else {"event": BEGUN, **identity}
        for name, value in identity.items():
            if first.get("event") != BEGUN or first.get(name) != value:
                raise build_error("HIVE_ACID_ERASURE.LEDGER_OF_ANOTHER", path=self._path, difference=name)
        if self._changed_line is not None:
            raise build_error("HIVE_ACID_ERASURE.LEDGER_CHANGED", path=self._path, number=self._changed_line)


@contextmanager
def open_ledger(path: Path, key: HashKey) -> Iterator[Ledger]:
    """The ledger at the path, made if there is none, for this process alone.

    A last line that a kill has cut off is taken away. Raises HIVE_ACID_ERASURE.LEDGER_IN_USE if another run has it,
    LEDGER_BROKEN if another line is no event, and OSError.
    """
    path = path.resolve()  # a link to it stays one when it is written anew, and both names stay those of one ledger
    is_new = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    file = os.fdopen(descriptor, "r+b")
    try:
        _lock(file, path)
        if is_new:
            _sync_folder(path.parent)
        ledger = Ledger(file, path, key, _read_events(file, path))
    except BaseException:
        file.close()
        raise
    try:
        yield ledger
    finally:
        ledger.close()


def _seal(key: HashKey, before: str, event: Mapping[str, Any]) -> tuple[bytes, str]:
    """The line of an event with its seal."""
    seal = key.seal(before, format_canonical(event))
    return format_canonical({**event, _SEAL: seal}) + b"\n", seal


def _lock(file: IO[bytes], path: Path) -> None:
    """For this process alone. A run that has replaced the file meanwhile goes on with the new one."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_taken = not os.path.samestat(os.fstat(file.fileno()), path.stat())
    except (BlockingIOError, FileNotFoundError):
        is_taken = True
    if is_taken:
        raise build_error("HIVE_ACID_ERASURE.LEDGER_IN_USE", path=path)


def _read_events(file: IO[bytes], path: Path) -> list[dict[str, Any]]:
    content = file.read()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) != len(content):
        file.truncate(len(whole))
        os.fsync(file.fileno())
    file.seek(len(whole))
    events = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise build_error("HIVE_ACID_ERASURE.LEDGER_BROKEN", path=path, number=number)
        events.append(event)
    return events


def _sync_folder(path: Path) -> None:
    """A new name is kept through a crash only if its folder is written, too."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
