"""Clients that are killed would warn of it thousands of times."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_clients() -> Iterator[None]:
    """The package logs errors alone that end everything."""
    log = logging.getLogger("hive_acid")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
