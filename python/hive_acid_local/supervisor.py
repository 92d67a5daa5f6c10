"""The process between us and the metastore: starts PostgreSQL and Java, and ends them when its parent is gone.

It has one thread and exists because the embedding process may be killed with SIGKILL, may start the metastore in a
thread that ends, and must not fork while other threads run; a parent-death signal alone is wrong in all three cases.

It speaks JSON, one object a line; the first line it reads is the specification (`metastore.py` makes it).
    in   {"command": "restart"} | {"command": "stop"}
    out  {"event": "started", "process_ids": {…}}
         {"event": "failed", "condition": …, "params": {…}}
End of input means that the parent is gone, unless the specification says `detached`; SIGTERM always means stop.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hive_acid_local.identity import in_child, own_database, postgresql_identity
from hive_acid_local.private import make_private
from hive_acid_local.probe import StartedProgram, StartError, await_start, metastore_answers, postgresql_answers

STOP_LIMIT_SECONDS = 15.0
_PARENT_POLL_SECONDS = 0.5


class Supervisor:
    """Starts, restarts and stops the programs of one specification."""

    def __init__(self, specification: dict[str, Any], wants_end: Callable[[], bool]) -> None:
        self.specification = specification
        self._wants_end = wants_end
        self.postgresql: subprocess.Popen[bytes] | None = None
        self.metastore: subprocess.Popen[bytes] | None = None
        self.worker: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start PostgreSQL, where there is one, then the metastore; return when both answer. A worker follows them."""
        database = self.specification["postgresql"]
        if database:
            try:
                identity = postgresql_identity(database["command"][0], database["data"])
                own_database(database["data"], identity)
                remove_stale_lock(Path(database["data"]))
            except OSError as error:
                raise _not_started("PostgreSQL", error) from error
            self.postgresql = _spawn(database, identity, signal.SIGINT)
            self._await(self.postgresql, "PostgreSQL", database, postgresql_answers)
        self.start_metastore()
        if self.specification["worker"]:
            self.worker = _spawn(self.specification["worker"], "self", signal.SIGTERM)
            self.write_state()

    def start_metastore(self) -> None:
        """Start the metastore's Java process; return when it answers."""
        wanted = self.specification["metastore"]
        self.metastore = _spawn(wanted, "self", signal.SIGKILL)
        self._await(self.metastore, "the metastore", wanted, metastore_answers)
        self.write_state()

    def _await(
        self, process: subprocess.Popen[bytes], program: str, wanted: dict[str, Any], answers: Callable[[int], bool]
    ) -> None:
        started = StartedProgram(program, process, wanted["port"], wanted["log"], wanted["log_start"])
        await_start(started, answers, self._wants_end)

    def restart(self) -> None:
        """End the metastore's Java process, if it still runs, and start it again over the same database."""
        _end(self.metastore, signal.SIGTERM)
        self.start_metastore()

    def stop(self) -> None:
        """End all programs, remove the state file, and the whole folder where it is a temporary one."""
        temporary = self.specification["remove_folder"]
        _end(self.worker, signal.SIGTERM)
        _end(self.metastore, signal.SIGKILL if temporary else signal.SIGTERM)
        _end(self.postgresql, signal.SIGQUIT if temporary else signal.SIGINT)
        Path(self.specification["state"]).unlink(missing_ok=True)
        if temporary:
            with contextlib.suppress(FileNotFoundError):  # somebody removed it already
                shutil.rmtree(self.specification["folder"])

    def process_ids(self) -> dict[str, int]:
        """The programs that were started, by name, and this process."""
        started = {"metastore": self.metastore, "postgresql": self.postgresql, "worker": self.worker}
        return {"supervisor": os.getpid()} | {name: it.pid for name, it in started.items() if it}

    def write_state(self) -> None:
        """Leave what others need to know about a running metastore in its folder."""
        state, path = {"process_ids": self.process_ids(), **self.specification["describe"]}, self.specification["state"]
        half = make_private(Path(path + ".new"))
        half.write_text(json.dumps(state, indent=1), "utf-8")
        half.replace(path)


