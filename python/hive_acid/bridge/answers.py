"""How Python answers the JVM: by a message or an object of its own, or by the error that the JVM is to throw."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, get_type_hints

from pyspark import SparkContext

from hive_acid.bridge.cancellation import Cancellation
from hive_acid.bridge.connections import close_connection, withdraw_connection
from hive_acid.bridge.throwables import build_throwable, find_origin, mask_throwable
from hive_acid.errors import HiveAcidError, name_unexpected
from hive_acid.errors.outcome import StatementOutcome, find_outcome, tell
from hive_acid.model.table import TableName
from hive_acid.older_python import add_note
from hive_acid.wire import codec

LOG = logging.getLogger(__name__)


def answered(method: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a caller with JSON texts call a method of messages: the annotations of its arguments name their classes.

    A text, number or truth value is taken as it is, and a TableName from `database.table`. The answer is written as a
    message, unless it is another object for the JVM to call. Errors are returned as JVM Throwables: raised through
    py4j they would lose type and text.
    """

    @wraps(method)
    def answer(self: Answering, *args: Any) -> Any:
        try:
            asked = [read(arg) for read, arg in zip(_readers(method), args, strict=True)]
            told = method(self, *asked)
            return told if isinstance(told, Answering) else codec.write(told)
        except KeyboardInterrupt as error:
            # to the user's own frames; an answer would make it an error of the JVM, and an open connection one of py4j
            close_connection(self._context)
            interrupt = KeyboardInterrupt()  # without the frames of what it has interrupted
            for note in getattr(error, "__notes__", ()):
                add_note(interrupt, note)
            raise interrupt from None
        except BaseException as error:  # noqa: BLE001 (it goes back to the JVM, which throws it)
            tell(error, StatementOutcome.NOTHING_CHANGED)  # as long as nobody who knows more has told
            return self.throwable(error)
        finally:
            withdraw_connection(self._context)

    return answer


def cancellable(method: Callable[..., Any]) -> Callable[..., Any]:
    """Used below `answered`: the method ends if the statement of its thread is cancelled."""

    @wraps(method)
    def run(self: Answering, *args: Any) -> Any:
        with self._cancellation.running():
            return method(self, *args)

    return run


@cache
def _readers(method: Callable[..., Any]) -> list[Callable[[Any], Any]]:
    """Functions that make the arguments of such a method of those that the JVM gives, in order."""
    return [_reader(form) for name, form in get_type_hints(method).items() if name != "return"]


def _reader(form: Any) -> Callable[[Any], Any]:
    if form is TableName:
        return TableName.parse
    return (lambda value: value) if form in (str, int, bool) else (lambda text: codec.read(form, text))


class Answering:
    """An object whose `answered` methods the JVM calls."""

    def __init__(self, jvm: Any, context: SparkContext, cancellation: Cancellation) -> None:
        self._jvm = jvm
        self._context = context
        self._exception = jvm.hiveacid.errors.AcidException
        self._cancellation = cancellation

    def throwable(self, error: BaseException) -> Any:
        """The JVM exception for an error: the original one where it came from the JVM."""
        origin = find_origin(error)
        if origin is not None:
            cancelled = self._cancellation.name(origin)
            if cancelled is None:
                outcome = find_outcome(error)
                told = origin if outcome is None else self._exception.told(origin, outcome.text)
                return mask_throwable(self._context._gateway, told)
            for note in getattr(error, "__notes__", ()):
                add_note(cancelled, note)
            error = cancelled
        if not isinstance(error, HiveAcidError):
            LOG.error("unexpected error in a callback", exc_info=error)
            error = name_unexpected(error)
        return build_throwable(self._jvm, error, find_origin(error.__cause__))
