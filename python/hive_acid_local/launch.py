"""Start and command the supervisor; small things that all programs of the metastore need to start."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Final

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid_local.private import make_private
from hive_acid_local.probe import START_LIMIT_SECONDS, StartError, no_answer

ANSWER_LIMIT_SECONDS: Final = 2 * START_LIMIT_SECONDS + 30
STOP_LIMIT_SECONDS: Final = 60.0
TAIL_LINES: Final = 15
_FRAME: Final = "\tat "


def free_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def check_port_free(port: int) -> None:
    """Raise HIVE_ACID_LOCAL_METASTORE.PORT_TAKEN if something listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise build_error("HIVE_ACID_LOCAL_METASTORE.PORT_TAKEN", port=port) from error


def helper_environment() -> dict[str, str]:
    """The environment in which our own modules run as programs: this package first, nothing from the work folder."""
    package_home = str(Path(__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": package_home, "PYTHONSAFEPATH": "1"}


def log_tail(log: Path) -> str:
    """The last lines of a log, without the frames of exceptions, which would leave no room for what went wrong."""
    try:
        text = log.read_text("utf-8", "replace")
    except FileNotFoundError:
        return "(nothing was written)"
    lines = [line for line in text.replace("\0", "").splitlines() if not line.startswith(_FRAME)]
    return "\n".join(lines[-TAIL_LINES:])


def start_failed(event: Mapping[str, Any]) -> HiveAcidError:
    """The error for what `probe.StartError` tells, with the end of the log that it names."""
    params = event["params"]
    tail = {"tail": log_tail(Path(params["log"]))} if "log" in params else {}
    return build_error(event["condition"], **params, **tail)


@dataclass
class SupervisorHandle:
    """A running supervisor. It ends itself, and what it started, when this process ends."""

    process: subprocess.Popen[bytes]
    log: Path
    _pending: bytes = b""
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def start(cls, specification: Mapping[str, Any], folder_lock: int, log: Path) -> SupervisorHandle:
        """Start a supervisor, which inherits the descriptor that holds the folder's lock. Does not wait for answers."""
        with make_private(log).open("ab") as sink:
            process = subprocess.Popen(
                [sys.executable, "-m", "hive_acid_local.supervisor"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sink,
                cwd="/",
                env=helper_environment(),
                pass_fds=(folder_lock,),
                start_new_session=True,  # Ctrl-C is the embedding program's
            )
        handle = cls(process, log)
        handle._send(specification)
        return handle

    def started(self) -> Mapping[str, int]:
        """Wait for the next answer: the process IDs by program. Raises what kept them from starting."""
        event = self._answer()
        if event["event"] == "failed":
            raise start_failed(event)
        process_ids: Mapping[str, int] = event["process_ids"]
        return process_ids

    def restart(self) -> Mapping[str, int]:
        """Have the metastore's Java process ended and started again; the new process IDs."""
        with self._lock:
            self._send({"command": "restart"})
            return self.started()

    def stop(self) -> None:
        """Have everything ended; return when it is. Idempotent."""
        with self._lock:
            if self.process.stdin and not self.process.stdin.closed:
                self.process.stdin.close()
            self.process.terminate()
            try:
                self.process.wait(STOP_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()  # and the kernel ends what it started
                self.process.wait()
            if self.process.stdout:
                self.process.stdout.close()

    def release(self) -> None:
        """Let go of a detached supervisor: it keeps running after this process."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()
        self.process.returncode = 0  # not ours to wait for

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return  # it ended; the answer that does not come says so

    def _answer(self) -> Mapping[str, Any]:
        assert self.process.stdout is not None
        deadline = time.monotonic() + ANSWER_LIMIT_SECONDS
        while b"\n" not in self._pending:
            ready = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]
            chunk = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                if ready:
                    return StartError("HIVE_ACID_LOCAL_METASTORE.SUPERVISOR_ENDED", log=str(self.log)).event
                return no_answer("its supervisor", ANSWER_LIMIT_SECONDS, str(self.log)).event
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        answer: Mapping[str, Any] = json.loads(line)
        return answer
