"""Ask a program on this machine whether it is up."""

from __future__ import annotations

import socket
import ssl
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

START_LIMIT_SECONDS = 180.0
_POLL_SECONDS = 0.05


class StartError(Exception):
    """A program did not start; `event` is what is sent to the parent, which makes the user's error of it.

    `condition` is one of conditions.json. `params` are its parameters but for the tail of the log, which the parent
    reads.
    """

    def __init__(self, condition: str, **params: str | int) -> None:
        super().__init__(condition)
        self.event = {"event": "failed", "condition": condition, "params": params}


@dataclass(frozen=True)
class StartedProgram:
    """A program that was started and may not be up yet. Its own lines in the log begin at the byte `log_start`."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    log: str
    log_start: int = 0

    def died(self) -> StartError:
        """The error once it has ended."""
        if _log_says(self.log, self.log_start, "Address already in use", "could not create any TCP/IP sockets"):
            return StartError("HIVE_ACID_LOCAL_METASTORE.PORT_TAKEN", port=self.port)
        code = self.process.returncode
        return StartError("HIVE_ACID_LOCAL_METASTORE.PROGRAM_ENDED", program=self.name, code=code, log=self.log)


def postgresql_answers(port: int) -> bool:
    """Whether a PostgreSQL on this port answers the question for encryption, which it does once it accepts clients."""
    return len(_reply(port, b"\0\0\0\x08\x04\xd2\x16\x2f")) > 0


def metastore_answers(port: int) -> bool:
    """Whether a metastore on this port answers the Thrift call `getVersion` (strict binary protocol).

    One that was set up to ask for a login, or for TLS, drops such a connection. It is there if it answers the beginning
    of a login, or of TLS. One that was set up for HTTP calls this a bad request.
    """
    name = b"getVersion"
    question = b"\x80\x01\x00\x01" + len(name).to_bytes(4, "big") + name + b"\0\0\0\1" + b"\0"
    try:
        answer = _ask(port, question)
        if name in answer or answer.startswith(b"HTTP/"):
            return True
        return _ask(port, b"\1\0\0\0\4NONE")[:1] in (b"\3", b"\4") or _encrypts(port)
    except OSError:
        return False


def _reply(port: int, question: bytes) -> bytes:
    try:
        return _ask(port, question)
    except OSError:
        return b""


def _ask(port: int, question: bytes) -> bytes:
    """The answer, empty if the connection is dropped. Raises OSError if there is none, or none in time."""
    with socket.create_connection(("127.0.0.1", port), 1) as connection:
        connection.settimeout(5)
        connection.sendall(question)
        try:
            return connection.recv(200)
        except ConnectionResetError:
            return b""


def _encrypts(port: int) -> bool:
    """Whether TLS is spoken there; nothing is said over it. Raises OSError if it is not."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), 1) as connection:
        connection.settimeout(5)
        with context.wrap_socket(connection):
            return True


def await_start(
    program: StartedProgram, answers: Callable[[int], bool], given_up: Callable[[], bool] = lambda: False
) -> None:
    """Wait until the program answers. Raises StartError when it ends, after START_LIMIT_SECONDS, or when given up."""
    deadline = time.monotonic() + START_LIMIT_SECONDS
    while time.monotonic() < deadline:
        if program.process.poll() is not None:
            raise program.died()
        if answers(program.port):
            return
        if given_up():
            raise StartError("HIVE_ACID_LOCAL_METASTORE.START_GIVEN_UP", program=program.name, log=program.log)
        time.sleep(_POLL_SECONDS)
    raise no_answer(program.name, START_LIMIT_SECONDS, program.log)


def no_answer(program: str, limit_seconds: float, log: str) -> StartError:
    """The error for a program that was waited for long enough."""
    return StartError("HIVE_ACID_LOCAL_METASTORE.NO_ANSWER", program=program, seconds=round(limit_seconds), log=log)


def _log_says(log: str, start: int, *phrases: str) -> bool:
    said = Path(log).read_bytes()
    text = said[start if start <= len(said) else 0 :].decode("utf-8", "replace")  # it may have been rolled over
    return any(phrase in text for phrase in phrases)
