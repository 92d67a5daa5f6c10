"""Secrets that come from the JVM: py4j logs each call and each answer at the level DEBUG, with their values."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")
"""The loggers of a connection for each thread, and of connections that threads share."""
_own = threading.local()


@contextmanager
def unlogged() -> Iterator[None]:
    """A context in which py4j does not log this thread's calls."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_is_shown)  # which is there once at most
    before = getattr(_own, "is_hidden", False)
    _own.is_hidden = True
    try:
        yield
    finally:
        _own.is_hidden = before


def read_unlogged(conf: Any, name: str) -> str | None:
    """The value of a setting in the JVM's `conf`, of Hadoop's class; None if it is empty."""
    with unlogged():
        return conf.get(name) or None


def _is_shown(_: logging.LogRecord) -> bool:
    return not getattr(_own, "is_hidden", False)
