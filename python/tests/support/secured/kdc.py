"""A Kerberos server of its own, on this machine: Apache Kerby's, from jars that are fetched once."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from hive_acid.local import LocalMetastoreError
from hive_acid.local.artifacts import parse_artifacts
from hive_acid.local.cache import cache_folder, cache_lock, whole_entry
from hive_acid.local.download import download
from hive_acid.local.java import find_java
from hive_acid.local.launch import free_port
from hive_acid.local.start import print_progress

if TYPE_CHECKING:
    from typing_extensions import Self

REALM: Final = "EXAMPLE.TEST"
_HERE: Final = Path(__file__).parent


class Kdc:
    """A running server. `folder` has krb5.conf and the keytabs of the principals."""

    def __init__(self, folder: Path, principals: Sequence[str]) -> None:
        """`principals` are names without the realm, such as alice and hive/localhost.

        Skips the test, with the reason, where the files cannot be had.
        """
        folder.mkdir(parents=True)
        self.folder = folder
        command = [
            *(str(find_java().path), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            *("-cp", f"{_fetch_jars()}/*", str(_HERE / "Kdc.java")),
            *(str(folder), str(free_port()), REALM, *principals),
        ]
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        if self._read_line() != "ready":
            raise RuntimeError(f"the Kerberos server did not start: {(folder / 'log').read_text()}")

    @property
    def configuration(self) -> Path:
        """For -Djava.security.krb5.conf."""
        return self.folder / "krb5.conf"

    def keytab(self, name: str) -> Path:
        return self.folder / f"{name.replace('/', '-')}.keytab"

    def make_ticket(self, name: str, cache: Path, seconds: int) -> None:
        """What kinit does: the file `cache` has the user's ticket afterwards, which lives so long."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"ticket {name} {self.keytab(name)} {cache} {seconds}\n")
        self._process.stdin.flush()
        answer = self._read_line()
        if answer != "done":
            raise RuntimeError(answer)

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _fetch_jars() -> Path:
    """The folder of the server's jars."""
    artifacts = parse_artifacts((_HERE / "kdc.txt").read_text("utf-8"))
    digest = hashlib.sha256("".join(artifact.sha256 for artifact in artifacts).encode()).hexdigest()[:12]
    cache = cache_folder()

    def fetch(target: Path, damaged: Path | None) -> None:
        download(artifacts, target, damaged, find_java(), "the Kerberos server", print_progress)

    try:
        with cache_lock(cache, print_progress):
            return whole_entry(cache / f"kdc-{digest}", fetch, print_progress)
    except LocalMetastoreError as error:
        if error.condition != "HIVE_ACID_LOCAL_ARTIFACT_UNAVAILABLE":
            raise
        pytest.skip(f"no Kerberos server on this machine: {error}")
