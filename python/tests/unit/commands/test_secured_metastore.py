"""Commands on a secured metastore: which of them need a JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.metastore.transports.security import Security, find_security_without_jvm
from hive_acid.transport import PLAIN, Kerberos, Password, Tls, Transport
from hive_acid_login.tokens import FILE_VARIABLE, KIND

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
    assert find_security_without_jvm(PLAIN) == Security()


def test_a_token_stands_in_for_a_ticket(token_file: Path) -> None:
    for transport in (Transport(KERBEROS), Transport(KERBEROS, Tls())):
        found = find_security_without_jvm(transport)
        assert found is not None and found.login is not None and found.login.user == "alice"
        assert (found.tls is not None) == (transport.tls is not None)


def test_tickets_passwords_and_trust_stores_are_a_jvms(token_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_security_without_jvm(Transport(Password("carol"))) is None
    assert find_security_without_jvm(Transport(KERBEROS, Tls(trust_store="/trust.jks"))) is None
    assert find_security_without_jvm(Transport(Kerberos("hive/_HOST@REALM", ("privacy",), "other"))) is None
    monkeypatch.delenv(FILE_VARIABLE)
    assert find_security_without_jvm(Transport(KERBEROS)) is None