def _not_started(program: str, error: OSError) -> StartError:
    return StartError("HIVE_ACID_LOCAL_METASTORE.START_FAILED", program=program, failure=str(error))


def _spawn(wanted: dict[str, Any], identity: str, death_signal: int) -> subprocess.Popen[bytes]:
    with make_private(Path(wanted["log"])).open("ab") as log:
        wanted["log_start"] = log.tell()
        return subprocess.Popen(
            wanted["command"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=wanted["cwd"],
            env=wanted["environment"],
            preexec_fn=in_child(identity, death_signal),
        )


def _end(process: subprocess.Popen[bytes] | None, how: int) -> None:
    """Send the signal and wait; SIGKILL after STOP_LIMIT_SECONDS."""
    if process is None or process.poll() is not None:
        return
    process.send_signal(how)
    try:
        process.wait(STOP_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def remove_stale_lock(data: Path) -> None:
    """Remove PostgreSQL's own lock file where the process it names is another program, as after a container restarts.

    The caller holds the folder's lock, so no supervisor of this folder runs.
    """
    path = data / "postmaster.pid"
    if not path.exists() or not Path("/proc/self/cmdline").exists():
        return
    with contextlib.suppress(FileNotFoundError, IndexError, ValueError):
        owner = int(path.read_text().splitlines()[0])
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if os.fsencode(data) in Path(f"/proc/{owner}/cmdline").read_bytes():
                return
        path.unlink()


class Parent:
    """The process that started us. It sends commands by a pipe, and may end at any time.

    The end of the pipe alone does not tell it: children that the parent forked hold the pipe too.
    """

    def __init__(self, commands: int) -> None:
        self.detached = False
        self._commands = commands
        self._process_id = os.getppid()
        self._pending = b""
        self._ended = self._stop_asked = False
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, self._ask_stop)

    def _ask_stop(self, _number: int, _frame: object) -> None:
        self._stop_asked = True

    def wants_end(self) -> bool:
        """Whether everything is to be stopped: asked for by a signal, or the parent is gone and we are not detached."""
        if not self.detached:
            self._read(0)
        return self._stop_asked or (not self.detached and (self._ended or os.getppid() != self._process_id))

    def next_command(self) -> dict[str, Any] | None:
        """The next line the parent sends, or None when everything is to be stopped."""
        while b"\n" not in self._pending:
            if self.wants_end():
                return None
            self._read(_PARENT_POLL_SECONDS)
        line, self._pending = self._pending.split(b"\n", 1)
        command: dict[str, Any] = json.loads(line)
        return command

    def _read(self, wait_seconds: float) -> None:
        if select.select([] if self._ended else [self._commands], [], [], wait_seconds)[0]:
            chunk = os.read(self._commands, 65536)
            self._ended = not chunk
            self._pending += chunk

    def tell(self, event: dict[str, Any]) -> None:
        """Send an event. Nothing is lost if nobody listens any more: the end of the parent is seen elsewhere."""
        with contextlib.suppress(BrokenPipeError):
            os.write(sys.stdout.fileno(), json.dumps(event).encode() + b"\n")

    def tell_started(self, start: Callable[[], None], process_ids: Callable[[], dict[str, int]]) -> bool:
        """Run `start` and send how it went; whether it went well."""
        try:
            start()
        except StartError as error:
            self.tell(error.event)
            return False
        except OSError as error:
            self.tell(_not_started("the metastore", error).event)
            return False
        self.tell({"event": "started", "process_ids": process_ids()})
        return True


def serve() -> int:
    """Read the specification, start, then obey commands until the parent is gone or a stop is asked for."""
    parent = Parent(sys.stdin.fileno())
    specification = parent.next_command()
    if specification is None:
        return 1
    parent.detached = specification["detached"]
    supervisor = Supervisor(specification, parent.wants_end)
    try:
        if not parent.tell_started(supervisor.start, supervisor.process_ids):
            specification["remove_folder"] &= parent.wants_end()  # else its logs are what the user needs
            return 1
        while (command := parent.next_command()) is not None and command["command"] == "restart":
            parent.tell_started(supervisor.restart, supervisor.process_ids)
        return 0
    finally:
        supervisor.stop()


if __name__ == "__main__":
    sys.exit(serve())
