"""Calls that end what nobody waits for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

LOG = logging.getLogger(__name__)


class Endings:
    """Calls, made one after another on a thread of their own. For several threads.

    The thread is a daemon: a `ThreadPoolExecutor` takes no calls any more once the main thread has ended, while queries
    still end, on daemon threads and in the JVM.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._guard = threading.Lock()
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def start(self) -> None:
        """Starts the thread, if it does not run. Call it while a program may still start threads, before `submit`."""
        with self._guard:
            if self._thread is None and not self._is_closed:
                thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                thread.start()  # fails once the program ends
                self._thread = thread

    def submit(self, call: Callable[[], None]) -> None:
        """Has the call made soon; does nothing once closed."""
        with self._guard:
            if not self._is_closed:
                self._calls.put(call)

    def close(self) -> None:
        """Returns when all calls have been made."""
        with self._guard:
            if not self._is_closed:
                self._is_closed = True
                self._calls.put(None)
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                call()
            except Exception:  # later calls are others'
                LOG.exception("a call in the background failed")
