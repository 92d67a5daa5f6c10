"""In which bucket a new row of a bucketed table lies, and where that cannot be told: functions on the description."""

from __future__ import annotations

import re

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.table import TableDescription
from hive_acid.sql import RowWrites
from hive_acid.transactions.validity import StatementKind
from hive_acid.wire.write_spec import Buckets
from hive_acid.writing.statement import Statement

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

    def refuse(reason: str) -> Exception:
        return build_error(
            "HIVE_ACID_UNSUPPORTED_TABLE", operation=statement.kind.title, table=table.name, reason=reason
        )

    if table.bucket_count == 0:
        return None
    if table.sort_columns:  # insert-only: TransactionalValidationListener lets no such table become full ACID
        raise refuse(f"it is SORTED BY {', '.join(table.sort_columns)}, an order in which rows are not written")
    if statement.kind is StatementKind.TRUNCATE or statement.writes in (RowWrites.DELETES, RowWrites.UPDATES):
        return None
    if table.bucket_count > MAX_BUCKET + 1:
        raise refuse(f"it has {table.bucket_count} buckets, of which only {MAX_BUCKET + 1} can be numbered")
    version = _find_version(table)
    if version not in VERSIONS:
        raise refuse(f"its {VERSION_PROPERTY} is {version}, neither 1 nor 2")
    names = [column.name for column in table.columns]
    unknown = [name for name in table.bucket_columns if name not in names]
    if unknown or not table.bucket_columns:
        raise refuse(f"it has buckets by {', '.join(unknown) or 'no column'}, which is no column of its rows")
    positions = tuple(names.index(name) for name in table.bucket_columns)
    time_zone = settings.text(config.BUCKETING_HIVE_TIME_ZONE).strip()
    for position in positions:
        column = table.columns[position]
        if reason := find_unhashable(column.type, int(version), bool(time_zone)):
            raise refuse(f"bucketing column {column.name} has type {column.type}: {reason}")
    depends = any(_depends_on_zone(table.columns[position].type, int(version)) for position in positions)
    return Buckets(positions, table.bucket_count, int(version), time_zone if depends else "")


def _find_version(table: TableDescription) -> str:
    """Tables from before Hive 3 have none, which is 1."""
    return next((v.strip() for k, v in table.parameters.items() if k.lower() == VERSION_PROPERTY), "1")


def find_unhashable(type_: str, version: int, knows_zone: bool = False) -> str | None:
    """Why Hive's hash of a value of this type cannot be computed; None if it can. `knows_zone`: that of Hive's servers.

    Seen in ObjectInspectorUtils of Hive 3.1.3 and 4.1.0: hashCode makes a java.sql.Timestamp of a timestamp,
    hashCodeMurmur hashes the whole array behind a BytesWritable, and the values of maps by hashCode.
    """
    if _depends_on_zone(type_, version) and not knows_zone:
        key = config.BUCKETING_HIVE_TIME_ZONE.key
        return f"Hive's hash of it depends on the time zone of the server, which {key} can tell"
    if _BINARY.search(type_.lower()) and version == 2:
        return "Hive's hash of it depends on what is left in a buffer"
    return None


def _depends_on_zone(type_: str, version: int) -> bool:
    type_ = type_.lower()
    return bool(_TIMESTAMP.search(type_)) and (version == 1 or "map<" in type_)
