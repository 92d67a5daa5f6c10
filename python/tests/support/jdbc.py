"""A JVM with the JDBC driver that Spark has, as a client of a Thrift server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JJavaError

_JARS = Path(pyspark.__file__).parent / "jars"


class Refused(Exception):
    """A statement that ended with an SQLException."""

    def __init__(self, message: str, sql_state: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.sql_state = sql_state


class Connection:
    """A session of the server; its statements run one after the other."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._statement = connection.createStatement()

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        """The rows of a statement. Raises Refused."""
        try:
            if not self._statement.execute(text):
                return []
            rows = self._statement.getResultSet()
            columns = range(1, rows.getMetaData().getColumnCount() + 1)
            found = []
            while rows.next():
                found.append(tuple(rows.getObject(column) for column in columns))
        except Py4JJavaError as error:
            raise Refused(str(error.java_exception.getMessage()), error.java_exception.getSQLState()) from None
        return found

    def cancel(self) -> None:
        """Cancels the statement that runs, from another thread."""
        self._statement.cancel()

    def close(self) -> None:
        """Ends the session."""
        self._connection.close()


@dataclass(frozen=True)
class JdbcClient:
    """Opens sessions of the server at an address."""

    gateway: Any
    url: str

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A session of its own. Raises Refused."""
        try:
            opened = self.gateway.jvm.java.sql.DriverManager.getConnection(self.url, "tester", "")
        except Py4JJavaError as error:
            raise Refused(str(error.java_exception.getMessage()), None) from None
        connection = Connection(opened)
        try:
            yield connection
        finally:
            with suppress(Py4JJavaError):  # its server may be gone
                connection.close()


@contextmanager
def jdbc_client(port: int) -> Iterator[JdbcClient]:
    """A client of a Thrift server on this machine."""
    options = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"]
    started, token = launch_gateway(
        classpath=f"{_JARS}/*", javaopts=options, die_on_exit=True, enable_auth=True, jarpath=str(_find_py4j())
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=started, auth_token=token, auto_convert=True))
    gateway.jvm.java.lang.Class.forName("org.apache.hive.jdbc.HiveDriver")
    try:
        yield JdbcClient(gateway, f"jdbc:hive2://127.0.0.1:{port}/default")
    finally:
        gateway.shutdown()


def _find_py4j() -> Path:
    (jar,) = _JARS.glob("py4j-*.jar")
    return jar
