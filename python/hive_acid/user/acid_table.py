"""The Python API of one table, in the manner of Delta's `DeltaTable`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, SparkSession

from hive_acid.errors.outcome import StatementOutcome, telling
from hive_acid.sql.operator_statements import COMPACTION_KINDS, Compact, NamedTable
from hive_acid.user.columns import (
    PartitionValue,
    build_column,
    build_condition,
    build_empty_error,
    build_partition_text,
    build_type_error,
    build_value_error,
)
from hive_acid.user.looks import draw, load_looks
from hive_acid.user.merge_builder import AcidMergeBuilder
from hive_acid.user.remote import is_remote
from hive_acid.user.table_calls import AcidTableCalls
from hive_acid.wings import load_wing

if TYPE_CHECKING:
    from hive_acid_ops.files.folders import TableFiles


class AcidTable:
    """A Hive transactional table, to be read and changed from Python. Create it with `forName`.

    Conditions and values are SQL expressions as text, or Columns. They can use the table's columns by name, qualified
    by the table's name or its alias, or as columns of `toDF()`; texts can contain subqueries. Use the hidden `ROW__ID`
    by name. Each method has the meaning, checks, errors, locks and transactions of the SQL statement of its name.

    Each call looks the table up, so you can keep an `AcidTable` while others write to the table or alter it.
    """

    def __init__(self, table: AcidTableCalls) -> None:
        self._table = table

    @classmethod
    def forName(cls, sparkSession: SparkSession, tableName: str) -> AcidTable:  # noqa: N802, N803 (Delta's names)
        """The table `tableName`: `table`, `database.table` or `catalog.database.table`, quoted as in SQL.

        Raises Spark's TABLE_OR_VIEW_NOT_FOUND if there is no such table, HIVE_ACID_UNSUPPORTED_TABLE for a view or a
        table that is not transactional, HIVE_ACID_NO_PLANNER if the session was not set up, and HIVE_ACID_CONFIGURATION
        if a server of Spark Connect does not have our plugin or has another line of Spark than the client.
        """
        if is_remote(sparkSession):
            wing = load_wing("hive_acid_connect.opening", "AcidTable in a client of Spark Connect")
            return cls(wing.open_table(sparkSession, tableName))
        from hive_acid.user.classic_calls import ClassicCalls

        return cls(ClassicCalls.find(sparkSession, tableName))

    def toDF(self) -> DataFrame:  # noqa: N802 (Delta's name)
        """The table's rows. Each call returns a DataFrame with its own snapshot, which is taken when it first runs."""
        return self._table.frame()

    def alias(self, aliasName: str) -> AcidTable:  # noqa: N803 (Delta's name)
        """The same table under an alias: qualify its columns by `aliasName`, no longer by the table's own name."""
        return AcidTable(self._table.aliased(aliasName))

    def delete(self, condition: str | Column | None = None) -> DataFrame:
        """Deletes the rows for which `condition` is true, or all rows without a condition, before it returns.

        The result is one row with the column `num_affected_rows`. Raises what the SQL statement DELETE raises.
        """
        return self._table.delete(build_condition(condition))

    def update(
        self,
        condition: str | Column | None = None,
        set: Mapping[str, str | Column] | None = None,  # noqa: A002 (Delta's name)
    ) -> DataFrame:
        """Changes the rows for which `condition` is true, or all rows without a condition, before it returns.

        The keys of `set` are columns or nested fields (`address.city`), at least one; the values are computed from the
        old row. The result is one row with the column `num_affected_rows`. Raises what the SQL
        statement UPDATE raises.
        """
        if not set:
            raise build_empty_error("assignment in `set`")
        assignments = {key: build_column("set", value) for key, value in set.items()}
        return self._table.update(build_condition(condition), assignments)

    def truncate(self, partition: Mapping[str, PartitionValue] | None = None) -> None:
        """Removes all rows, or the rows of the partitions with the values in `partition`, before it returns.

        `partition` has a value for each partition column, or for some of them; None means NULL. The partitions remain,
        without rows. Raises what the SQL statement TRUNCATE TABLE raises (HIVE_ACID_PARTITION_NOT_FOUND if all columns
        are given and there is no such partition), and PySparkValueError if `partition` is empty.
        """
        self._table.truncate(_build_partition(partition) or None)

    def compact(
        self,
        kind: str = "major",
        partition: Mapping[str, PartitionValue] | None = None,
        *,
        wait: bool = False,
        pool: str | None = None,
    ) -> DataFrame:
        """Requests a compaction: `major`, `minor` or `rebalance`. With `wait`, returns when the compaction has ended.

        `partition` has a value for each partition column, or for some of them; None means NULL. Without it, all
        partitions are compacted. `pool` names the pool of workers that should do it (4.x). The result is that of the
        SQL statement ALTER TABLE … COMPACT, with one row for each partition. Raises what the statement raises, and
        PySparkValueError for another kind or if `partition` is empty.
        """
        if kind.lower() not in COMPACTION_KINDS:
            raise build_value_error("kind", kind, tuple(COMPACTION_KINDS))
        values = _build_partition(partition)
        table = NamedTable((), tuple(values.items()))
        return self._table.compact(Compact(table, kind.lower(), waits=wait, pool=pool))

    def detail(self) -> DataFrame:
        """The table's description in one row, like Delta's DESCRIBE DETAIL.

        From the metastore: `format` (always `hive-acid`), `name` (`database.table`), `kind` (`full_acid` or
        `insert_only`), `location`, `createdAt`, `owner`, `partitionColumns`, `bucketColumns`, `numBuckets` (0 if there
        are none) and `properties`, without those in which engines store statistics.

        From the files, as a reader sees them at the moment of the call: `numFiles` and `sizeInBytes` (bytes) of all
        files that readers need, including delete deltas and files without rows, but no obsolete files; `numDeltas` and
        `numDeleteDeltas`, the number of these folders in all partitions; and `latestWriteId`, the greatest committed
        write ID, 0 if there is none. Uncommitted changes of a transaction of several statements do not count. The files
        are listed in a read transaction, without a lock and without a write ID.
        """
        with telling(StatementOutcome.QUERY_FAILED):
            return self._table.detail()

    def history(self, limit: int | None = None) -> DataFrame:
        """The writes into the table, newest first, like Delta's `history`; at most `limit` rows.

        A row is a statement, a compaction (`operation` COMPACTION), or what another engine wrote under one write ID.
        For statements of this package, a note beside the rows contains `operation`, `statement` (its SQL without
        comments, `?` instead of each literal, cut after 2,000 characters; null for methods of DataFrames), `timestamp`
        (just before the commit), `txnId`, `application`, `applicationId`, `user` and the numbers of rows.
        `numDeletedRows` is null if rows were replaced without being counted. For other engines `application` is
        `unknown`, `timestamp` is that of the newest file, and everything else that is unknown is null.

        `partitions` (at most 100 names) and `folders` show what is still there. `foldedInto` names the folders into
        which compactions have written the rows, and `remark` says what else is known. Only committed writes are shown.
        If a compaction of another engine has replaced the folders of a statement, and they were cleaned, its note is
        gone.
        """
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
            raise build_type_error("limit", "int", limit)
        if limit is not None and limit < 1:
            raise build_value_error("limit", limit)
        with telling(StatementOutcome.QUERY_FAILED):
            return self._table.history(limit)

    def files(self, partition: str | None = None) -> TableFiles:
        """The current folders of the table: bases, deltas, delete deltas, and what the Cleaner has to remove.

        The result says which of them a minor or a major compaction would merge, whether one is due, and what the
        Cleaner waits for. It is printed as text, and shown as a picture in a notebook. `partition` has the metastore's
        form, such as `day=2024-01-01` or `year=2024/month=1`; without it all partitions are listed. No job is run and
        no lock is taken. Raises HIVE_ACID_PARTITION_NOT_FOUND, HIVE_ACID_STORAGE, and in a client of Spark Connect
        HIVE_ACID_CONFIGURATION.CONNECT_FILES.
        """
        found: TableFiles = load_looks("AcidTable.files").load_files(self._table.reach, partition)
        return found

    def __repr__(self) -> str:
        """A few lines: the table's current kind, rows, bytes and folders. It never raises, and runs no job."""
        return draw("table_text", self._table.reach, f"AcidTable {self._table.name}")

    def _repr_html_(self) -> str:
        """The same in a notebook."""
        return draw("table_html", self._table.reach, f"AcidTable {self._table.name}")

    def merge(self, source: DataFrame, condition: str | Column) -> AcidMergeBuilder:
        """Begins a MERGE of `source` into the table; `condition` says which of their rows match.

        Nothing happens before you call `execute` of the builder. To distinguish the columns of both sides, use the
        names of the tables, or `alias` of this table and of the DataFrame.
        """
        if not isinstance(source, DataFrame):
            raise build_type_error("source", "a DataFrame", source)
        return AcidMergeBuilder(self._table, source, build_column("condition", condition))


def _build_partition(partition: Mapping[str, PartitionValue] | None) -> dict[str, str | None]:
    """The values as texts, none if there is no partition. Raises PySparkValueError if there is one without values."""
    if partition is not None and not partition:
        raise build_empty_error("value in `partition`")
    return {name: build_partition_text(value) for name, value in (partition or {}).items()}
