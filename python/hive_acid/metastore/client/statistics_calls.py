"""Withdrawing statistics over thrift, beside clients that alter the same tables.

The description that was read is written back only if there is something to withdraw, and on 4.x as a compare-and-set on
the time of the last DDL, which alters of Hive's and Spark's clients move. The write ID of a flat table is moved by a
call about column statistics, which changes it on the server, without a description of the table.

A gap is left: 3.1 knows no compare-and-set, and no line knows one for partitions. There an alter of a client that asks
for no locks is reverted if it comes in the milliseconds between our reading and our writing.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from typing import Any

from hive_acid.errors import MetastoreRefused, build_error
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG
from hive_acid.metastore.client.table_calls import TableCalls
from hive_acid.metastore.statistics import withdrawal
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidWriteIdList

LOG = logging.getLogger(__name__)
_PARTITIONS_PER_ALTER = 50
"""Few, so that hardly any time passes between reading and writing."""
_PAUSES_OF_MOVES_MS = (50, 100, 200)
_MAX_ROUNDS = 20
"""Beside somebody who alters the table in every second: half a minute, then the write is given up."""


class StatisticsCalls(TableCalls):
    """The part of `Metastore` that changes what is stored about tables and partitions that exist."""

    def drop_statistics(self, table: TableDescription, write_id: int, write_ids: ValidWriteIdList) -> None:
        withdrawal.check_own_write_id(write_id, write_ids)
        name = table.name
        # in another catalog the write ID with the table shows whether the metastore has forgotten it (refuse_forgotten)
        keeps_write_id = not table.is_partitioned or self._catalog != DEFAULT_CATALOG
        own = write_id if self.line.stores_write_ids and keeps_write_id else None
        if own is not None:
            self._move_write_id(name, own)
        paused_for: list[str] = []
        for _ in range(_MAX_ROUNDS):
            raw = self._raw_table(name)
            stale = withdrawal.find_stale(raw)
            if not stale:
                return
            if own is not None and stale == {withdrawal.STATISTICS_KEY}:
                self._move_write_id(name, own)
            elif not self._pauses(raw, paused_for):
                self._alter_table(name, raw, own, write_ids)
        reason = f"others altered {name} each of {_MAX_ROUNDS} times that its statistics were to be withdrawn"
        raise build_error("HIVE_ACID_METASTORE_REFUSED", method="alter_table_req", reason=reason)

    def _move_write_id(self, table: TableName, write_id: int) -> None:
        """The table's mark of accurate statistics goes, unless this is the first write ID that is stored.

        Then the server stores a mark, and two that do so at once collide (the key of TABLE_PARAMS; 4.0.0 on
        PostgreSQL): who was refused asks again.
        """
        request = withdrawal.build_move(table, write_id)
        for pause_ms in _PAUSES_OF_MOVES_MS:
            try:
                self._change("update_table_column_statistics_req", request, table=str(table))
            except MetastoreRefused as refused:
                LOG.info("the write ID of %s is moved again: %s", table, refused)
                self._pause_ms(pause_ms)
            else:
                return
        self._change("update_table_column_statistics_req", request, table=str(table))

    def _pauses(self, raw: Any, paused_for: list[str]) -> bool:
        """Waits, if another alter might still get the same time of the last DDL; True if the table is to be read anew.

        That time counts seconds.
        """
        altered = withdrawal.find_ddl_time(raw)
        if not self.line.stores_write_ids or altered in paused_for:
            return False
        pause = withdrawal.find_pause(altered, time.time())
        if not pause:
            return False
        paused_for.append(altered)
        self._pause_ms(math.ceil(pause * 1000))
        return True

    def _alter_table(self, table: TableName, raw: Any, write_id: int | None, write_ids: ValidWriteIdList) -> None:
        """Writes the table back without its statistics, unless it is not the one that was read any more."""
        withdrawal.check_writable(raw, table)
        withdrawal.remove_statistics(raw)
        if not self.line.stores_write_ids:
            where, context = (table.database, table.table), withdrawal.keep_statistics()
            self._change("alter_table_with_environment_context", *where, raw, context, table=str(table))
            return
        try:
            request = withdrawal.build_exchange(raw, write_id, write_ids)
            self._change("alter_table_req", request, table=str(table))
        except MetastoreRefused as refused:
            if withdrawal.OUTRUN not in str(refused):
                raise

    def drop_partition_statistics(
        self, table: TableName, names: Sequence[str], write_id: int, write_ids: ValidWriteIdList
    ) -> dict[str, str]:
        withdrawal.check_own_write_id(write_id, write_ids)
        locations: dict[str, str] = {}
        for start in range(0, len(names), _PARTITIONS_PER_ALTER):
            found = self._raw_partitions(table, names[start : start + _PARTITIONS_PER_ALTER])
            locations |= {name: str(partition.sd.location) for name, partition in found.items()}
            raw = list(found.values())
            if not self.line.stores_write_ids:
                raw = [partition for partition in raw if withdrawal.find_stale(partition)]
            self._alter_partitions(table, raw, write_id, write_ids)
        return locations

    def cascade_columns(self, table: TableName, write_id: int, write_ids: ValidWriteIdList) -> None:
        withdrawal.check_own_write_id(write_id, write_ids)
        names = self.partition_names(table)
        for start in range(0, len(names), _PARTITIONS_PER_ALTER):
            columns = self._raw_table(table).sd.cols
            found = self._raw_partitions(table, names[start : start + _PARTITIONS_PER_ALTER]).values()
            raw = [partition for partition in found if partition.sd.cols != columns]
            for partition in raw:
                partition.sd.cols = columns
            self._alter_partitions(table, raw, write_id, write_ids)

    def _alter_partitions(
        self, table: TableName, partitions: list[Any], write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        """Writes them back without their statistics."""
        if not partitions:
            return
        for partition in partitions:
            withdrawal.check_writable(partition, table)
            withdrawal.remove_statistics(partition)
        if self.line.stores_write_ids:
            request = withdrawal.build_alter_partitions(table, partitions, write_id, write_ids)
            self._change("alter_partitions_req", request, table=str(table))
            return
        where = (table.database, table.table)
        context = withdrawal.keep_statistics()
        self._change("alter_partitions_with_environment_context", *where, partitions, context, table=str(table))
