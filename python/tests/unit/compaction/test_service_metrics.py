"""What a worker or an initiator tells Prometheus: its own sums, and what waits in the metastore."""

from __future__ import annotations

import argparse
import socket
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.compaction.services import Services
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine, TransactionInfo, TransactionState
from hive_acid.wire.write_spec import WriteResult, WrittenFolder
from hive_acid_ops.cleaning_forecast import Cleaning
from hive_acid_ops.commands import worker
from hive_acid_ops.commands.metrics_port import counted
from hive_acid_ops.initiator.initiator import Action
from hive_acid_ops.service_metrics import (
    CompactionCounters,
    QueueCollector,
    build_action_counter,
    build_cleaning,
    build_queue,
    build_transactions,
)
from hive_acid_ops.worker_service import COMPACTED, FAILED, Report
from support.statements import TABLE, World

NOW_MS = 10_000_000
FOLDER = WrittenFolder("base_0000003_v0000009", 5, 70, ("f",))
DONE = CompactionOutcome(TABLE, "d=1", CompactionKind.MAJOR, WriteResult((FOLDER,)), True)
WAITS = CompactionInfo(1, TABLE, CompactionKind.MAJOR, CompactionState.INITIATED, enqueued_ms=NOW_MS - 60_000)
READY = CompactionInfo(
    7, TABLE, CompactionKind.MAJOR, CompactionState.READY, next_txn_id=20, committed_ms=NOW_MS - 5_000
)
OPEN = TransactionInfo(11, TransactionState.OPEN, "ada", "host", "tool", NOW_MS - 120_000)
CLEANING = Cleaning(Services(MetastoreLine.HIVE_4, True, True), (READY,), (OPEN,), (), False, NOW_MS)


def values(families: list[GaugeMetricFamily]) -> dict[str, float]:
    """The numbers that are not 0, by name and label."""
    samples = [sample for family in families for sample in family.samples]
    return {" ".join([s.name, *s.labels.values()]): s.value for s in samples if s.value}


def test_a_worker_tells_its_sums() -> None:
    registry = CollectorRegistry()
    counters = CompactionCounters(registry)
    counters.add(Report(COMPACTED, 1500, DONE))
    counters.add(Report(FAILED, 500, reason="x"))
    text = generate_latest(registry).decode()
    assert 'hive_acid_compactions_total{state="compacted"} 1.0' in text
    assert 'hive_acid_compactions_total{state="refused"} 0.0' in text
    assert 'hive_acid_compactions_total{state="failed"} 1.0' in text
    assert "hive_acid_compaction_rows_total 5.0" in text
    assert "hive_acid_compaction_bytes_total 70.0" in text
    assert "hive_acid_compaction_seconds_total 2.0" in text


def test_an_initiator_tells_what_it_did() -> None:
    registry = CollectorRegistry()
    build_action_counter(registry)(Action.PASSED_OVER)
    assert 'hive_acid_initiator_decisions_total{action="passed_over"} 1.0' in generate_latest(registry).decode()


def test_the_queue_has_a_length_by_state_and_an_age() -> None:
    younger = replace(WAITS, id=2, enqueued_ms=NOW_MS - 1_000)
    assert values([*build_queue([WAITS, younger, READY], NOW_MS)]) == {
        "hive_acid_queue_entries initiated": 2,
        "hive_acid_queue_entries ready_for_cleaning": 1,
        "hive_acid_queue_oldest_waiting_seconds": 60,
    }


def test_an_age_that_is_not_known_is_not_told_as_none() -> None:
    """3.1 does not keep when a compaction was asked for."""
    (_, unknown), (_, none) = (build_queue(found, NOW_MS) for found in ([replace(WAITS, enqueued_ms=None)], []))
    assert unknown.samples == []
    assert [sample.value for sample in none.samples] == [0]


def test_the_oldest_open_transaction_is_told_with_its_age() -> None:
    aborted = replace(OPEN, id=3, state=TransactionState.ABORTED)
    younger = replace(OPEN, id=12, started_ms=NOW_MS)
    assert values([*build_transactions([aborted, OPEN, younger], NOW_MS)]) == {
        "hive_acid_open_transactions": 2,
        "hive_acid_oldest_transaction_id": 11,
        "hive_acid_oldest_transaction_age_seconds": 120,
    }


@pytest.mark.parametrize(
    ("entry", "cleaning", "cause", "txn_id"),
    [
        (READY, CLEANING, "held", 11),
        (READY, replace(CLEANING, transactions=()), "next_turn", None),
        (replace(READY, error="disk full"), CLEANING, "cleaner_failed", 11),
        (READY, replace(CLEANING, services=Services(MetastoreLine.HIVE_4, True, False)), "no_cleaner", 11),
    ],
)
def test_the_cleaner_tells_what_it_waits_for(
    entry: CompactionInfo, cleaning: Cleaning, cause: str, txn_id: int | None
) -> None:
    held = {"hive_acid_cleaning_waits_for_transaction_id": txn_id} if txn_id else {}
    assert values([*build_cleaning([(entry, cleaning)], NOW_MS)]) == {
        f"hive_acid_cleaning_waiting {cause}": 1,
        "hive_acid_cleaning_oldest_waiting_seconds": 5,
        **held,
    }


def test_a_metastore_that_does_not_answer_is_a_number() -> None:
    world = World()
    assert values([*QueueCollector(world.metastore, world.clock).collect()])["hive_acid_metastore_up"] == 1
    world.metastore.method, world.metastore.forever = "transactions", True
    (family,) = QueueCollector(world.metastore, world.clock).collect()
    assert (family.name, [sample.value for sample in family.samples]) == ("hive_acid_metastore_up", [0])


def chosen(**changes: object) -> argparse.Namespace:
    return argparse.Namespace(**({"metrics_port": 0, "metrics_address": "127.0.0.1"} | changes))


def test_the_port_tells_both_and_is_closed_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR))
    with counted(chosen(), world.metastore) as registry:
        assert registry is not None
        CompactionCounters(registry).add(Report(COMPACTED, 1500, DONE))
        address = capsys.readouterr().err.split()[-1]
        with urlopen(address) as answer:
            text = answer.read().decode()
    assert address.startswith("http://127.0.0.1:")
    assert 'hive_acid_queue_entries{state="initiated"} 1.0' in text
    assert 'hive_acid_compactions_total{state="compacted"} 1.0' in text
    with pytest.raises(OSError):
        urlopen(address)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(HiveAcidError, match=rf"127\.0\.0\.1:{port}.*--metrics-port") as raised,
            counted(chosen(metrics_port=port), World().metastore),
        ):
            pass
    assert raised.value.getCondition() == "HIVE_ACID_CONFIGURATION.METRICS_PORT"


def test_a_file_has_the_sums_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers of the metastore would be old until the next compaction."""
    file = tmp_path / "sums.prom"
    with counted(chosen(metrics_port=None), World().metastore, is_wanted=True) as registry:
        serving = worker.Serving(argparse.Namespace(json=False, metrics=file), lambda: None, registry)
        serving._report(Report(COMPACTED, 1500, DONE))
    assert 'hive_acid_compactions_total{state="compacted"} 1.0' in file.read_text()
    assert "hive_acid_queue" not in file.read_text()
    assert [*tmp_path.iterdir()] == [file]
