"""An erasure works masked: its errors, and log records of all, lose the names of subjects.

PySpark logs the errors that it raises, before anybody can catch them. So log records are masked as they are made.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from pyspark.errors import AnalysisException, ParseException, PySparkException

from hive_acid.api.conditions import build_error, condition_of, list_conditions
from hive_acid.api.secrets import Mask, asking, mask_own, masked

T = TypeVar("T")

_OF_CALLS = "py4j"
"""Its records of the level DEBUG are all that Python and the JVM tell each other, subjects too."""
_NOT_SHOWN = "(a text that is not shown)"
_OF_PLANS = (AnalysisException, ParseException)
"""Their texts tell of a statement, and not of rows."""

_lock = Lock()
_keepers: list[Mask] = []
_factory: list[Callable[..., logging.LogRecord]] = []
"""The one that makes records when nobody keeps names."""


def work_masked(mask: Mask, work: Callable[[], T]) -> T:
    """The result of `work`, during which `mask` is asked for each text. Raises its error as `mask_error` has it."""
    safe = _make_safe(mask)
    try:
        with keeping(safe):
            return work()
    except BaseException as error:  # noqa: BLE001 (all but its names goes on)
        caught = error
    # outside of the block: Python would tie the original to it, and to whatever is raised while it is masked
    failure = mask_error(caught, safe)
    del caught
    raise failure


def _make_safe(mask: Mask) -> Mask:
    """A mask that fails must neither let a text through nor end in an error with the one that it was to mask."""

    def safe(text: str) -> str:
        try:
            return mask(text)
        except Exception:  # noqa: BLE001 (whatever it is)
            return _NOT_SHOWN

    return safe


@contextmanager
def keeping(mask: Mask) -> Iterator[None]:
    """Within the block errors that go to the JVM, and log records, are masked; in all threads."""
    with _lock:
        _keepers.append(mask)
        if not _factory:
            _factory.append(logging.getLogRecordFactory())
            logging.setLogRecordFactory(_make_record)
    try:
        with asking(mask):
            yield
    finally:
        with _lock:
            _keepers.remove(mask)
            if not _keepers:
                logging.setLogRecordFactory(_factory.pop())


def mask_error(error: BaseException, mask: Mask) -> BaseException:
    """The error for those who must not hear the names: of its class if that is ours or Python's own of the system.

    Nothing is left of its causes, nor of the text of an error that tells of rows: that may quote a part of a name,
    which no mask knows. HIVE_ACID_ERASURE.UNEXPECTED is raised in its place.
    """
    try:
        if isinstance(error, PySparkException) and condition_of(error) in list_conditions():
            return mask_own(error, mask)
        if isinstance(error, OSError):
            return _mask_system_error(error, mask)
        if isinstance(error, SystemExit):
            return SystemExit(
                error.code if error.code is None or isinstance(error.code, int) else mask(str(error.code))
            )
        if not isinstance(error, Exception):
            return type(error)()
        failure = _describe(error)
    except Exception:  # noqa: BLE001 (a class of others need not be made as it says, nor tell what it is)
        failure = type(error).__name__
    return build_error("HIVE_ACID_ERASURE.UNEXPECTED", failure=mask(failure))


def _mask_system_error(error: OSError, mask: Mask) -> OSError:
    """The class is Python's for the number, and so is the text: that of another program may hold a part of a name."""
    if error.errno is None:
        return OSError(mask(_describe(error)))
    files = [None if name is None else mask(os.fsdecode(name)) for name in (error.filename, error.filename2)]
    return OSError(error.errno, os.strerror(error.errno), files[0], None, files[1])


def _describe(error: BaseException) -> str:
    """The text of an error that tells of a plan; the class of another, and where it was raised."""
    if isinstance(error, _OF_PLANS):
        return str(error).split("\nJVM stacktrace")[0].strip().rstrip(".")
    thrown = getattr(error, "java_exception", None)
    name = type(error).__name__ if thrown is None else str(thrown.getClass().getName())
    condition = condition_of(error) if isinstance(error, PySparkException) else None
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return condition or f"{name}{where}"


def _make_record(*args: Any, **kwargs: Any) -> logging.LogRecord:
    record = _factory[0](*args, **kwargs) if _factory else logging.LogRecord(*args, **kwargs)
    if record.name.partition(".")[0] == _OF_CALLS and record.levelno <= logging.DEBUG:
        return record
    text = _tell(record)
    if (hidden := masked(text)) != text:
        record.msg, record.args = hidden, None
    if record.exc_info:
        trace = logging.Formatter().formatException(record.exc_info)
        if (hidden := masked(trace)) != trace:
            record.exc_text, record.exc_info = hidden, None
    record.__dict__ = _Masking(record.__dict__)
    return record


def _tell(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001 (the handlers of the record tell of it, its caller goes on)
        return f"{record.msg} {record.args!r}"


class _Masking(dict[str, Any]):
    """The fields of a record. A logger sets those of `extra` after it was made, one by one (Logger.makeRecord)."""

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _mask_value(value))


def _mask_value(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {_mask_value(name): _mask_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        found = [_mask_value(inner) for inner in value]
        return found if isinstance(value, list) else tuple(found)
    try:
        text = str(value)
    except Exception:  # noqa: BLE001 (it is another's)
        return value
    return value if (hidden := masked(text)) == text else hidden
