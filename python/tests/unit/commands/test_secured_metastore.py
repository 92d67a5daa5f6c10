"""Commands on a secured metastore: which of them need a JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.commands import metastore_access
from hive_acid.login.security import Security
from hive_acid.login.tokens import FILE_VARIABLE, KIND
from hive_acid.transport import PLAIN, Kerberos, Password, Tls, Transport

KERBEROS = Kerberos("hive/_HOST@REALM")


@pytest.fixture
def token_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A token of alice's for any metastore without a signature."""
    pieces = (b"token", b"\0\x05alice", b"secret", KIND.encode(), b"")
    file = tmp_path / "tokens"
    file.write_bytes(b"HDTS\0\x01" + b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0")
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    return file


def test_a_plain_metastore_needs_none() -> None:
    assert metastore_access._find_security(PLAIN) == Security()


def test_a_token_stands_in_for_a_ticket(token_file: Path) -> None:
    for transport in (Transport(KERBEROS), Transport(KERBEROS, Tls())):
        found = metastore_access._find_security(transport)
        assert found is not None and found.login is not None and found.login.user == "alice"
        assert (found.tls is not None) == (transport.tls is not None)


def test_tickets_passwords_and_trust_stores_are_a_jvms(token_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert metastore_access._find_security(Transport(Password("carol"))) is None
    assert metastore_access._find_security(Transport(KERBEROS, Tls(trust_store="/trust.jks"))) is None
    assert metastore_access._find_security(Transport(Kerberos("hive/_HOST@REALM", ("privacy",), "other"))) is None
    monkeypatch.delenv(FILE_VARIABLE)
    assert metastore_access._find_security(Transport(KERBEROS)) is None
