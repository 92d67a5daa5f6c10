"""Times taken in interleaved rounds, and their table."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from peers.processes import cpu_seconds


@dataclass(frozen=True)
class Measure:
    """A row of results: medians in seconds beside those of the baseline (None: there is nothing to compare with).

    `cpu_seconds` and `baseline_cpu_seconds` are those of the processors, of all processes of the run.
    """

    name: str
    seconds: float
    baseline_seconds: float | None
    kept_seconds: tuple[float, ...]
    note: str = ""
    cpu_seconds: float | None = None
    baseline_cpu_seconds: float | None = None

    @property
    def cpu_ratio(self) -> float | None:
        """The same of processor seconds; below 1 we work less."""
        return self.cpu_seconds / self.baseline_cpu_seconds if self.cpu_seconds and self.baseline_cpu_seconds else None

    @property
    def ratio(self) -> float | None:
        """Ours by the baseline's; below 1 we are faster."""
        return self.seconds / self.baseline_seconds if self.baseline_seconds else None


def measure_rounds(
    cases: Mapping[str, tuple[Callable[[], object], Callable[[], object]]],
    rounds: int,
    before_round: Callable[[], object] = lambda: None,
) -> list[Measure]:
    """Each case is ours and the baseline; both run once per round, taking turns to be first. The first round goes."""
    ours: dict[str, list[Spent]] = {name: [] for name in cases}
    baseline: dict[str, list[Spent]] = {name: [] for name in cases}
    for number in range(rounds):
        before_round()
        for name, (run_ours, run_baseline) in cases.items():
            pair = [(ours[name], run_ours), (baseline[name], run_baseline)]
            for times, run in pair if number % 2 else reversed(pair):
                times.append(measured(run))
    return [build_measure(name, ours[name][1:], baseline[name][1:]) for name in cases]


class Spent(NamedTuple):
    """What one run took, in seconds by the clock and of processors."""

    seconds: float
    cpu_seconds: float


def build_measure(name: str, ours: Sequence[Spent], baseline: Sequence[Spent]) -> Measure:
    """The medians of runs."""
    return Measure(
        name,
        median(spent.seconds for spent in ours),
        median(spent.seconds for spent in baseline),
        tuple(spent.seconds for spent in ours),
        cpu_seconds=median(spent.cpu_seconds for spent in ours),
        baseline_cpu_seconds=median(spent.cpu_seconds for spent in baseline),
    )


def measured(run: Callable[[], object]) -> Spent:
    """How long it took, and how much the processors did for it."""
    cpu = cpu_seconds(os.getpid())
    seconds = timed(run)
    return Spent(seconds, cpu_seconds(os.getpid()) - cpu)


def timed(run: Callable[[], object]) -> float:
    """How long it took, in seconds."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def ensure_equal(what: str, found: object, expected: object) -> None:
    """A benchmark of wrong results is worth nothing."""
    if found != expected:
        raise AssertionError(f"{what}: {found!r}, but {expected!r} was expected")


def format_table(measures: Sequence[Measure]) -> str:
    """One line per measure: seconds, baseline, ratio, that of processor seconds, note."""
    lines = [f"  {'':<38}{'ours':>10}{'baseline':>10}{'ratio':>8}{'CPU':>8}"]
    for measure in measures:
        baseline = "" if measure.baseline_seconds is None else f"{measure.baseline_seconds:.3f} s"
        ratio, cpu = ("" if found is None else f"{found:.2f}" for found in (measure.ratio, measure.cpu_ratio))
        line = f"  {measure.name:<38}{f'{measure.seconds:.3f} s':>10}{baseline:>10}{ratio:>8}{cpu:>8}  {measure.note}"
        lines.append(line.rstrip())
    return "\n".join(lines)
