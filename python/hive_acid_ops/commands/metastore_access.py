"""The way of a command to the metastore: without Spark, unless only a JVM has what it asks for."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hive_acid.api.sessions import Attachment
    from hive_acid.api.tables import Metastore


@contextmanager
def open_metastore(uris: str) -> Iterator[Metastore]:
    """The metastore, reached by this process alone; by a session if the way to it needs what only a JVM has."""
    with open_tables(uris, lambda: None) as (metastore, _):
        yield metastore


@contextmanager
def open_tables(uris: str, open_storage: Callable[[], Any]) -> Iterator[tuple[Metastore, Any]]:
    """The metastore, and storage as it is opened here; both by a session if the way to the metastore needs a JVM."""
    from hive_acid.api.connections import ThriftMetastore, find_security_without_jvm, read_transport
    from hive_acid.api.settings import read_settings

    security = find_security_without_jvm(read_transport(read_settings().get))
    if security is not None:
        with closing(ThriftMetastore(uris, security=security)) as metastore:
            yield metastore, open_storage()
        return
    with quiet_session(uris) as side:
        yield side.metastore, side.file_system


@contextmanager
def quiet_session(uris: str) -> Iterator[Attachment]:
    """All that answers for the tables of a metastore, in a local session that runs no statement."""
    from hive_acid.api.sessions import attach, job_session

    with job_session(uris, "local[1]", {"spark.log.level": "OFF"}) as session:
        yield attach(session)
