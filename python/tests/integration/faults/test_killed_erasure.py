"""`hive-acid erase` that is killed, wherever it is, ends right when it is called again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive_acid.model.table import TableName
from support.drivers import Drivers, wait_until

pytestmark = pytest.mark.beyond_the_gate("`unit/erasure/test_phases.py`: a kill before and after every call")

ADA = "ada.lovelace@example.org"
LIMIT_S = 240.0


@dataclass(frozen=True)
class Moment:
    """So many lines are in the ledger; if there is a method, the metastore is then asked for it, or has answered.

    `later_s`: the process is killed so many seconds later, unless it has ended.
    """

    lines: int
    method: str | None = None
    answered: bool = False
    later_s: float = 0.0

    def __str__(self) -> str:
        later = f"{self.later_s:.1f} s later" if self.later_s else ""
        return "-".join(filter(None, (str(self.lines), self.method, "answered" if self.answered else "", later)))


# begun, found, found, deleting, deleted, deleting, deleted, compacted, compacted, verified
EVENTS = 10
OF_A_CALL = (Moment(4, "commit_txn", True), Moment(7, "mark_compacted", True))
"""Where a dead process leaves at the metastore rows without an answer, or an entry of the queue.

`unit/erasure/test_phases.py` stops at every call.
"""
_CHANCE = random.Random(58)
AT_RANDOM = tuple(Moment(1, later_s=round(_CHANCE.uniform(0.1, 30), 1)) for _ in range(1))
"""A hundred more are in memory, in `unit/erasure/test_random_kills.py`."""
IN_THE_GATE = Moment(4, "commit_txn", True)
MOMENTS = [
    pytest.param(moment, id=str(moment), marks=[] if moment == IN_THE_GATE else pytest.mark.slow)
    for moment in (Moment(EVENTS), *OF_A_CALL, *AT_RANDOM)
]


@dataclass(frozen=True)
class Case:
    """Two tables with Ada's rows, and the files of an erasure."""

    drivers: Drivers
    folder: Path
    tables: tuple[TableName, ...]

    @property
    def ledger(self) -> list[dict[str, Any]]:
        """The events of the ledger, those whose lines are whole."""
        path = self.folder / "plan.ledger"
        content = path.read_bytes() if path.exists() else b""
        return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]

    @contextmanager
    def erasing(self, uri: str) -> Iterator[subprocess.Popen[str]]:
        """The command on its way, in a process group of its own, which ends with the block."""
        command = [sys.executable, "-m", "hive_acid.cli", "erase", "plan.toml", "--subjects", "people.txt"]
        command += ["--hash-key", "keys/hash.key", "--signing-key", "keys/signing.key", "--metastore", uri]
        command += ["--master", "local[2]", "--conf", "spark.hiveacid.commit.resolveTimeoutMs=2000"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=self.folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        ) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def kill_at(self, moment: Moment) -> None:
        """Begins an erasure, and kills it and its JVM then."""
        proxy = self.drivers.proxy
        with self.erasing(proxy.uri) as process:
            wait_until(lambda: len(self.ledger) >= moment.lines or process.poll() is not None, str(moment), LIMIT_S)
            if moment.method is not None:
                held = proxy.hold(moment.method, answered=moment.answered)
                held.wait()
            until_s = time.monotonic() + moment.later_s
            while process.poll() is None and time.monotonic() < until_s:
                time.sleep(0.05)
            assert process.poll() is None or moment.later_s, process.stderr and process.stderr.read()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        proxy.heal()

    def finish(self) -> dict[str, Any]:
        """Calls it again; the payload of the certificate."""
        with self.erasing(self.drivers.metastore.uri) as process:
            told, errors = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, told + errors
        payload: dict[str, Any] = json.loads((self.folder / "plan.json").read_bytes())["payload"]
        return payload


@pytest.fixture
def case(drivers: Drivers, tmp_path: Path) -> Case:
    number = next(drivers.numbers)
    names = [f"erased_{number}", f"erased_anew_{number}"]
    more = ("", ", 'transactional_properties'='insert_only'")
    for name, properties in zip(names, more, strict=True):
        drivers.reader.sql(
            f"CREATE TABLE {name} (id INT, email STRING) PARTITIONED BY (day STRING) STORED AS ORC "
            f"TBLPROPERTIES ('transactional'='true'{properties})"
        )
        rows = f"(1, '{ADA}', 'mon'), (2, 'zoe', 'mon'), (3, '{ADA}', 'mon'), (4, 'zoe', 'tue')"
        drivers.reader.sql(f"INSERT INTO {name} VALUES {rows}")
    plan = ['subjects = ["email"]', *(f'[tables."default.{name}"]\nkeys = {{email = "email"}}' for name in names)]
    (tmp_path / "plan.toml").write_text("\n".join(plan))
    (tmp_path / "people.txt").write_text(f"{ADA}\n")
    command = [sys.executable, "-m", "hive_acid.cli", "erase", "--new-keys", "keys"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return Case(drivers, tmp_path, tuple(TableName("default", name) for name in names))


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_erasure_that_was_killed_ends_right_when_it_is_called_again(case: Case, moment: Moment) -> None:
    case.kill_at(moment)
    payload = case.finish()
    assert payload["verdict"] == {"state": "erased", "missing": [], "after_deadline": False}
    events = [event["event"] for event in case.ledger]
    assert (events.count("begun"), events.count("found"), events[-1]) == (1, 2, "certified")
    client = case.drivers.client
    for name, described in zip(case.tables, payload["tables"], strict=True):
        assert described["found"] == {"total": 4, "matched": 2}
        deleted = sum(deletion["rows"] for deletion in described["deletions"])
        is_unsure = any(deletion["after_interruption"] for deletion in described["deletions"])
        assert deleted == 2 or (is_unsure and deleted == 0), described["deletions"]
        found = case.drivers.reader.sql(f"SELECT id, day FROM {name} ORDER BY id")
        assert found == [(2, "mon"), (4, "tue")]
        root = Path(client.table(name).location.removeprefix("file:"))
        files = [path for path in root.rglob("*") if path.is_file()]
        assert [path for path in files if ADA.encode() in path.read_bytes()] == []
    wait_until(lambda: not case.drivers.open_transactions(), "all transactions have ended")
    assert [lock for name in case.tables for lock in client.held_locks(name)] == []
    assert [info for info in client.compactions() if info.table in case.tables and info.state.is_pending] == []
