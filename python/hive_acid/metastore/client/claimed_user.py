"""The user of connections without a login: the metastore believes what a client says (simple authentication)."""

from __future__ import annotations

import getpass
import os


def find_user() -> str:
    """The user Hadoop's simple authentication would name: HADOOP_USER_NAME, else the user of the process."""
    return os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
