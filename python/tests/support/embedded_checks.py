"""A look at an embedded metastore from outside: at its processes, its folders and its transactions."""

from __future__ import annotations

import stat
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from hive_acid.metastore.client.thrift_client import ThriftMetastore

LIMIT_SECONDS = 30.0


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Fails if the condition does not hold within LIMIT_SECONDS."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not within {LIMIT_SECONDS} s: {what}"
        time.sleep(0.02)


def is_alive(process_id: int) -> bool:
    """Whether the process exists and is more than an entry that its parent has not collected."""
    answer = subprocess.run(["ps", "-o", "stat=", "-p", str(process_id)], capture_output=True, text=True, check=False)
    return bool(answer.stdout.strip()) and not answer.stdout.strip().startswith("Z")


def open_transaction(uri: str) -> int:
    """The ID of a transaction that stays open."""
    with closing(ThriftMetastore(uri)) as client:
        return client.open_transaction("me", "here", "test")


def open_transactions(uri: str) -> list[int]:
    """The IDs of all that the metastore lists."""
    with closing(ThriftMetastore(uri)) as client:
        return [transaction.id for transaction in client.transactions()]


def mode_of(folder: Path) -> int:
    """The rights of the owner, the group and all others."""
    return stat.S_IMODE(folder.stat().st_mode)
