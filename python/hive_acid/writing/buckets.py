"""In which bucket a new row of a bucketed table lies, and where that cannot be told: functions on the description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hive_acid import config
from hive_acid.errors import Refusal, build_refusal
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.table import Column, TableDescription
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Statement
from hive_acid.wire.write_spec import Buckets

VERSION_PROPERTY = "bucketing_version"
VERSIONS = ("1", "2")

_TIMESTAMP = re.compile(r"\btimestamp\b(?!:)")
_BINARY = re.compile(r"\bbinary\b(?!:)")
"""As types, not as names of fields."""


def find_bucketing(table: TableDescription, statement: Statement, settings: config.Settings) -> Buckets | None:
    """Where the statement's new rows go, or None if the table is not bucketed or no row is to be placed.

    An UPDATE that assigns no bucketing column places none: a new version lies in the bucket of the old one. Raises
    HIVE_ACID_UNSUPPORTED_TABLE if the bucket that Hive expects cannot be told.
    """

    def refuse(refusal: Refusal) -> Exception:
        return refusal.build_error(operation=statement.kind.title, table=table.name)

    if table.bucket_count == 0:
        return None
    if table.sort_columns:  # insert-only: TransactionalValidationListener lets no such table become full ACID
        raise refuse(build_sorted_refusal(table.sort_columns))
    if statement.kind is StatementKind.TRUNCATE or statement.writes in (RowWrites.DELETES, RowWrites.UPDATES):
        return None
    if table.bucket_count > MAX_BUCKET + 1:
        found = {"buckets": table.bucket_count, "limit": MAX_BUCKET + 1}
        raise refuse(build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.TOO_MANY_BUCKETS", **found))
    version = _find_version(table)
    if version not in VERSIONS:
        raise refuse(build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.BUCKETING_VERSION", version=version))
    names = [column.name for column in table.columns]
    if fault := _find_column_fault(table, names):
        raise refuse(fault)
    positions = tuple(names.index(name) for name in table.bucket_columns)
    time_zone = settings.text(config.BUCKETING_HIVE_TIME_ZONE).strip()
    for position in positions:
        column = table.columns[position]
        if refusal := find_unhashable(column, int(version), bool(time_zone)):
            raise refuse(refusal)
    depends = any(_depends_on_zone(table.columns[position].type, int(version)) for position in positions)
    return Buckets(positions, table.bucket_count, int(version), time_zone if depends else "")


def _find_version(table: TableDescription) -> str:
    """Tables from before Hive 3 have none, which is 1."""
    return next((v.strip() for k, v in table.parameters.items() if k.lower() == VERSION_PROPERTY), "1")


def _find_column_fault(table: TableDescription, names: Sequence[str]) -> Refusal | None:
    """Why the columns of CLUSTERED BY tell no bucket of a row with the columns `names`."""
    if not table.bucket_columns:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.BUCKETS_BY_NO_COLUMN")
    if unknown := [name for name in table.bucket_columns if name not in names]:
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.BUCKET_COLUMN", columns=", ".join(unknown))
    return None


def build_sorted_refusal(columns: Iterable[str]) -> Refusal:
    """The refusal of a table that is SORTED BY these columns: rows are written in no order."""
    return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.SORTED_BY", columns=", ".join(columns))


def find_unhashable(column: Column, version: int, knows_zone: bool = False) -> Refusal | None:
    """Why Hive's hash of the column's values cannot be computed; None if it can. `knows_zone`: that of Hive's servers.

    Seen in ObjectInspectorUtils of Hive 3.1.3 and 4.1.0: hashCode makes a java.sql.Timestamp of a timestamp,
    hashCodeMurmur hashes the whole array behind a BytesWritable, and the values of maps by hashCode.
    """
    where = {"column": column.name, "type": column.type}
    if _depends_on_zone(column.type, version) and not knows_zone:
        key = config.BUCKETING_HIVE_TIME_ZONE.key
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.TIMESTAMP_BUCKETS", setting=key, **where)
    if _BINARY.search(column.type.lower()) and version == 2:
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.BINARY_BUCKETS", **where)
    return None


def _depends_on_zone(type_: str, version: int) -> bool:
    type_ = type_.lower()
    return bool(_TIMESTAMP.search(type_)) and (version == 1 or "map<" in type_)
