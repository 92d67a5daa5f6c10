"""Draws models of two and three clients and searches them, each with a fault: `./dev model`."""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import replace

from hive_acid.clock import monotonic_ms
from support.model_checker.models import Model, draw_triples, list_pairs
from support.model_checker.quiet import quiet_clients
from support.model_checker.replays import format_test


def main() -> int:
    """1 if a violation was found; it is printed as a test."""
    parser = argparse.ArgumentParser(prog="./dev model", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="such as '4 flat update+overwrite with a fault'")
    parser.add_argument("--minutes", type=float, default=5, help="for so long models are drawn, if none is named")
    parser.add_argument("--runs", type=int, default=2_000, help="of one model that is drawn, at most")
    parser.add_argument("--seed", type=int, default=None, help="the same models again")
    args = parser.parse_args()
    if args.models:
        return max(_search(Model.parse(text)) for text in args.models)
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    _say(f"--seed {seed}")
    chance = random.Random(seed)
    until_ms = monotonic_ms() + int(args.minutes * 60_000)
    code = 0
    while monotonic_ms() < until_ms:
        drawn = chance.choice([*draw_triples(chance.randrange(10**9), 1), chance.choice(list_pairs()).with_fault()])
        code = max(code, _search(replace(drawn, bounds=replace(drawn.bounds, runs=args.runs))))
    return code


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _search(model: Model) -> int:
    found = model.search()
    rest = "" if found.is_whole else ", not all"
    _say(f"{model}: {found.runs} schedules{rest}, {found.states} states")
    if found.violation is None:
        return 0
    _say(format_test(model.setting, model.names, found))
    return 1


if __name__ == "__main__":
    with quiet_clients():
        sys.exit(main())
