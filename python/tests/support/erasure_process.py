"""An erasure in a process of its own, beside a world in memory that stays when the process is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from hive_acid.errors import HiveAcidError
from hive_acid_erasure.engine import Within
from support.erasure_shop import Shop

_CALL, _RESULT, _ERROR, _CALLBACK, _ANSWER = "call", "result", "error", "callback", "answer"


class _Remote:
    """A part of the world as the process sees it: each call goes to the parent, which may call back meanwhile."""

    def __init__(self, part: str, connection: Connection) -> None:
        self._part, self._connection = part, connection

    def __getattr__(self, name: str) -> Any:
        if name in ("line", "version", "uri", "tasks_see_local_files"):
            return self._call(name, None)
        return lambda *arguments, **named: self._call(name, arguments, named)

    def _call(self, name: str, arguments: tuple[Any, ...] | None, named: dict[str, Any] | None = None) -> Any:
        within = next((each for each in arguments or () if isinstance(each, Within)), None)
        sent = None if arguments is None else tuple(None if each is within else each for each in arguments)
        about = None if within is None else (within.reads, within.purpose)
        self._connection.send((_CALL, self._part, name, sent, named or {}, about))
        while True:
            kind, *content = self._connection.recv()
            if kind == _RESULT:
                return content[0]
            if kind == _ERROR:
                raise content[0]
            callback = getattr(within, content[0])
            self._connection.send((_ANSWER, callback(*content[1])))


class Killing:
    """Serves the process, and kills it after so many of its calls, a moment later."""

    def __init__(self, shop: Shop, calls: int, delay_s: float) -> None:
        self._parts = {"engine": shop.disk, "metastore": shop.metastore, "files": shop.files}
        self._connection, self._others_end = Pipe()
        self._shop, self._left, self._delay_s = shop, calls, delay_s
        self._process_id = 0

    def run(self) -> bool:
        """Whether the process has ended by itself; another status than 0 is an error."""
        self._process_id = os.fork()
        if not self._process_id:
            self._erase()
        self._others_end.close()
        try:
            self._serve(_RESULT)
        except (EOFError, ConnectionError):
            pass
        finally:
            self._connection.close()
            _, status = os.waitpid(self._process_id, 0)
        if os.WIFSIGNALED(status):
            return False
        assert status == 0, "the erasure has failed"
        return True

    def _erase(self) -> None:
        """The process, which never returns."""
        try:
            connection = self._others_end
            self._connection.close()
            self._shop.engine = _Remote("engine", connection)
            world = self._shop.world()
            parts = {"metastore": _Remote("metastore", connection), "file_system": _Remote("files", connection)}
            self._shop.world = lambda: replace(world, **parts)  # type: ignore[method-assign]
            self._shop.erase()
            os._exit(0)
        finally:
            os._exit(1)

    def _serve(self, until: str) -> Any:
        """Answers calls until the process answers a callback, or is gone."""
        while True:
            kind, *content = self._connection.recv()
            if kind == until:
                return content[0]
            self._left -= 1
            if self._left == 0:
                time.sleep(self._delay_s)
                os.kill(self._process_id, signal.SIGKILL)
            self._answer(*content)

    def _answer(
        self,
        part: str,
        name: str,
        arguments: tuple[Any, ...] | None,
        named: dict[str, Any],
        about: tuple[Any, ...] | None,
    ) -> None:
        found = getattr(self._parts[part], name)
        if about is not None and arguments is not None:
            within = Within(self._callback("match"), self._callback("confirm"), *about)
            arguments = (*arguments[:-1], within)
        try:
            result = found if arguments is None else found(*arguments, **named)
            result = list(result) if isinstance(result, Iterator) else result
        except (EOFError, ConnectionError):
            raise
        except HiveAcidError as error:
            self._connection.send((_ERROR, error))
        else:
            self._connection.send((_RESULT, result))

    def _callback(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self._connection.send((_CALLBACK, name, arguments))
            return self._serve(_ANSWER)

        return call
