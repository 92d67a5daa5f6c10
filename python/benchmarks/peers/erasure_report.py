"""The results of the erasure benchmark, and their page of the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from peers.environments import OURS
from peers.methods import METHODS, VERIFY, Phase
from peers.page import describe_machine, describe_rounds, put

_UNVERIFIED = ", without its verification"


@dataclass(frozen=True)
class Cell:
    """One erasure of one method in one round."""

    engine: str
    method: str
    round: int
    subjects: int
    rows: int
    phases: tuple[Phase, ...]
    bytes_before: int
    bytes_written: int
    peak_mib: int
    load_s: float
    texts_left: int

    def describe(self) -> dict[str, Any]:
        """As the JSON has it."""
        return asdict(self) | {"wall_s": self.wall_s(), "cpu_s": self.cpu_s()}

    def wall_s(self, *, with_verify: bool = True) -> float:
        """Seconds of all phases."""
        return sum(phase.wall_s for phase in self.phases if with_verify or phase.name != VERIFY)

    def cpu_s(self, *, with_verify: bool = True) -> float:
        """Seconds of processors in all phases."""
        return sum(phase.cpu_s for phase in self.phases if with_verify or phase.name != VERIFY)


def format_cells(cells: Sequence[Cell]) -> str:
    """A line for each, as it is done."""
    lines = []
    for cell in cells:
        phases = ", ".join(f"{phase.name} {phase.wall_s:.1f}" for phase in cell.phases)
        written = f"{cell.bytes_written / 1e6:.1f} of {cell.bytes_before / 1e6:.1f} MB written"
        lines.append(
            f"  {cell.engine:<8}{cell.method:<17}{cell.subjects:>6} people {cell.rows:>8} rows "
            f"{cell.wall_s():7.1f} s, CPU {cell.cpu_s():7.1f} s ({phases}); {written}; {cell.peak_mib} MiB"
        )
    return "\n".join(lines)


def summarise(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The medians over the rounds, for each method and number of people; ours also without the verification."""
    keys = dict.fromkeys((cell.engine, cell.method, cell.subjects) for cell in cells)
    found = []
    order = [(method.engine, method.name) for method in METHODS]
    for engine, method, subjects in sorted(keys, key=lambda key: (key[2], order.index(key[:2]))):
        same = [cell for cell in cells if (cell.engine, cell.method, cell.subjects) == (engine, method, subjects)]
        for with_verify in (True, False) if engine == OURS else (True,):
            name = method if with_verify else f"{method}{_UNVERIFIED}"
            found.append(_summarise(engine, name, same, with_verify=with_verify))
    return found


def _summarise(engine: str, method: str, cells: Sequence[Cell], *, with_verify: bool) -> dict[str, Any]:
    names = dict.fromkeys(phase.name for phase in cells[0].phases if with_verify or phase.name != VERIFY)
    spent = {
        name: median(sum(phase.wall_s for phase in cell.phases if phase.name == name) for cell in cells)
        for name in names
    }
    return {
        "engine": engine,
        "method": method,
        "subjects": cells[0].subjects,
        "rows": cells[0].rows,
        "phases": spent,
        "wall_s": median(cell.wall_s(with_verify=with_verify) for cell in cells),
        "cpu_s": median(cell.cpu_s(with_verify=with_verify) for cell in cells),
        "bytes_written": median(cell.bytes_written for cell in cells),
        "written_by_row": median(cell.bytes_written / cell.rows for cell in cells),
        "peak_mib": max(cell.peak_mib for cell in cells),
        "texts_left": max(cell.texts_left for cell in cells),
    }


def publish(result: Mapping[str, Any], *, is_kept: bool) -> str:
    """The table in Markdown, written into the page too if it is to be kept."""
    size = f"{result['rows']:,} rows in {result['days']} partitions, {describe_rounds(result['rounds'])}"
    text = f"{size}; {describe_machine(result)}\n\n{_format_table(result['medians'])}"
    if is_kept:
        put("erasure", text)
    return text


def _format_table(medians: Sequence[Mapping[str, Any]]) -> str:
    """Every row of a peer has our time by its own beside it; `lost` where we are slower."""
    head = (
        "People",
        "Rows",
        "Engine",
        "Seconds",
        "of these",
        "CPU s",
        "MB written",
        "Bytes per row",
        "JVM MiB",
        "Left in logs",
        "Ours by this",
    )
    rows = [head, ("---:", "---:", "---", "---:", "---", "---:", "---:", "---:", "---:", "---:", "---:")]
    for each in medians:
        phases = ", ".join(f"{name} {seconds:.1f}" for name, seconds in each["phases"].items())
        rows.append(
            (
                f"{each['subjects']:,}",
                f"{each['rows']:,}",
                f"{each['engine']}: {each['method']}",
                f"{each['wall_s']:.1f}",
                phases,
                f"{each['cpu_s']:.1f}",
                f"{each['bytes_written'] / 1e6:,.1f}",
                f"{each['written_by_row']:,.0f}",
                f"{each['peak_mib']:,}",
                f"{each['texts_left']:,}",
                "" if each["engine"] == OURS else _compare(_find_rivals(medians, each), each),
            )
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _find_rivals(medians: Sequence[Mapping[str, Any]], peer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Ours that the peer's method is compared with: with the verification, and without it."""
    name = next(method.rival for method in METHODS if (method.engine, method.name) == (peer["engine"], peer["method"]))
    same = [row for row in medians if row["engine"] == OURS and row["subjects"] == peer["subjects"]]
    return [next(row for row in same if row["method"] == wanted) for wanted in (name, f"{name}{_UNVERIFIED}")]


def _compare(ours: Sequence[Mapping[str, Any]], peer: Mapping[str, Any]) -> str:
    """Seconds and processor seconds, with the verification and without it, and bytes."""
    verified, unverified = ours
    ratios = [
        f"{verified[name] / peer[name]:.2f} ({unverified[name] / peer[name]:.2f})" for name in ("wall_s", "cpu_s")
    ]
    size = verified["bytes_written"] / peer["bytes_written"]
    is_lost = unverified["wall_s"] > peer["wall_s"] or size > 1
    return f"{ratios[0]}, CPU {ratios[1]}, bytes {size:.2f}" + (", lost" if is_lost else "")
