"""The metastore over thrift.

Sent once more if the connection drops before the answer: the calls that only read, and those that may be repeated
(allocate_write_id, heartbeat, check_lock, abort). Never by themselves: open_transaction, lock, unlock, commit,
add_dynamic_partitions and the calls that write table metadata.
"""

from __future__ import annotations

from hive_acid.metastore.table_calls import TableCalls
from hive_acid.metastore.transaction_calls import TransactionCalls


class ThriftMetastore(TransactionCalls, TableCalls):
    """A `Metastore` at `uris` (`thrift://host:port`, several by commas: the first that accepts serves).

    `timeout_ms` bounds the wait for a connection and for each piece of an answer. `user` is whom the server acts as
    (default: as Hadoop's simple authentication has it). Nothing is connected until needed. Raises
    HIVE_ACID_CONFIGURATION for addresses that are none.
    """

    def config_value(self, name: str, default: str) -> str:
        """See `Metastore`."""
        value: str = self._read("get_config_value", name, default)
        return value
