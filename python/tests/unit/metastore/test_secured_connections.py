"""Connections that log in or are encrypted, against a server in this process; each failure by its name."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from thrift.Thrift import TApplicationException

from hive_acid.errors import HiveAcidError, MetastoreUnavailable
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.transports.security import LoginFailed, Security
from hive_acid_login.mechanisms import PasswordLogin
from hive_acid_login.sasl_transport import SaslLogin
from hive_acid_login.tls import TrustedSigners
from support.fake_metastore_server import FakeMetastoreServer, dropped
from support.secured.certificates import Certificates, make_certificates
from support.secured.fake_logins import (
    BAD,
    COMPLETE,
    START,
    ScriptedLogin,
    ScriptedMechanism,
    encrypt,
    expect_login,
)

LOGIN = "HIVE_ACID_METASTORE_LOGIN"
LIMIT_MS = 2_000


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"), host="127.0.0.1")


def answering(server: FakeMetastoreServer) -> FakeMetastoreServer:
    server.answers["getVersion"] = [lambda *_: "4.0.0"]
    return server


def with_login(
    heard: list[tuple[int, bytes]] | None = None, *, status: int = COMPLETE, text: bytes = b"", protects: bool = False
) -> Callable[[socket.socket], object]:
    """A server that ends each login so once it has the second message."""
    say = lambda got, _: None if got == START else (status, text)  # noqa: E731 (both words in one place)
    return expect_login(say, [] if heard is None else heard, protects=protects)


def refuse_unknown(heard: list[tuple[int, bytes]]) -> Callable[[socket.socket], object]:
    """A server that knows logins, but no kind that anybody offers."""
    return expect_login(lambda *_: (BAD, b"Unsupported mechanism type NONE"), heard)


@pytest.fixture
def plain() -> Iterator[FakeMetastoreServer]:
    with answering(FakeMetastoreServer()) as server:
        yield server


def ask(uri: str, security: Security) -> str:
    with closing(ThriftMetastore(uri, timeout_ms=LIMIT_MS, user="alice", security=security)) as client:
        return client.version


def failure(uri: str, security: Security) -> HiveAcidError:
    with pytest.raises(MetastoreUnavailable) as caught:
        ask(uri, security)
    assert caught.value.getMessageParameters()["uri"] == uri
    return caught.value


@pytest.mark.parametrize("protects", [False, True])
def test_calls_go_over_a_connection_that_is_logged_in(protects: bool) -> None:
    heard: list[tuple[int, bytes]] = []
    login = ScriptedLogin(lambda: ScriptedMechanism(wraps=protects))
    with answering(FakeMetastoreServer(with_login(heard, protects=protects))) as server:
        assert ask(server.uri, Security(login)) == "4.0.0"
        assert server.calls == [(1, "getVersion", ())]  # nobody says who he is a second time
    assert heard == [(START, b"SCRIPTED"), (COMPLETE, b"hello")]
    assert login.hosts == ["127.0.0.1"]


@pytest.mark.parametrize("protects", [False, True])
def test_a_long_answer_comes_whole(protects: bool) -> None:
    login = ScriptedLogin(lambda: ScriptedMechanism(wraps=protects))
    with FakeMetastoreServer(with_login(protects=protects)) as server:
        server.answers["get_config_value"] = [lambda _, default: default * 3]
        with closing(ThriftMetastore(server.uri, timeout_ms=LIMIT_MS, security=Security(login))) as client:
            assert client.config_value("x", "long " * 40_000) == "long " * 120_000


def test_each_new_connection_logs_in_anew() -> None:
    heard: list[tuple[int, bytes]] = []
    with answering(FakeMetastoreServer(with_login(heard))) as server:
        server.answers["get_config_value"] = [dropped, lambda *_: "again"]
        with closing(ThriftMetastore(server.uri, timeout_ms=LIMIT_MS, security=Security(ScriptedLogin()))) as client:
            assert client.config_value("x", "") == "again"
            server.close_connections()
            assert client.version == "4.0.0"
        assert server.connections == 3
    assert heard == [(START, b"SCRIPTED"), (COMPLETE, b"hello")] * 3


def test_a_password_that_is_refused() -> None:
    heard: list[tuple[int, bytes]] = []
    refusing = with_login(heard, status=BAD, text=b"Error validating the login")
    with FakeMetastoreServer(refusing) as server:
        error = failure(server.uri, Security(PasswordLogin("carol", "secret")))
    assert error.getCondition() == f"{LOGIN}.PASSWORD_REFUSED"
    assert "secret" not in f"{error} {error.getMessageParameters()} {error.__cause__!r}"
    assert heard[1] == (COMPLETE, b"\0carol\0secret")


def test_a_login_that_cannot_be_made_sends_nothing() -> None:
    class Nobody(SaslLogin):
        user = "alice"

        def begin(self, host: str) -> ScriptedMechanism:
            raise LoginFailed("HIVE_ACID_METASTORE_LOGIN.NO_TICKET", user="alice", reason="no tgt")

    heard: list[tuple[int, bytes]] = []
    with FakeMetastoreServer(with_login(heard)) as server:
        error = failure(server.uri, Security(Nobody()))
    assert (error.getCondition(), heard) == (f"{LOGIN}.NO_TICKET", [])
    assert "user alice has no Kerberos ticket: no tgt. Run kinit" in str(error)


def test_another_server_that_takes_the_login_is_asked(plain: FakeMetastoreServer) -> None:
    refusing = FakeMetastoreServer(with_login(status=BAD, text=b"not today"))
    with refusing, answering(FakeMetastoreServer(with_login())) as taking:
        uris = f"{refusing.uri},{taking.uri}"
        assert ask(uris, Security(ScriptedLogin())) == "4.0.0"
        assert failure(f"{refusing.uri},{refusing.uri}", Security(ScriptedLogin())).getCondition() == f"{LOGIN}.FAILED"


def test_a_login_where_none_is_known(plain: FakeMetastoreServer) -> None:
    """The server takes the beginning for the length of something long, and waits for the rest."""
    client = ThriftMetastore(plain.uri, timeout_ms=300, security=Security(ScriptedLogin()))
    with closing(client), pytest.raises(MetastoreUnavailable) as caught:
        _ = client.version
    assert caught.value.getCondition() == f"{LOGIN}.LOGIN_NOT_EXPECTED"


def test_no_login_where_one_is_asked_for() -> None:
    with FakeMetastoreServer(refuse_unknown([])) as server:
        assert failure(server.uri, Security()).getCondition() == f"{LOGIN}.LOGIN_EXPECTED"


def test_a_server_that_drops_connections_for_reasons_of_its_own_is_unavailable(plain: FakeMetastoreServer) -> None:
    plain.answers["set_ugi"] = [dropped]
    assert failure(plain.uri, Security()).getCondition() == "HIVE_ACID_METASTORE_UNAVAILABLE"


def test_an_embedded_metastore_of_another_user_is_named_and_asked_for_nothing_more(plain: FakeMetastoreServer) -> None:
    def refused(*_: object) -> object:
        text = f"[{LOGIN}.OTHER_USER] this is the metastore of user 1000, and user 1001 asks."
        raise TApplicationException(TApplicationException.INTERNAL_ERROR, text)

    plain.answers["set_ugi"] = [refused]
    error = failure(plain.uri, Security())
    assert error.getCondition() == f"{LOGIN}.OTHER_USER"
    assert "lets in only its owner and root: this is the metastore of user 1000, and user 1001 asks." in str(error)
    assert {method for _, method, _ in plain.calls} == {"set_ugi"}


def test_calls_go_over_tls(certificates: Certificates) -> None:
    trusting = TrustedSigners(str(certificates.authority))
    with answering(FakeMetastoreServer(encrypt(certificates.server))) as server:
        assert ask(server.uri, Security(tls=trusting)) == "4.0.0"
        assert [method for _, method, _ in server.calls] == ["set_ugi", "getVersion"]


def test_the_servers_own_certificate_may_be_the_one_that_is_trusted(certificates: Certificates) -> None:
    trusting = TrustedSigners(str(certificates.server))  # as in a trust store of Java's; it is no root
    with answering(FakeMetastoreServer(encrypt(certificates.server))) as server:
        assert ask(server.uri, Security(tls=trusting)) == "4.0.0"


def test_a_login_goes_over_tls(certificates: Certificates) -> None:
    trusting = TrustedSigners("", certificates.authority.read_text())
    with answering(FakeMetastoreServer(encrypt(certificates.server, with_login()))) as server:
        assert ask(server.uri, Security(ScriptedLogin(), trusting)) == "4.0.0"


def test_a_connection_over_tls_that_the_server_has_closed_is_not_used(certificates: Certificates) -> None:
    trusting = TrustedSigners(str(certificates.authority))
    with answering(FakeMetastoreServer(encrypt(certificates.server))) as server:
        server.answers["open_txns"] = [dropped]
        client = ThriftMetastore(server.uri, timeout_ms=LIMIT_MS, security=Security(tls=trusting))
        with closing(client):
            assert client.version == "4.0.0"
            server.close_connections()
            with pytest.raises(MetastoreUnavailable):  # sent once, and it came to the server
                client.open_transaction("alice", "host", "test")
        assert "open_txns" in server.methods()


def test_a_certificate_of_nobody_known(certificates: Certificates, tmp_path: Path) -> None:
    others = make_certificates(tmp_path, host="127.0.0.1")
    with answering(FakeMetastoreServer(encrypt(certificates.server))) as server:
        for trusting in (TrustedSigners(""), TrustedSigners(str(others.authority))):
            condition = failure(server.uri, Security(tls=trusting)).getCondition()
            assert condition in (f"{LOGIN}.UNKNOWN_AUTHORITY", f"{LOGIN}.CERTIFICATE_INVALID")
        assert failure(server.uri, Security(tls=TrustedSigners(""))).getCondition() == f"{LOGIN}.UNKNOWN_AUTHORITY"


@pytest.mark.parametrize(
    ("host", "days", "sub"), [("metastore.example", 2, "HOST_NAME"), ("127.0.0.1", -1, "CERTIFICATE_INVALID")]
)
def test_a_certificate_of_another_host_or_another_time(tmp_path: Path, host: str, days: int, sub: str) -> None:
    made = make_certificates(tmp_path, host=host, days=days)
    with FakeMetastoreServer(encrypt(made.server)) as server:
        error = failure(server.uri, Security(tls=TrustedSigners(str(made.authority))))
    assert error.getCondition() == f"{LOGIN}.{sub}"
    assert ".." not in str(error)


@pytest.mark.parametrize("login", [None, ScriptedLogin()])
def test_no_tls_where_it_is_spoken(certificates: Certificates, login: ScriptedLogin | None) -> None:
    with answering(FakeMetastoreServer(encrypt(certificates.server))) as server:
        assert failure(server.uri, Security(login)).getCondition() == f"{LOGIN}.TLS_EXPECTED"


@pytest.mark.parametrize("knows_logins", [False, True])
def test_tls_where_it_is_not_spoken(certificates: Certificates, plain: FakeMetastoreServer, knows_logins: bool) -> None:
    trusting = Security(tls=TrustedSigners(str(certificates.authority)))
    with FakeMetastoreServer(refuse_unknown([])) as asking:
        uri = asking.uri if knows_logins else plain.uri
        assert failure(uri, trusting).getCondition() == f"{LOGIN}.TLS_NOT_EXPECTED"


def test_a_file_of_certificates_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for file in ("empty.pem", "missing.pem"):
        with pytest.raises(HiveAcidError) as caught:
            TrustedSigners(str(tmp_path / file))
        assert caught.value.getCondition() == "HIVE_ACID_CONFIGURATION.TRUST_STORE"
