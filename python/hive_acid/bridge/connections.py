"""Connections of Python's threads to the JVM, one each, where py4j (0.10.9.9) keeps them open too long or too short."""

from __future__ import annotations

from typing import Any

from py4j.clientserver import ClientServerConnection, JavaClient
from pyspark import SparkContext


def close_connection(context: SparkContext) -> None:
    """Closes this thread's connection to the JVM, if it has one; its next call opens another."""
    _, connection = _own_connection(context)
    if connection is not None:
        connection.close()


def withdraw_connection(context: SparkContext) -> None:
    """Takes this thread's connection out of py4j's list of those that are kept open; to be called as a callback ends.

    Each call over the connection takes it out and puts it back, and so does a call within a callback, though the outer
    one has it out already: it would be listed twice. py4j takes it out once when its thread ends, so that for each
    thread which has run a statement a connection would stay, a file of both processes and a thread of the JVM's.
    """
    client, connection = _own_connection(context)
    if connection is not None:
        for _ in range(client.deque.count(connection)):
            client.deque.remove(connection)


def keep_connections_of_others(context: SparkContext) -> None:
    """Makes an interrupt close the connection of its own thread, the main one, and no other.

    Left alone, py4j asks the JVM to close the connection by its ports, and `GatewayServer.shutdownSocket` closes each
    one to the same server port: those of all threads. A call of theirs that waits for its answer is then sent again,
    so that a statement which had just been committed runs twice; and the interrupted thread's own new connection may
    be closed with them, so that an error of py4j hides the interrupt. It asks for nothing once the connection is
    closed. Does nothing where threads share connections, and nothing the second time.
    """
    client, _ = _own_connection(context)
    if not isinstance(client, JavaClient) or "_create_new_connection" in vars(client):
        return
    create = client._create_new_connection

    def create_new_connection() -> ClientServerConnection:
        connection: ClientServerConnection = create()
        connection.__class__ = _Interruptible
        return connection

    client._create_new_connection = create_new_connection
    for connection in tuple(client.deque):
        connection.__class__ = _Interruptible


class _Interruptible(ClientServerConnection):  # type: ignore[misc]
    """A connection that is closed when py4j's client hears of the interrupt that has ended a call over it."""

    def send_command(self, command: str) -> Any:
        try:
            return super().send_command(command)
        except KeyboardInterrupt:
            self.close()
            raise


def _own_connection(context: SparkContext) -> tuple[Any, Any]:
    """This thread's, and the client that keeps it; None without one, and where threads share connections."""
    gateway: Any = context._gateway
    client = gateway._gateway_client
    return client, client.get_thread_connection() if isinstance(client, JavaClient) else None
