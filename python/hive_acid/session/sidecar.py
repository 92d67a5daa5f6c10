"""The Python half as a process beside a driver that no Python has set up: `python -m hive_acid.session.sidecar`.

The shim starts it at the first statement that needs it and names the driver's gateway in the environment. It ends when
its standard input does: the driver has ended then, in whatever way.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from hive_acid import __version__
from hive_acid.bridge.python_api import PythonApi
from hive_acid.bridge.throwables import build_throwable
from hive_acid.errors import HiveAcidError
from hive_acid.session.session import Attachment

_LONGEST_END_MS = 5_000
DONE, FAILED = 0, 1


def main() -> int:
    """Answers the driver until it ends; the exit code."""
    _ignore_interrupts()
    launch: Any = launch_gateway
    gateway = launch()
    entry = gateway.entry_point
    if not entry.welcome(__version__):
        return FAILED
    session = _open_session(gateway, entry)
    _ignore_interrupts()  # PySpark has taken them
    try:
        attachment = Attachment(session, _register)
        if entry.isSuccessor():
            attachment.abort_left_behind()
    except HiveAcidError as error:
        entry.failed(build_throwable(gateway.jvm, error))
        return FAILED
    entry.ready(attachment.python_api)
    _wait_for_end()
    attachment.close("the driver has ended", _LONGEST_END_MS)
    return DONE


def _ignore_interrupts() -> None:
    """Ctrl-C in a terminal reaches all processes there; the driver decides what becomes of its statements."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _open_session(gateway: Any, entry: Any) -> SparkSession:
    context = entry.context()
    conf = SparkConf(_jvm=gateway.jvm, _jconf=context.getConf())
    own = SparkContext(gateway=gateway, jsc=context, conf=conf)
    # PySpark makes the first session that it hears of the JVM's default one: let it be the one that is
    SparkSession(own, entry.defaultSession())
    return SparkSession(own, entry.session())


def _register(session: SparkSession, python_api: PythonApi) -> None:
    jvm: Any = session._jvm
    jvm.hiveacid.api.JvmApi.listen(session._jsparkSession)


def _wait_for_end() -> None:
    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit

    signal.signal(signal.SIGTERM, end)
    try:
        while sys.stdin.buffer.read(1):
            pass
    except SystemExit:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # threads may still wait for a driver that is gone
