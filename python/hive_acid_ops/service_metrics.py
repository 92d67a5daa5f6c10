"""Numbers of a worker or an initiator for Prometheus: what it has done, and what waits in the metastore."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, disable_created_metrics, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from hive_acid.api.clocks import wall_clock_ms
from hive_acid.api.compaction import CompactionInfo, CompactionState, asks_cleaner, load_services
from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.statements import TransactionInfo, TransactionState
from hive_acid.api.tables import Metastore
from hive_acid_ops.cleaning_forecast import Cleaning, CleaningCause
from hive_acid_ops.initiator.initiator import Action
from hive_acid_ops.worker_service import COMPACTED, FAILED, REFUSED, Report

disable_created_metrics()  # type: ignore[no-untyped-call] # each counter began with the process


class CompactionCounters:
    """Sums of a worker's reports since it began; for several threads."""

    def __init__(self, registry: CollectorRegistry) -> None:
        about = "of compactions that this worker has ended"
        self._ended = Counter("hive_acid_compactions", f"Number {about}", ["state"], registry=registry)
        self._rows = Counter("hive_acid_compaction_rows", f"Rows and delete events {about}", registry=registry)
        self._bytes = Counter("hive_acid_compaction_bytes", f"Bytes {about}", registry=registry)
        self._seconds = Counter("hive_acid_compaction_seconds", f"Seconds {about}", registry=registry)
        for state in (COMPACTED, REFUSED, FAILED):
            self._ended.labels(state)

    def add(self, report: Report) -> None:
        """Counts it."""
        self._ended.labels(report.state).inc()
        self._rows.inc(report.rows)
        self._bytes.inc(report.bytes)
        self._seconds.inc(report.elapsed_ms / 1000)


def build_action_counter(registry: CollectorRegistry) -> Callable[[Action], None]:
    """Counts what an initiator has done about a table or partition."""
    counter = Counter("hive_acid_initiator_decisions", "Decisions of this initiator", ["action"], registry=registry)
    labelled = {action: counter.labels(action.value.replace(" ", "_")) for action in Action}
    return lambda action: labelled[action].inc()


@contextmanager
def serve(registry: CollectorRegistry, metastore: Metastore, port: int, address: str) -> Iterator[int]:
    """Tells the numbers of the registry and of the metastore at this port, or at a free one if it is 0; which one.

    Raises HIVE_ACID_CONFIGURATION.METRICS_PORT.
    """
    told = CollectorRegistry()
    told.register(registry)
    told.register(QueueCollector(metastore))
    try:
        server, thread = start_http_server(port, address, told)
    except OSError as error:
        raise build_error("HIVE_ACID_CONFIGURATION.METRICS_PORT", address=f"{address}:{port}", failure=error) from error
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True, eq=False)
class QueueCollector(Collector):
    """The numbers of what waits in a metastore when it is asked. `clock_ms` gives milliseconds since 1970."""

    metastore: Metastore
    clock_ms: Callable[[], int] = wall_clock_ms

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The numbers; that the metastore cannot be asked is a number too."""
        try:
            found = [*self._load()]
            is_up = True
        except HiveAcidError:
            found, is_up = [], False
        yield _gauge("hive_acid_metastore_up", "1 if the metastore has answered", int(is_up))
        yield from found

    def _load(self) -> Iterator[GaugeMetricFamily]:
        now_ms, entries, transactions = self.clock_ms(), self.metastore.compactions(), self.metastore.transactions()
        yield from build_queue(entries, now_ms)
        yield from build_transactions(transactions, now_ms)
        yield from build_cleaning(_load_cleanings(self.metastore, entries, transactions, now_ms), now_ms)


def build_queue(entries: Sequence[CompactionInfo], now_ms: int) -> Iterator[GaugeMetricFamily]:
    """The queue and its history by state, and how long the oldest entry has waited for a worker."""
    states = [entry.state for entry in entries]
    by_state = {state.value.replace(" ", "_"): states.count(state) for state in CompactionState}
    yield _gauge("hive_acid_queue_entries", "Entries of the compaction queue and its history", by_state, "state")
    enqueued = [entry.enqueued_ms for entry in entries if entry.state is CompactionState.INITIATED]
    about = "How long the oldest entry has waited for a worker"
    yield _gauge("hive_acid_queue_oldest_waiting_seconds", about, _find_age_s(enqueued, now_ms))


def build_transactions(infos: Sequence[TransactionInfo], now_ms: int) -> Iterator[GaugeMetricFamily]:
    """The open transactions of all clients."""
    open_ones = [info for info in infos if info.state is TransactionState.OPEN]
    oldest = min(open_ones, key=lambda info: info.id, default=None)
    yield _gauge("hive_acid_open_transactions", "Open transactions of all clients", len(open_ones))
    yield _gauge("hive_acid_oldest_transaction_id", "The smallest open transaction", oldest.id if oldest else None)
    age_s = _find_age_s([oldest.started_ms] if oldest else [], now_ms)
    yield _gauge("hive_acid_oldest_transaction_age_seconds", "How long it has been open", age_s)


def build_cleaning(waiting: Sequence[tuple[CompactionInfo, Cleaning]], now_ms: int) -> Iterator[GaugeMetricFamily]:
    """The compactions that are done and not cleaned, by what their Cleaner waits for."""
    causes = [cleaning.find_cause(entry) for entry, cleaning in waiting]
    by_cause = {cause.value: causes.count(cause) for cause in CleaningCause}
    yield _gauge("hive_acid_cleaning_waiting", "Compactions that are done and not cleaned", by_cause, "cause")
    ended = [entry.committed_ms or entry.ended_ms or entry.started_ms for entry, _ in waiting]
    about = "How long the oldest compaction that is not cleaned has been done"
    yield _gauge("hive_acid_cleaning_oldest_waiting_seconds", about, _find_age_s(ended, now_ms))
    holders = (cleaning.find_oldest_holder(entry) for entry, cleaning in waiting)
    about = "The smallest transaction that the Cleaner waits for"
    yield _gauge("hive_acid_cleaning_waits_for_transaction_id", about, min(filter(None, holders), default=None))


def _load_cleanings(
    metastore: Metastore, entries: Sequence[CompactionInfo], transactions: Sequence[TransactionInfo], now_ms: int
) -> list[tuple[CompactionInfo, Cleaning]]:
    ready = [entry for entry in entries if entry.state is CompactionState.READY]
    if not ready:
        return []
    services, locks, waits_for_kept = load_services(metastore), metastore.held_locks(), asks_cleaner(metastore)

    def build(entry: CompactionInfo) -> Cleaning:
        of_table = [lock for lock in locks if lock.table == entry.table]
        return Cleaning(services, entries, transactions, of_table, waits_for_kept, now_ms)

    return [(entry, build(entry)) for entry in ready]


def _find_age_s(since_ms: Sequence[int | None], now_ms: int) -> float | None:
    """The age of the oldest: 0 if there is none, None if no time is known."""
    known = [each for each in since_ms if each is not None]
    if known:
        return max(0, now_ms - min(known)) / 1000
    return None if since_ms else 0


def _gauge(
    name: str, about: str, value: float | Mapping[str, int] | None, label: str | None = None
) -> GaugeMetricFamily:
    """One number, or one for each value of the label; none if it is not known."""
    family = GaugeMetricFamily(name, about, labels=[label] if label else [])
    values = value if isinstance(value, Mapping) else {None: value}
    for key, number in values.items():
        if number is not None:
            family.add_metric([key] if key else [], number)
    return family
