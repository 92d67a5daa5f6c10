"""The command line and the facts that the benchmarks beside other engines share."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import hive_acid
from peers.client import WorkerClient
from peers.environments import OURS, PEERS, ROOT

FULL_ROWS = 20_000_000


def build_parser(
    program: str, description: str, rows: int, peers: Sequence[str] = tuple(PEERS)
) -> argparse.ArgumentParser:
    """The options that all have; `rows` is the size of the table by default, `peers` those that there are."""
    parser = argparse.ArgumentParser(prog=f"./dev bench {program}", description=description)
    parser.add_argument("--rows", type=int, default=rows, help="rows of the table (default: %(default)s)")
    parser.add_argument("--scale", action="store_true", help=f"{FULL_ROWS:,} rows")
    parser.add_argument(
        "--against",
        type=lambda text: [name for name in text.split(",") if name],
        default=list(peers),
        help=f"peers, of {', '.join(peers)}; an empty text for none (default: all)",
    )
    parser.add_argument("--memory", default="3g", help="heap of each engine's session (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="where the data go; a temporary folder by default")
    result = ROOT / ".build" / f"bench-{program}.json"
    parser.add_argument("--result", type=Path, default=result, help="the JSON of the results (default: %(default)s)")
    parser.add_argument("--no-warm-up", action="store_true", help="begin with the measured table")
    parser.add_argument("--publish", action="store_true", help="write the table into docs/benchmarks.md")
    return parser


def find_facts(chosen: argparse.Namespace, workers: Mapping[str, WorkerClient]) -> dict[str, object]:
    """The machine, the versions and the size, which belong to every figure."""
    releases = {OURS: hive_acid.__version__} | {name: peer.release for name, peer in PEERS.items()}
    return {
        "engines": {
            name: {"release": worker.release or releases[name], "spark": worker.spark}
            for name, worker in workers.items()
        },
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)),
        "heap": chosen.memory,
        "rows": chosen.rows,
        "rounds": chosen.rounds,
    }
