"""A statement is a span of OpenTelemetry, with one below it for each phase, and tells nothing that was typed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import StatementText
from hive_acid_ops import tracing
from hive_acid_ops.tracing import SpanRecorder, observe
from support.statements import World

SECRET = "Ada Lovelace"
TEXT = StatementText(f"DELETE FROM db.t WHERE name = '{SECRET}'", 0, True, ())
WALL_NS = 1_700_000_000_000_000_000


class Traced:
    """A world whose statements are recorded."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("test")
        self.world = World()
        self.world.executor.observe = SpanRecorder(self.tracer, lambda: WALL_NS).record

    def delete(self) -> None:
        self.world.run(StatementKind.DELETE, text=TEXT)

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        return self.exporter.get_finished_spans()

    @property
    def statement(self) -> ReadableSpan:
        (found,) = [span for span in self.spans if span.name == "hive_acid.statement"]
        return found


@pytest.fixture
def traced() -> Traced:
    return Traced()


def test_a_statement_is_a_span_with_its_operation_table_transaction_and_rows(traced: Traced) -> None:
    traced.delete()
    assert dict(traced.statement.attributes or {}) == {
        "db.system.name": "hive",
        "db.operation.name": "DELETE",
        "db.collection.name": "db.t",
        "hive_acid.outcome": "committed",
        "hive_acid.transaction.id": 1,
        "hive_acid.rows.inserted": 0,
        "hive_acid.rows.updated": 0,
        "hive_acid.rows.deleted": 3,
    }


def test_its_phases_are_spans_below_it_at_their_time(traced: Traced) -> None:
    def wait() -> None:
        traced.world.clock.now_ms += 20

    traced.world.metastore.before["lock"] = wait
    traced.delete()
    parent, phases = traced.statement, [span for span in traced.spans if span is not traced.statement]
    names = ["snapshot", "lock_wait", "snapshot", "write", "publish", "commit"]
    assert [span.name for span in phases] == [f"hive_acid.{name}" for name in names]
    assert {span.parent and span.parent.span_id for span in phases} == {parent.context.span_id}
    assert (parent.start_time, parent.end_time) == (WALL_NS - 20_000_000, WALL_NS)
    assert (phases[1].start_time, phases[1].end_time) == (WALL_NS - 20_000_000, WALL_NS)


def test_it_stands_below_the_span_that_its_thread_is_in(traced: Traced) -> None:
    with traced.tracer.start_as_current_span("nightly") as nightly:
        traced.delete()
    assert traced.statement.parent is not None
    assert traced.statement.parent.span_id == nightly.get_span_context().span_id


def test_an_error_is_the_name_of_its_condition_and_no_text_of_anybody_is_told(traced: Traced) -> None:
    traced.world.engine.fails = build_error("HIVE_ACID_INTERNAL", reason=SECRET)
    with pytest.raises(HiveAcidError, match=SECRET):
        traced.delete()
    span = traced.statement
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "HIVE_ACID_INTERNAL")
    assert span.attributes is not None
    assert span.attributes["error.type"] == "HIVE_ACID_INTERNAL"
    assert span.attributes["hive_acid.outcome"] == "not_committed"
    assert SECRET not in json.dumps([each.to_json() for each in traced.spans])


@pytest.mark.parametrize("failing", [(trace, "get_tracer"), (tracing, "find_attributes")], ids=["SDK", "attributes"])
def test_tracing_that_fails_fails_no_statement(
    traced: Traced, monkeypatch: pytest.MonkeyPatch, failing: tuple[object, str]
) -> None:
    monkeypatch.setattr(*failing, lambda *_: {}["gone"])
    traced.world.executor.observe = observe
    traced.delete()
    assert traced.world.visible_write_ids() == [1]


def test_a_program_that_has_set_up_its_sdk_needs_no_more(traced: Traced, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "get_tracer", traced.provider.get_tracer)
    traced.world.executor.observe = observe
    traced.delete()
    assert traced.statement.instrumentation_scope is not None
    assert traced.statement.instrumentation_scope.name == "hive_acid"


def test_without_an_sdk_a_statement_runs_and_nothing_is_recorded() -> None:
    world = World()
    world.executor.observe = observe
    assert world.run(StatementKind.INSERT) == 3


def test_a_statement_does_not_import_the_package() -> None:
    """Which takes 50 ms, and may not be installed."""
    program = (
        "import sys; from hive_acid.clock import monotonic_ms; from hive_acid.execution.watch import Watch; "
        "from hive_acid_ops.tracing import observe; observe(Watch(monotonic_ms)); "
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
