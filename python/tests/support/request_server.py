"""A Java program of the tests that serves while its standard input stays open, and answers each line by a line."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hive_acid_downloads.java import find_java
from support.serving_process import ServingProcess

_COMMON: Final = Path(__file__).with_name("Requests.java")


class RequestServer(ServingProcess):
    """A running program. Its first line is "ready", an answer "done" or why it failed, words are parted by tabs."""

    _process: subprocess.Popen[str]

    def __init__(
        self, folder: Path, options: Sequence[str], jars: Sequence[Path], source: Path, *arguments: str
    ) -> None:
        """Returns when it is ready; `folder` is there, and gets its log.

        `jars` are folders of jars, and of what else is to be on the class path; `source` is a file of Java.
        """
        self._log = folder.with_name(folder.name + ".log")
        java = [str(find_java().path), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *options]
        # a program that is started by its source is one file
        program = folder / source.name
        program.write_text(source.read_text("utf-8") + _COMMON.read_text("utf-8"), "utf-8")
        class_path = ":".join(f"{folder}/*:{folder}" for folder in jars)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*java, "-cp", class_path, str(program), *arguments],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        if self._read_line() != "ready":
            raise RuntimeError(f"{source.stem} did not start: {self._log.read_text()}")

    @property
    def process_id(self) -> int:
        """That of the program."""
        return self._process.pid

    def ask(self, *words: str) -> list[str]:
        """A request; the parts of its answer. Raises RuntimeError if it fails."""
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        done, *parts = self._read_line().split("\t")
        if done != "done":
            raise RuntimeError(f"{words}: {done}\n{self._log.read_text()[-2000:]}")
        return parts

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()
