"""`./dev chaos`: random statements here and in plain tables of Spark's, until they differ or enough have been run."""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

import hive_acid
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from support.extension_session import compile_policies
from support.metastore_releases import EMBEDDED_VERSION, VERSIONS, started_version
from support.random_sql.generator import MAX_STEPS, Generator
from support.random_sql.runner import BOTH_FAILED, REFUSED, Difference, Runner
from support.random_sql.settings import ALWAYS, OF_APPLICATION, draw
from support.random_sql.shrinking import shrink
from support.random_sql.steps import Segment
from support.spark_settings import SHORT_LIVED

PLUG_IN = 0.34
"""How many runs have an extension beside ours that asks for rights."""


@dataclass(frozen=True)
class Wish:
    """What the command was asked for."""

    seed: int
    statements: int
    minutes: float | None
    metastore: str
    segment: int | None
    shrink: float

    @property
    def has_plug_in(self) -> bool:
        return random.Random(f"{self.seed} plug-in").random() < PLUG_IN


def parse(arguments: list[str]) -> Wish:
    """The command's line; without a seed a random one."""
    parser = argparse.ArgumentParser("./dev chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--statements", type=int, default=1000)
    parser.add_argument("--minutes", type=float, help="go on for so long, however many statements that is")
    parser.add_argument("--metastore", choices=VERSIONS, default=EMBEDDED_VERSION)
    parser.add_argument("--segment", type=int, help="only this one of the seed")
    parser.add_argument(
        "--shrink", type=float, default=240, metavar="SECONDS", help="longest search for a shorter sequence"
    )
    return Wish(**vars(parser.parse_args(arguments)))


@contextmanager
def started(wish: Wish, folder: Path) -> Iterator[Runner]:
    """A metastore and a session with the settings of the run."""
    conf = {**SHORT_LIVED, **ALWAYS, **draw(random.Random(f"{wish.seed} application"), OF_APPLICATION)}
    seen = folder / "seen" if wish.has_plug_in else None
    if seen:
        conf |= {
            "spark.jars": str(compile_policies(folder)),
            "spark.sql.extensions": "policies.Extension",
            "spark.sql.queryExecutionListeners": "policies.Lineage",
            "spark.policies.log": str(seen),
        }
    with started_version(wish.metastore, folder / "metastore", {}) as metastore:
        session, client = _session(metastore, folder, conf), ThriftMetastore(metastore.uri)
        try:
            yield Runner(session, client, seen)
        finally:
            client.close()
            session.stop()


def _session(metastore: EmbeddedMetastore, folder: Path, conf: dict[str, str]) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .config(map={**conf, "spark.local.dir": str(folder)})
        .config("spark.sql.warehouse.dir", metastore.warehouse.as_uri())
    )
    session = hive_acid.configure(builder, metastore=metastore.uri).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # statements that must fail
    return session


def segments(wish: Wish) -> Iterator[Segment]:
    """As many as were asked for."""
    begin, number, statements = time.monotonic(), 0, 0
    has_rebalance = not wish.metastore.startswith("3.")

    def goes_on() -> bool:
        if wish.minutes is not None:
            return time.monotonic() < begin + 60 * wish.minutes
        return statements < wish.statements

    while goes_on():
        if wish.segment is not None and number > wish.segment:
            return
        steps = MAX_STEPS if wish.minutes is not None else min(MAX_STEPS, wish.statements - statements)
        segment = Generator(f"{wish.seed}.{number}", has_rebalance=has_rebalance).segment(steps)
        statements += sum(step.statements for step in segment.steps)
        if wish.segment in (None, number):
            yield segment
        number += 1


def tell(text: str) -> None:
    """At once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def describe(segment: Segment, difference: Difference) -> str:
    """What one needs to see it oneself."""
    settings = f"for key, value in {segment.settings}.items(): spark.conf.set(key, value)"
    steps = "\n".join(step.text for step in segment.steps)
    return (
        f"== seed {segment.seed}, step {difference.step} of those that are left:\n{difference.text}\n\n"
        f"# the shortest sequence found\n{settings}\n{steps}\n"
    )


def main(arguments: list[str]) -> int:
    """The exit code: 1 if there was a difference."""
    wish = parse(arguments)
    plug_in = "with" if wish.has_plug_in else "without"
    tell(f"seed {wish.seed}, metastore {wish.metastore}, {plug_in} an extension that asks for rights")
    wrong, happened = 0, Counter[str]()
    with tempfile.TemporaryDirectory(prefix="random-sql-") as folder, started(wish, Path(folder)) as runner:
        for segment in segments(wish):
            began = time.monotonic()
            difference = runner.run(segment)
            told = difference.text if difference else "the same"
            seconds = time.monotonic() - began
            tell(f"seed {segment.seed}: {len(segment.steps)} steps in {seconds:.0f} s: {told}")
            happened, runner.happened = happened + runner.happened, Counter()
            if difference:
                wrong += 1
                shown = shrink(segment, difference, runner.run, wish.shrink)
                tell(describe(*shown))
                runner.happened = Counter()
    for kind, count in sorted(happened.items()):
        tell(f"{count:6} {kind}")
    total = sum(count for kind, count in happened.items() if BOTH_FAILED not in kind and REFUSED not in kind)
    tell(f"{total} statements of seed {wish.seed}: {wrong or 'no'} segments with a difference")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
