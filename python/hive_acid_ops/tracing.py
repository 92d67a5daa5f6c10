"""Writing statements as spans of OpenTelemetry: one for each statement, and below it one for each of its phases.

A span has names, numbers and the condition of an error. It never has a text of a statement or of an error, in which a
person's name may stand.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hive_acid.api.conditions import HiveAcidError, condition_of
from hive_acid.api.extras import find_version
from hive_acid.api.statements import StatementOutcome, Watch, find_outcome

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

LOG = logging.getLogger(__name__)


def observe(watch: Watch) -> None:
    """Records a statement that has ended if the program uses OpenTelemetry: its import would cost every session time.

    A program that sets up an SDK has imported the package. Without an SDK its spans go nowhere.
    Never raises: the statement may have been committed.
    """
    try:
        trace = sys.modules.get("opentelemetry.trace")
        if trace is not None:
            SpanRecorder(trace.get_tracer("hive_acid", find_version())).record(watch)
    except Exception as error:  # noqa: BLE001 (an SDK and its exporters are anybody's)
        LOG.warning("a statement could not be recorded as a span: %s", error)


class SpanRecorder:
    """Records a statement once it has ended, below the span that its thread is in. `wall_ns` is the time since 1970."""

    def __init__(self, tracer: Tracer, wall_ns: Callable[[], int] = time.time_ns) -> None:
        self._tracer = tracer
        self._wall_ns = wall_ns

    def record(self, watch: Watch) -> None:
        """The spans of the statement, each with its own times."""
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

        now_ms, now_ns = watch.clock_ms(), self._wall_ns()

        def at(clock_ms: int) -> int:
            return now_ns - (now_ms - clock_ms) * 1_000_000

        began_ns = at(watch.passed[0][1]) if watch.passed else now_ns
        span = self._tracer.start_span(
            "hive_acid.statement", kind=SpanKind.CLIENT, attributes=find_attributes(watch), start_time=began_ns
        )
        if span.is_recording():
            below = set_span_in_context(span)
            for phase, began_ms, ended_ms in watch.passed:
                part = self._tracer.start_span(f"hive_acid.{phase.value}", below, start_time=at(began_ms))
                part.end(at(ended_ms))
            if watch.error is not None:
                span.set_status(Status(StatusCode.ERROR, _name(watch.error)))
        span.end(now_ns)


def find_attributes(watch: Watch) -> Mapping[str, str | int]:
    """The attributes of a statement's span, by the names of OpenTelemetry's conventions where these have one."""
    found: dict[str, str | int] = {
        "db.system.name": "hive",
        "db.operation.name": watch.statements[0].kind.title,
        "db.collection.name": ", ".join(sorted({str(statement.target) for statement in watch.statements})),
        "hive_acid.outcome": _find_outcome(watch),
    }
    if watch.txn_id is not None:
        found["hive_acid.transaction.id"] = watch.txn_id
    if watch.counts is not None:
        counts = watch.counts
        found |= {
            "hive_acid.rows.inserted": counts.inserted,
            "hive_acid.rows.updated": counts.updated,
            "hive_acid.rows.deleted": counts.deleted,
        }
    if watch.error is not None:
        found["error.type"] = _name(watch.error)
    return found


def _find_outcome(watch: Watch) -> str:
    """In lower case. A statement of a transaction of several is committed with that."""
    if watch.error is not None:
        outcome = find_outcome(watch.error)
        return "failed" if outcome is None else outcome.value.lower()
    is_pending = watch.statements[0].transaction is not None
    return "pending" if is_pending else StatementOutcome.COMMITTED.value.lower()


def _name(error: BaseException) -> str:
    condition = condition_of(error) if isinstance(error, HiveAcidError) else None
    return condition or type(error).__name__
