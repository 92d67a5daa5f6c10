"""The workloads of the concurrency run in Spark SQL, by clients of processes that may be killed and replaced."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from support.client_history import Reading, Row, Workload, Write
from support.session_process import LIMIT_SECONDS, SessionProcess, StatementFailed
from support.workloads import OPENING, Failed, Unknown

ATTEMPTS = 5
"""Transactions of several statements that a client tries on conflicts, before it says that it has failed."""
ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
_ACCOUNTS = ", ".join(f"({id_}, {balance}, '')" for id_, balance in OPENING.items())
TABLES = (
    f"CREATE TABLE appended (place INT, token STRING, part INT) {ACID}",
    f"CREATE TABLE accounts (id INT, balance INT, journal STRING) {ACID}",
    f"INSERT INTO accounts VALUES {_ACCOUNTS}",
    f"CREATE TABLE distinct_keys (place INT, token STRING, part INT) {ACID}",
)
"""The journal of an account has a token and a number for each transfer."""
EMPTIED = (
    "TRUNCATE TABLE appended",
    "TRUNCATE TABLE accounts",
    f"INSERT INTO accounts VALUES {_ACCOUNTS}",
    "TRUNCATE TABLE distinct_keys",
)
"""The tables are as after TABLES."""
READS = {
    Workload.APPEND: "SELECT place, token, part FROM appended",
    Workload.BANK: "SELECT id, balance, journal FROM accounts",
    Workload.UNIQUE: "SELECT place, token, part FROM distinct_keys",
}


class ClientProcess:
    """A place for a session process: when that is killed, another takes it."""

    def __init__(self, start: Callable[[Path], SessionProcess], folder: Path) -> None:
        self._start = start
        self._folders = (folder / str(number) for number in itertools.count())
        self._guard = threading.Lock()
        self._session = start(next(self._folders))

    @property
    def session(self) -> SessionProcess:
        """The process that runs now; waits until it is there."""
        with self._guard:
            session = self._session
        session.wait_started()
        return session

    def replace(self, after_the_kill: Callable[[], None]) -> None:
        """Kills the process, calls, and starts another one."""
        with self._guard:
            self._session.kill()
            after_the_kill()
            self._session = self._start(next(self._folders))

    def close(self) -> None:
        """Ends the process in good order."""
        with self._guard:
            self._session.close()


class SparkTarget:
    """A `Target` of the workloads: a client of whatever process has the place."""

    def __init__(self, client: str, place: ClientProcess) -> None:
        self._client = client
        self._place = place
        self._turns = itertools.count(1)

    def append(self, write: Write) -> None:
        self._expect([len(write.rows)], self._run([f"INSERT INTO appended VALUES {_values(write.rows)}"]))

    def transfer(self, write: Write, in_two: bool) -> None:
        changes = [
            (account, f"{'+' if part else '-'} {write.amount}", f"{token}/{part}")
            for account, token, part in write.rows
        ]
        if in_two:
            statements = [
                f"UPDATE accounts SET balance = balance {change}, journal = concat(journal, ' {entry}')"
                f" WHERE id = {id_}"
                for id_, change, entry in changes
            ]
            self._expect([1, 1], self._run_together(statements))
        else:
            balances = " ".join(f"WHEN {id_} THEN balance {change}" for id_, change, _ in changes)
            journals = " ".join(f"WHEN {id_} THEN concat(journal, ' {entry}')" for id_, _, entry in changes)
            ids = ", ".join(str(id_) for id_, _, _ in changes)
            update = f"UPDATE accounts SET balance = CASE id {balances} END, journal = CASE id {journals} END"
            self._expect([2], self._run([f"{update} WHERE id IN ({ids})"]))

    def insert_unique(self, write: Write) -> bool:
        """By MERGE, every other time in a transaction of its own, where nobody but the client tries again."""
        source = f"(SELECT * FROM VALUES {_values(write.rows)} AS wanted (place, token, part)) s"
        merge = f"MERGE INTO distinct_keys t USING {source} ON t.place = s.place WHEN NOT MATCHED THEN INSERT *"
        run = self._run_together if next(self._turns) % 2 else self._run
        ((affected, updated, deleted, inserted),) = run([merge])
        assert affected == inserted and inserted in (0, len(write.rows)) and not updated + deleted, affected
        return bool(inserted)

    def read(self, workload: Workload) -> Reading:
        found = self._run([READS[workload]])
        if workload is not Workload.BANK:
            return Reading(tuple((place, token, part) for place, token, part in found))
        entries = ((id_, entry.split("/")) for id_, _, journal in found for entry in journal.split())
        return Reading(
            tuple((id_, token, int(part)) for id_, (token, part) in entries),
            tuple((id_, balance) for id_, balance, _ in found),
        )

    def _run_together(self, statements: Sequence[str]) -> list[tuple[Any, ...]]:
        """In one transaction, which a conflict undoes: then again."""
        for _ in range(ATTEMPTS - 1):
            try:
                return self._run(statements, together=True)
            except Failed as failed:
                if not str(failed).startswith("HIVE_ACID_WRITE_CONFLICT"):
                    raise
        return self._run(statements, together=True)

    def _run(self, statements: Sequence[str], together: bool = False) -> list[tuple[Any, ...]]:
        try:
            return self._place.session.submit_for(self._client, statements, together=together).result(LIMIT_SECONDS)
        except BrokenPipeError as error:
            raise Unknown("ProcessEnded") from error
        except StatementFailed as error:
            name = error.condition or error.type
            if name.startswith("HIVE_ACID_") and name != "HIVE_ACID_COMMIT_STATE_UNKNOWN":
                raise Failed(name) from error
            if error.type == "AnalysisException" and not name.startswith("HIVE_ACID_"):  # Spark's own: nothing was run
                raise Failed(name) from error
            raise Unknown(name) from error

    def _expect(self, affected: Sequence[int], found: Sequence[tuple[Any, ...]]) -> None:
        assert [row[0] for row in found] == list(affected), f"{self._client}: {found} instead of {affected}"


def _values(rows: Sequence[Row]) -> str:
    return ", ".join(f"({place}, '{token}', {part})" for place, token, part in rows)
