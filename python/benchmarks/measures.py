"""Times taken in interleaved rounds, and their table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Measure:
    """A row of results: median in seconds beside that of the baseline (None: there is nothing to compare with)."""

    name: str
    seconds: float
    baseline_seconds: float | None
    kept_seconds: tuple[float, ...]
    note: str = ""

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
    ours: dict[str, list[float]] = {name: [] for name in cases}
    baseline: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds):
        before_round()
        for name, (run_ours, run_baseline) in cases.items():
            pair = [(ours[name], run_ours), (baseline[name], run_baseline)]
            for times, run in pair if number % 2 else reversed(pair):
                times.append(timed(run))
    return [Measure(name, median(ours[name][1:]), median(baseline[name][1:]), tuple(ours[name][1:])) for name in cases]


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
    """One line per measure: seconds, baseline, ratio, note."""
    lines = [f"  {'':<34}{'ours':>10}{'baseline':>10}{'ratio':>8}"]
    for measure in measures:
        baseline = "" if measure.baseline_seconds is None else f"{measure.baseline_seconds:.3f} s"
        ratio = "" if measure.ratio is None else f"{measure.ratio:.2f}"
        line = f"  {measure.name:<34}{f'{measure.seconds:.3f} s':>10}{baseline:>10}{ratio:>8}  {measure.note}"
        lines.append(line.rstrip())
    return "\n".join(lines)
