"""A program of the tests that serves while its standard input stays open."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class ServingProcess:
    """A context, after which the program has ended. Who inherits it starts the program."""

    _process: subprocess.Popen[bytes] | subprocess.Popen[str]
    _longest_end_s = 20

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(self._longest_end_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
