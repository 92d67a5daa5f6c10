"""The way of a command to the metastore: without Spark, unless only a JVM has what it asks for."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hive_acid.login.security import Security
    from hive_acid.metastore.protocol import Metastore
    from hive_acid.transport import Transport


@contextmanager
def open_metastore(uris: str) -> Iterator[Metastore]:
    """The metastore, reached by this process alone; by a session if the way to it needs what only a JVM has."""
    with open_tables(uris, lambda: None) as (metastore, _):
        yield metastore


@contextmanager
def open_tables(uris: str, open_storage: Callable[[], Any]) -> Iterator[tuple[Metastore, Any]]:
    """The metastore, and storage as it is opened here; both by a session if the way to the metastore needs a JVM."""
    from hive_acid.hive_site import read_settings
    from hive_acid.metastore.client.thrift_client import ThriftMetastore
    from hive_acid.transport import read_transport

    security = _find_security(read_transport(read_settings().get))
    if security is not None:
        with closing(ThriftMetastore(uris, security=security)) as metastore:
            yield metastore, open_storage()
        return
    from hive_acid.session.storage_session import storage_session

    with storage_session(uris) as reached:
        yield reached


def _find_security(transport: Transport) -> Security | None:
    """The security of connections; None if only a JVM can make it. A delegation token is found without one."""
    from hive_acid.login.http_callers import find_caller
    from hive_acid.login.mechanisms import TokenLogin
    from hive_acid.login.security import Security
    from hive_acid.login.tls import make_context
    from hive_acid.login.tokens import find_token
    from hive_acid.transport import Kerberos

    if transport.tls is not None and transport.tls.trust_store:
        return None
    tls = None if transport.tls is None else make_context("")
    if transport.login is None:
        return Security(None, tls, find_caller(transport.http))
    token = find_token(transport.login.token_signature) if isinstance(transport.login, Kerberos) else None
    return None if token is None else Security(TokenLogin(token), tls)
