"""Results of works that go on side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed, wait
from typing import TypeVar

T = TypeVar("T")


def give_as_they_end(waiting: Sequence[Future[T]], cancel: Callable[[], None]) -> Iterator[T]:
    """After an error the others are cancelled, and those that have ended well all the same come before it."""
    given = set[Future[T]]()
    try:
        for future in as_completed(waiting):
            given.add(future)
            yield future.result()
    except GeneratorExit:
        cancel()
        raise
    except BaseException:
        cancel()
        begun = [future for future in waiting if not future.cancelled()]
        wait(begun)
        yield from (future.result() for future in begun if future not in given and future.exception() is None)
        raise
