"""The metastore over thrift.

Sent once more if the connection drops before the answer: the calls that only read, and those that may be repeated
(allocate_write_id, heartbeat, check_lock, abort). Never by themselves: open_transaction, lock, unlock, commit,
add_dynamic_partitions and the calls that write table metadata. With several addresses those that may be repeated go on
to the next one; the others raise, and the calls after them go there. Connecting is no part of a call: as long as
nobody accepts, all calls try again.
"""

from __future__ import annotations

from typing import Any

from thrift.Thrift import TApplicationException

from hive_acid.metastore.client.compaction_calls import CompactionCalls
from hive_acid.metastore.client.statistics_calls import StatisticsCalls
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.connection import is_unknown_method
from hive_acid.metastore.types import ServerInfo

TRANSFORMER = "metastore.metadata.transformer.class"


class ThriftMetastore(StatisticsCalls, CompactionCalls):
    """A `Metastore` at `uris` (`thrift://host:port`).

    Several addresses, with commas between them, stand in for each other.

    `timeout_ms` bounds the wait for a connection and for each piece of an answer. `security` logs in; without a login
    `user` is whom the server acts as (default: as Hadoop's simple authentication has it). Nothing is connected until
    needed. Raises HIVE_ACID_CONFIGURATION for addresses that are none.
    """

    def server_info(self) -> ServerInfo:
        """The server's release and calls; asked anew each time."""
        version: str = self._read("getVersion")
        transforms = self.line.adapts_tables and bool(self.config_value(TRANSFORMER, "").strip())
        return ServerInfo(version, self._has_get_table(), transforms, self.warehouse())

    def _has_get_table(self) -> bool:
        def probe(client: Any) -> bool:
            try:
                client.get_table("default", "hive_acid_probe")
            except ttypes.NoSuchObjectException:
                return True
            except TApplicationException as error:
                if not is_unknown_method(error):
                    raise
                return False
            return True

        answer: bool = self._call("get_table", probe, is_idempotent=True)
        return answer
