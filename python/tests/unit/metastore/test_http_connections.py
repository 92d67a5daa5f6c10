"""Calls as requests of HTTP, against a server in this process: who asks, and each failure by its name."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, MetastoreUnavailable
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.transports.security import Security
from hive_acid.transport import Http
from hive_acid_login.http_callers import NamedCaller, TokenCaller, find_caller
from hive_acid_login.tls import TrustedSigners
from support.fake_metastore_server import FakeMetastoreServer, dropped, open_plainly
from support.secured.certificates import make_certificates
from support.secured.fake_http import serve_requests
from support.secured.fake_logins import encrypt

LOGIN = "HIVE_ACID_METASTORE_LOGIN"
LIMIT_MS = 2_000
BY_NAME = Security(http=NamedCaller("/metastore"))


def make_token(claims: Mapping[str, Any]) -> str:
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2ln"])


CAROL = make_token({"sub": "carol", "exp": 1_000})


def by_token(token: str, now: float = 0) -> Security:
    return Security(http=TokenCaller("/metastore", lambda: token, lambda: now))


def answering(server: FakeMetastoreServer) -> FakeMetastoreServer:
    server.answers["getVersion"] = [lambda *_: "4.0.0"]
    return server


def refusing(status: int, text: str = "") -> Callable[[socket.socket], Any]:
    return serve_requests(lambda *_: (status, text))


def asked(uri: str, security: Security) -> str:
    with closing(ThriftMetastore(uri, timeout_ms=LIMIT_MS, user="alice", security=security)) as client:
        return client.version


def failure(uri: str, security: Security) -> HiveAcidError:
    with pytest.raises(MetastoreUnavailable) as caught:
        asked(uri, security)
    return caught.value


@pytest.mark.parametrize(
    ("security", "header", "value"),
    [(BY_NAME, "x-actor-username", "alice"), (by_token(CAROL), "authorization", f"Bearer {CAROL}")],
    ids=["name", "token"],
)
def test_each_request_tells_who_asks(security: Security, header: str, value: str) -> None:
    heard: list[tuple[str, str | None]] = []
    hear = lambda path, headers: heard.append((path, headers.get(header)))  # noqa: E731 (in one place)
    with answering(FakeMetastoreServer(serve_requests(hear))) as server:
        assert asked(server.uri, security) == "4.0.0"
        assert server.connections == 1
        assert "set_ugi" not in [method for _, method, _ in server.calls]
    assert set(heard) == {("/metastore", value)}


def test_a_long_answer_comes_whole() -> None:
    with answering(FakeMetastoreServer(serve_requests())) as server:
        server.answers["get_config_value"] = [lambda _, default: default * 3]
        with closing(ThriftMetastore(server.uri, timeout_ms=LIMIT_MS, security=BY_NAME)) as client:
            assert client.config_value("x", "long " * 40_000) == "long " * 120_000


def test_a_server_may_end_each_connection_with_its_answer() -> None:
    with answering(FakeMetastoreServer(serve_requests(keeps=False))) as server:
        server.answers["get_all_databases"] = [lambda *_: []]
        client = ThriftMetastore(server.uri, timeout_ms=LIMIT_MS, security=BY_NAME)
        with closing(client):
            assert (client.version, client.table_names(), client.table_names()) == ("4.0.0", [], [])
        assert server.connections == 4


def test_a_call_whose_answer_is_lost_is_sent_again_only_if_it_may() -> None:
    with answering(FakeMetastoreServer(serve_requests())) as server:
        server.answers["get_config_value"] = [dropped, lambda *_: "again"]
        server.answers["open_txns"] = [dropped]
        with closing(ThriftMetastore(server.uri, timeout_ms=LIMIT_MS, security=BY_NAME)) as client:
            assert client.config_value("x", "") == "again"
            server.close_connections()
            with pytest.raises(MetastoreUnavailable):
                client.open_transaction("alice", "host", "test")
        assert server.methods().count("open_txns") == 1


def test_an_answer_that_is_none_of_thrifts_is_no_answer() -> None:
    with (
        FakeMetastoreServer(refusing(503, "too busy")) as busy,
        answering(FakeMetastoreServer(serve_requests())) as well,
    ):
        error = failure(busy.uri, BY_NAME)
        assert error.getCondition() == "HIVE_ACID_METASTORE_UNAVAILABLE"
        assert "HTTP 503 too busy" in str(error)
        assert asked(f"{busy.uri},{well.uri}", BY_NAME) == "4.0.0"


@pytest.mark.parametrize(
    ("security", "sub"),
    [
        (BY_NAME, "WEB_TOKEN_EXPECTED"),
        (by_token(CAROL, now=999), "WEB_TOKEN_REFUSED"),
        (by_token(CAROL, now=1_000), "WEB_TOKEN_EXPIRED"),
        (by_token("no token at all"), "WEB_TOKEN_REFUSED"),
        (by_token("of.no-json.kind"), "WEB_TOKEN_REFUSED"),
        (by_token(""), "NO_WEB_TOKEN"),
    ],
)
def test_who_is_not_let_in_hears_why_and_shows_no_token(security: Security, sub: str) -> None:
    with FakeMetastoreServer(refusing(401, "Authentication error: it is wrong")) as server:
        error = failure(server.uri, security)
    assert error.getCondition() == f"{LOGIN}.{sub}"
    assert CAROL not in f"{error} {error.getMessageParameters()} {error.__cause__!r}"


def test_a_token_that_expires_between_two_calls_is_named() -> None:
    statuses = iter([None, None, (401, "expired")])
    now = [0.0]
    security = Security(http=TokenCaller("/metastore", lambda: CAROL, lambda: now[0]))
    with answering(FakeMetastoreServer(serve_requests(lambda *_: next(statuses)))) as server:
        client = ThriftMetastore(server.uri, timeout_ms=LIMIT_MS, security=security)
        with closing(client), pytest.raises(MetastoreUnavailable) as caught:
            assert client.version == "4.0.0"
            now[0] = 2_000.0
            client.table_names()
    assert caught.value.getCondition() == f"{LOGIN}.WEB_TOKEN_EXPIRED"


def test_the_user_is_the_subject_of_the_token() -> None:
    assert by_token(CAROL).user == "carol"
    assert [by_token(token).user for token in ("", "x", make_token({}), "a.W10.b")] == ["", "", "", ""]
    assert BY_NAME.user == ""


def test_the_token_is_that_of_the_environment_at_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    caller = find_caller(Http("/x", asks_by_token=True))
    assert caller is not None
    for token in ("first", "second"):
        monkeypatch.setenv("HMS_JWT", f" {token}\n")
        assert caller.headers("alice") == {"Authorization": f"Bearer {token}"}
    assert find_caller(None) is None


def test_http_where_it_is_not_spoken() -> None:
    with answering(FakeMetastoreServer(open_plainly)) as server:
        client = ThriftMetastore(server.uri, timeout_ms=300, security=BY_NAME)
        with closing(client), pytest.raises(MetastoreUnavailable) as caught:
            _ = client.version
    assert caught.value.getCondition() == f"{LOGIN}.HTTP_NOT_EXPECTED"


def test_no_http_where_it_is_spoken() -> None:
    with FakeMetastoreServer(serve_requests()) as server:
        assert failure(server.uri, Security()).getCondition() == f"{LOGIN}.HTTP_EXPECTED"


def test_requests_go_over_tls(tmp_path: Path) -> None:
    made = make_certificates(tmp_path, host="127.0.0.1")
    trusting = Security(tls=TrustedSigners(str(made.authority)), http=NamedCaller("/metastore"))
    with answering(FakeMetastoreServer(encrypt(made.server, serve_requests()))) as server:
        assert asked(server.uri, trusting) == "4.0.0"
        assert failure(server.uri, BY_NAME).getCondition() == f"{LOGIN}.TLS_EXPECTED"
        others = Security(tls=TrustedSigners(""), http=NamedCaller("/metastore"))
        assert failure(server.uri, others).getCondition() == f"{LOGIN}.UNKNOWN_AUTHORITY"
