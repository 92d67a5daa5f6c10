"""Another user of this machine, who tries things: `python -m support.other_user USER ACTION ARGUMENT…`.

It prints what came of it. The program begins as root. It imports all it needs before it becomes the user, who may be
unable to read this Python.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import encodings.idna  # isort: skip  # noqa: F401 - for addresses

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TException
from thrift.transport.TTransport import TMemoryBuffer

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ThriftHiveMetastore, ttypes
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.model.table import TableName
from support.chaos.catalog_client import CatalogClient

NOBODY: Final = 65534
SOMEBODY: Final = 61234
"""User IDs. Neither needs an account."""
DONE: Final = "done"
_OBJECTS: Final = 3
"""How many objects of Python's are called at each port: p0, p1 and so on."""


def ask(uri: str) -> str:
    """A transaction is opened, by the client that sessions have."""
    ThriftMetastore(uri).open_transaction("root", "here", "test")
    return DONE


def drop(uri: str, table: str) -> str:
    """A table is dropped with its folder, by a client that tells nobody's name before."""
    CatalogClient(uri).drop(table)
    return DONE


def describe(uri: str, table: str) -> str:
    """A table is described."""
    return ThriftMetastore(uri).table(TableName("default", table)).location


def hurry(uri: str, count: str) -> str:
    """Requests to open a transaction are sent, and their connections closed or reset before an answer can come."""
    endpoint, request = parse_uris(uri)[0], _request()
    for number in range(int(count)):
        with socket.create_connection((endpoint.host, endpoint.port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", number % 2, 0))
            connection.sendall(request)
    return DONE


def _request() -> bytes:
    buffer = TMemoryBuffer()
    client: Any = ThriftHiveMetastore.Client(TBinaryProtocol(buffer))
    client.send_open_txns(ttypes.OpenTxnRequest(num_txns=1, user="root", hostname="here"))
    request: bytes = buffer.getvalue()
    return request


def connect(uri: str, count: str) -> str:
    """Connections one after another; the answers, each once."""
    endpoint, request, answers = parse_uris(uri)[0], _request(), set()
    for _ in range(int(count)):
        with socket.create_connection((endpoint.host, endpoint.port)) as connection:
            connection.settimeout(30)
            connection.sendall(request)
            answers.add(connection.recv(500))
    return repr(answers)


def enter_database(port: str) -> str:
    """PostgreSQL's answer to the name of its superuser: R for a question, with its kind, 0 if he is in."""
    names = b"user\0hive\0database\0metastore\0\0"
    with socket.create_connection(("127.0.0.1", int(port))) as connection:
        connection.sendall(struct.pack(">ii", 8 + len(names), 196608) + names)
        kind, _, question = struct.unpack(">cii", connection.recv(9))
    return f"{kind.decode()} {question}"


def call_back(*ports: str) -> str:
    """What is answered at these ports to whoever calls an object of Python's as a JVM does by py4j; `port answer`."""
    calls = (f"{port} {_call(int(port), number)}" for port in ports for number in range(_OBJECTS))
    return "\n".join(call for call in calls if not call.endswith(" "))


def _call(port: int, number: int) -> str:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(30)
        try:
            connection.sendall(f"c\np{number}\nrespelling\nsx\ne\n".encode())
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(200).decode().partition("\n")[0]
        except TimeoutError:
            return "(nothing yet)"
        except OSError:  # it has hung up
            return ""


def lie_in_wait(port: str) -> str:
    """The answers of Python to a harmless command before a line of standard input has come, and after it."""
    with socket.create_connection(("127.0.0.1", int(port))) as connection:
        connection.settimeout(30)
        sys.stdout.write(f"{_drop_object(connection)}\n")
        sys.stdout.flush()
        sys.stdin.readline()
        return _drop_object(connection) or "hung up"


def _drop_object(connection: socket.socket) -> str:
    try:
        connection.sendall(b"g\np1000000\ne\n")
        return connection.recv(200).decode().strip()
    except ConnectionError:
        return ""


def read(*paths: str) -> str:
    """What of these can be read."""
    return " ".join(path for path in paths if _can_read(Path(path)))


def _can_read(path: Path) -> bool:
    try:
        if path.is_dir():
            list(path.iterdir())
        else:
            path.read_bytes()
    except PermissionError:
        return False
    return True


def explore(folder: str) -> str:
    """What below the folder can be read, and what can be changed, as `read:path` and `write:path`, sorted."""
    found = []
    for place, folders, files in os.walk(folder):
        for path in (Path(place, name) for name in (*folders, *files)):
            reads = path.is_file() and _can_read(path)
            found += [f"read:{path.relative_to(folder)}"] if reads else []
            found += [f"write:{path.relative_to(folder)}"] if os.access(path, os.W_OK) else []
    return "\n".join(sorted(found))


ACTIONS: Final[Mapping[str, Callable[..., str]]] = {
    action.__name__: action
    for action in (ask, drop, describe, hurry, connect, enter_database, call_back, lie_in_wait, read, explore)
}


def start_as(user: int, action: Callable[..., str], *arguments: str) -> subprocess.Popen[str]:
    """A program that does one of the actions as this user. Only root can start it."""
    command = [sys.executable, "-m", "support.other_user", str(user), action.__name__, *arguments]
    told = {"HADOOP_USER_NAME": "root"}  # names are only told: the metastore believes them
    modules = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # those of the tests
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **told, **modules},
    )


def act_as(user: int, action: Callable[..., str], *arguments: str) -> str:
    """What comes of one of the actions, done by this user."""
    program = start_as(user, action, *arguments)
    output, errors = program.communicate()
    assert program.returncode == 0, errors[-3000:]
    return output.strip()


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter; pytest's own are closed, so that nothing in them could be seen."""
    with tempfile.TemporaryDirectory(prefix="hive-acid-open-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def find_answers(ports: Sequence[int]) -> str:
    """What is answered there to calls of another user, and of another program of root's, as `call_back` tells."""
    assert ports
    return "\n".join(filter(None, (act_as(user, call_back, *map(str, ports)) for user in (NOBODY, 0))))


def main(arguments: Sequence[str]) -> None:
    """Becomes the user, acts, and prints what came of it: the name of an error of ours, the text of others."""
    user, action, *rest = arguments
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
    try:
        told = ACTIONS[action](*rest)
    except HiveAcidError as error:
        told = f"{error.getCondition()} {error}"
    except (TException, OSError) as error:
        told = f"{type(error).__name__} {error}"
    sys.stdout.write(f"{told}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
