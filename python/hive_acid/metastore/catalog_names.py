"""Calls are put into one catalog of the metastore; by themselves they mean the one called `hive`.

Locks, write IDs and compactions know no catalog, and stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

DEFAULT_CATALOG: Final = "hive"
"""The catalog of a metastore that calls mean by themselves. Some do not take it for granted."""
_FIELDS: Final = ("catName", "catalogName", "catalog")
_BY_DATABASE: Final = frozenset(
    {
        "drop_database",
        "drop_table_with_environment_context",
        "get_all_tables",
        "get_databases",
        "get_partition_names",
        "get_partitions_by_names",
    }
)
"""The first argument of these calls is the name of a database, or a pattern of such names."""


def qualify(catalog: str, database: str) -> str:
    """The database's name with its catalog, as in Hive's MetaStoreUtils.prependCatalogToDbName of 3.1 to 4.2."""
    return f"@{catalog}#{database}"


def place(catalog: str, method: str, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of a call of `method`, meant for a catalog other than `hive`.

    Structures get its name wherever they have a field for it, also those within others. They are changed in place.
    """
    for argument in arguments:
        _fill(catalog, argument)
    if method in _BY_DATABASE:
        return (qualify(catalog, arguments[0]), *arguments[1:])
    return tuple(arguments)


def _fill(catalog: str, value: Any) -> None:
    if isinstance(value, list | tuple):
        for each in value:
            _fill(catalog, each)
    elif hasattr(value, "thrift_spec"):
        for name, inner in vars(value).items():
            if name in _FIELDS and not hasattr(inner, "thrift_spec"):
                setattr(value, name, catalog)
            else:
                _fill(catalog, inner)
