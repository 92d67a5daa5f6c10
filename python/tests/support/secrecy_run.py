"""A process that erases people whom everything names, while one part after another fails; see `test_erasure_secrecy`.

It is told by its standard input, in JSON, and shows every error as a program does that catches none.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import hive_acid
from hive_acid.errors import build_error
from hive_acid.session.session import attach
from hive_acid_erasure.certificate.signing import Signer
from hive_acid_erasure.plan.plan_parsing import build_plan
from hive_acid_erasure.run import erase_subjects, verify_subjects
from hive_acid_erasure.spark.erasing import build_case, build_world
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.subjects import build_subjects


@contextmanager
def failing(owner: Any, method: str, build: Callable[[], Exception], times: int = 1) -> Iterator[None]:
    """The method fails so often, then it does what it always does."""
    original, left = getattr(owner, method), [times]

    def fail(*args: Any, **kwargs: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise build()
        return original(*args, **kwargs)

    setattr(owner, method, fail)
    try:
        yield
    finally:
        setattr(owner, method, original)


def show(*texts: object) -> None:
    """On standard output."""
    sys.stdout.write(f"{' '.join(map(str, texts))}\n")


class Run:
    """Erasures of one session, each with files of its own."""

    def __init__(self, told: dict[str, Any]) -> None:
        builder = SparkSession.builder.master("local[2]").config(map=told["conf"])
        self.spark = hive_acid.configure(builder, metastore=told["metastore"]).getOrCreate()
        self.names, self.folder = told["names"], Path(told["files"])
        self.database = told["database"]
        self.quoted = f"no partition who={self.names[0]} of {', '.join(self.names)}"

    def work(self, name: str, table: str, *, erases: bool = True, **plan: Any) -> None:
        """Erases from a table, or searches it, and tells how it ended."""
        key, file = HashKey.read(self.folder / "keys" / "hash.key"), self.folder / name
        tables = {f"{self.database}.{table}": {"keys": {"name": "name"}, **plan}}
        built = build_plan({"subjects": ["name"], "tables": tables})
        kind = "erasure" if erases else "verification"
        case = build_case(kind, built, build_subjects(self.names, ["name"]), key)
        world = build_world(self.spark, key, show, cleaning_limit_s=2)
        signer, certificate = Signer.read(self.folder / "keys" / "signing.key"), file.with_suffix(".json")
        try:
            if erases:
                outcome = erase_subjects(case, world, file.with_suffix(".ledger"), signer, certificate)
            else:
                outcome = verify_subjects(case, world, signer, certificate)
        except Exception as error:  # noqa: BLE001 (they are shown)
            traceback.print_exc()
            condition = getattr(error, "getCondition", lambda: None)()
            show("ENDED", name, condition, repr(error))
            return
        kinds = sorted({place.kind.value for place in outcome.verdict.places})
        show("ENDED", name, outcome.verdict.state.value, kinds)
        show(outcome)

    def refused(self) -> Exception:
        """By a metastore that quotes the names of partitions."""
        return build_error("HIVE_ACID_METASTORE_REFUSED", method="a call", reason=self.quoted, outcome="")

    def unexpected(self) -> Exception:
        """Of nobody's."""
        return RuntimeError(self.quoted)

    def conflict(self) -> Exception:
        """After which the same is tried again."""
        told = {"txnId": 7, "table": "t", "answer": self.quoted, "attempts": 1}
        return build_error("HIVE_ACID_WRITE_CONFLICT.ENDED", **told)


def main() -> None:
    """All of it."""
    told = json.loads(sys.stdin.read())
    run = Run(told)
    side = type(attach(run.spark))
    metastore = type(attach(run.spark).metastore)
    run.work("failing key", "t", keys={"name": "CAST(CAST(name AS INT) AS STRING)"})
    run.work("failing limit", "p", partitions="CAST(who AS INT) = 1")
    with failing(metastore, "add_dynamic_partitions", run.refused, 9):
        run.work("refusing metastore", "p")
    with failing(metastore, "allocate_write_id", run.unexpected):
        run.work("unexpected error", "t")
    with failing(metastore, "allocate_write_id", run.conflict):
        run.work("conflict", "o")
    with failing(side, "compact_anew", run.refused, 999):
        run.work("refused compactions", "p")
    with failing(metastore, "column_extremes", run.refused):
        run.work("failing search", "p", erases=False)
    with hive_acid.transaction(run.spark.newSession()) as held:
        show(held.id)
        run.work("waiting Cleaner", "t")
    damaged = Path(told["damaged"])
    damaged.write_bytes(damaged.read_bytes()[:40] + b"damage")
    run.work("damaged file", "d")
    run.work("search", "p", erases=False)
    run.work("file of another format", "s")
    run.work("damaged column", "b")
    run.work("partitions of a plain table", "v", erases=False, keys={"name": "who"})
    run.work("a table in a folder of theirs", "l")
    show("ALL DONE")
    run.spark.stop()


if __name__ == "__main__":
    main()
