"""An S3 server in memory, on this machine: S3Proxy, from jars that are fetched once."""

from __future__ import annotations

import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hive_acid_downloads.java import find_java
from hive_acid_local.launch import free_port
from support.fetched_jars import fetch_jars
from support.polling import eventually

BUCKET: Final = "lake"
_START_SECONDS: Final = 60.0
_CONFIGURATION: Final = """\
s3proxy.authorization=none
s3proxy.endpoint={endpoint}
s3proxy.ignore-unknown-headers=true
jclouds.provider=transient
jclouds.identity=tester
jclouds.credential=secret
"""
_LOGGING: Final = """\
<configuration><appender name="A" class="ch.qos.logback.core.ConsoleAppender">
<encoder><pattern>%d %level %msg%n</pattern></encoder></appender><root level="WARN"><appender-ref ref="A"/></root>
</configuration>
"""


@contextmanager
def object_store(folder: Path) -> Iterator[str]:
    """The address of a running server with the bucket `lake`. `folder` is for its settings and log."""
    jars = fetch_jars(Path(__file__).with_name("server.txt"), "objectstore-server", "the object store")
    endpoint = f"http://127.0.0.1:{free_port()}"
    folder.mkdir(parents=True)
    (folder / "server.conf").write_text(_CONFIGURATION.format(endpoint=endpoint))
    (folder / "logback.xml").write_text(_LOGGING)
    command = [
        *(str(find_java().path), "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        f"-Dlogback.configurationFile={folder / 'logback.xml'}",
        *("-cp", f"{jars}/*", "org.gaul.s3proxy.Main", "--properties", str(folder / "server.conf")),
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        _make_bucket(endpoint, process, folder / "log")
        yield endpoint
    finally:
        process.terminate()
        process.wait()


def _make_bucket(endpoint: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Waits until the server answers."""

    def is_made() -> bool:
        try:
            urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{BUCKET}", method="PUT")).close()
        except urllib.error.URLError:
            return process.poll() is not None
        return True

    if not eventually(is_made, _START_SECONDS) or process.poll() is not None:
        raise RuntimeError(f"the object store did not start: {log.read_text()}")
