"""A callback server of py4j's asks for a token from then on, and its JVM knows the token before."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from py4j.java_gateway import CallbackServerParameters, GatewayParameters, JavaGateway

from hive_acid.bridge.callback_port import ask_for_token
from support.polling import eventually

COMMAND = "g\np1000000\ne\n"
"""An object that is not there is let go of."""
DONE, LET_IN, REFUSED = "!y\n", "!yv\n", "!xn\n"
STRANGER = 61234
GATEWAYS, SOMEBODYS = "the gateway's", "of\nsomebody"
"""Tokens."""


class Session:
    """Python's gateway, and what its JVM has been told, with what Python asked for at that time."""

    def __init__(self, gateway: Any) -> None:
        self.gateway = gateway
        self.told: list[tuple[str, str | None]] = []
        api = SimpleNamespace(tellToken=self._tell)
        gateway.jvm = SimpleNamespace(hiveacid=SimpleNamespace(api=SimpleNamespace(JvmApi=api)))

    def _tell(self, server: Any, token: str) -> None:
        assert server._target_id == "GATEWAY_SERVER"
        self.told.append((token, self.gateway.callback_server_parameters.auth_token))

    def listen(self) -> None:
        self.gateway.start_callback_server(self.gateway.callback_server_parameters)
        assert eventually(self._listens)

    def _listens(self) -> bool:
        with suppress(ConnectionRefusedError), closing(self.connect()):
            return True
        return False

    def connect(self) -> socket.socket:
        server = self.gateway._callback_server
        connection = socket.create_connection((server.get_listening_address(), server.get_listening_port()))
        connection.settimeout(30)
        return connection

    def answers(self, *words: str) -> list[str]:
        """What is answered on a new connection; nothing once it is closed."""
        with closing(self.connect()) as connection:
            return [send(connection, each) for each in words]


def tell(token: str) -> str:
    return f"A\n{token}\ne\n"


def send(connection: socket.socket, words: str) -> str:
    try:
        connection.sendall(words.encode())
        return connection.recv(200).decode()
    except ConnectionError:
        return ""


def open_session(address: str = "127.0.0.1", token: str | None = None) -> Session:
    """As PySpark opens one."""
    python = PythonParameters(
        address, 0, daemonize=True, daemonize_connections=True, eager_load=False, auth_token=token
    )
    return Session(ClientServer(JavaParameters(auth_token=GATEWAYS), python))


@pytest.fixture
def session() -> Iterator[Session]:
    session = open_session()
    yield session
    session.gateway.shutdown_callback_server()


def test_nobody_is_answered_without_the_token_that_the_jvm_is_told_before(session: Session) -> None:
    ask_for_token(session.gateway)
    session.listen()
    ((token, asked_for),) = session.told
    assert asked_for is None
    assert len(token) == 64
    assert token != GATEWAYS
    assert session.answers(COMMAND) == [""]
    assert session.answers(tell(token[:-1] + "x"), COMMAND) == [REFUSED, ""]
    assert session.answers(tell(token), COMMAND) == [LET_IN, DONE]


def test_a_server_that_runs_asks_who_connects_from_then_on(session: Session) -> None:
    session.listen()
    assert session.answers(COMMAND) == [DONE]
    ask_for_token(session.gateway)
    assert session.answers(COMMAND) == [""]
    assert session.answers(tell(session.told[0][0]), COMMAND) == [LET_IN, DONE]


def test_a_token_that_is_there_is_kept_and_the_jvm_told_as_it_was_given() -> None:
    session = open_session(token=SOMEBODYS)
    ask_for_token(session.gateway)
    ask_for_token(session.gateway)
    assert session.told == [(SOMEBODYS, "of\\nsomebody")] * 2
    assert session.gateway.callback_server_parameters.auth_token == "of\\nsomebody"


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("is_others", [False, True])
def test_connections_of_other_users_that_were_there_before_are_hung_up_on(
    monkeypatch: pytest.MonkeyPatch, address: str, *, is_others: bool
) -> None:
    session = open_session(address)
    session.listen()
    with closing(session.connect()) as connection:
        assert send(connection, COMMAND) == DONE
        if is_others:
            monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
        ask_for_token(session.gateway)
        assert send(connection, COMMAND) == ("" if is_others else DONE)


def test_a_gateway_whose_threads_share_connections_asks_for_the_gateways_own_token() -> None:
    parameters = GatewayParameters(auth_token=GATEWAYS)
    for given in (None, CallbackServerParameters(eager_load=False)):
        session = Session(JavaGateway(gateway_parameters=parameters, callback_server_parameters=given))
        ask_for_token(session.gateway)
        assert session.told == []
        assert session.gateway.callback_server_parameters.auth_token == GATEWAYS
