"""Engines for the runner's processes: importable by name, and told apart by what they leave in a folder."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hive_acid_sqltest.input.values import Settings
from hive_acid_sqltest.session import Answer
from support.polling import eventually


@dataclass(frozen=True)
class FolderEngine:
    """Answers a statement with itself; what it does besides leaves a file, in which the group of the process stands.

    `MEET n` waits until n different processes are at it; `CRASH` ends the process with the code 7; `HANG` never ends.
    """

    folder: Path

    def open(self, settings: Settings) -> FolderEngine:
        return self

    def version(self, of: str) -> str:
        raise AssertionError(of)

    def run(self, statement: str) -> Answer:
        word, *rest = statement.split()
        if word == "CRASH":
            os._exit(7)
        if word in ("MEET", "HANG", "DROP"):
            part = self.folder / f".{word} {os.getpid()}"
            part.write_text(str(os.getpgid(0)))
            part.rename(self.folder / part.name[1:])  # whoever sees it can read it
        if word == "MEET":
            assert eventually(lambda: len(list(self.folder.glob("MEET *"))) >= int(rest[0]))
        while word == "HANG":
            signal.pause()
        return Answer("struct<s:string>", (statement,))

    def location(self, table: str) -> str:
        return str(self.folder)


@contextmanager
def open_engine(folder: Path) -> Iterator[FolderEngine]:
    """An engine that leaves a file when it is stopped in good order."""
    yield FolderEngine(folder)
    (folder / f"stopped {os.getpid()}").touch()


@contextmanager
def open_nothing() -> Iterator[FolderEngine]:
    """An engine that does not start."""
    os._exit(3)
    yield FolderEngine(Path())
