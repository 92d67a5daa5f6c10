"""How Python answers the JVM: by a text, an object of its own or nothing, or by the error that the JVM is to throw."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from pyspark import SparkContext

from hive_acid.bridge.cancellation import Cancellation
from hive_acid.bridge.connections import close_connection, withdraw_connection
from hive_acid.bridge.throwables import build_throwable, find_origin, mask_throwable
from hive_acid.errors import HiveAcidError, name_unexpected
from hive_acid.errors.outcome import StatementOutcome, find_outcome, tell
from hive_acid.older_python import add_note

LOG = logging.getLogger(__name__)


def answered(method: Callable[..., Any]) -> Callable[..., Any]:
    """Errors are returned as JVM Throwables: raised through py4j they would lose type and text."""

    @wraps(method)
    def answer(self: Answering, *args: Any) -> Any:
        try:
            return method(self, *args)
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
