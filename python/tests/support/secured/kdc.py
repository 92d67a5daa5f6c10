"""A Kerberos server of its own, on this machine: Apache Kerby's, from jars that are fetched once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hive_acid_local.launch import free_port
from support.fetched_jars import fetch_jars
from support.request_server import RequestServer

REALM: Final = "EXAMPLE.TEST"
ADMITTED_SKEW_SECONDS: Final = 300
"""By how much clocks may differ, as most sites have it."""
_HERE: Final = Path(__file__).parent


class Kdc(RequestServer):
    """A running server. `folder` has krb5.conf and the keytabs of the principals."""

    def __init__(self, folder: Path, principals: Sequence[str]) -> None:
        """`principals` are names without the realm, such as alice and hive/localhost.

        Skips the test, with the reason, where the files cannot be had.
        """
        jars = fetch_jars(_HERE / "kdc.txt", "kdc", "the Kerberos server")
        folder.mkdir(parents=True)
        self.folder = folder
        super().__init__(
            folder, ["-Xmx128m"], [jars], _HERE / "Kdc.java", str(folder), str(free_port()), REALM, *principals
        )

    @property
    def configuration(self) -> Path:
        """For -Djava.security.krb5.conf."""
        return self.folder / "krb5.conf"

    def keytab(self, name: str) -> Path:
        return self.folder / f"{name.replace('/', '-')}.keytab"

    def make_ticket(self, name: str, cache: Path, seconds: int) -> None:
        """What kinit does: the file `cache` has the user's ticket afterwards, which lives so long."""
        self.ask("ticket", name, str(self.keytab(name)), str(cache), str(seconds))

    @contextmanager
    def refusing_clocks(self) -> Iterator[None]:
        """Each request that tells a time is refused meanwhile, as from a machine with a wrong clock."""
        self.ask("skew", "-1")
        try:
            yield
        finally:
            self.ask("skew", str(ADMITTED_SKEW_SECONDS))
