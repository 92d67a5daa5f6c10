"""`WITH OVERWRITE TBLPROPERTIES`: properties of the files that one compaction makes.

Hive's job knows two sorts of keys (CompactorMR of 3.1.3, MRCompactor of 4.1.0, overrideTblProps): `tblprops.KEY` counts
as the table's property KEY, and `compactor.KEY` as a setting of the job, of which Spark has none. Others are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid import config
from hive_acid.errors import Refusal, build_refusal
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import FileFormat, TableDescription, TableKind
from hive_acid.writing.table_rules import find_compression_key, find_readable_compressions

_OF_TABLE = "tblprops."
_ORC_SIZES = {
    "orc.stripe.size": range(1 << 16, 1 << 31),
    "orc.compress.size": range(1 << 12, 1 << 23),  # ORC's own limit: a chunk's length has 23 bits
    "orc.row.index.stride": range(1000, 1 << 31),
}
"""The values that ORC takes; without row groups Hive 4 finds no rows by their IDs."""


@dataclass(frozen=True)
class FileOverrides:
    """Words of the compression, None for the table's own; further settings of the format, by its own keys."""

    compression: str | None = None
    options: tuple[tuple[str, str], ...] = ()


def read_overrides(table: TableDescription, properties: Mapping[str, str], line: MetastoreLine) -> FileOverrides:
    """The properties that mean something for files of this table; the others are ignored, as by Hive.

    A compression that not every engine of the line reads is ignored as if it were the table's. Raises
    HIVE_ACID_UNSUPPORTED_TABLE for a number that the format does not take.
    """
    said = {key.removeprefix(_OF_TABLE): value for key, value in properties.items() if key.startswith(_OF_TABLE)}
    wanted = said.get(find_compression_key(table), "").upper()
    compression = wanted if wanted in find_readable_compressions(table, line) else None
    options = tuple((key, said[key]) for key in _find_sizes(table) if key in said)
    for key, value in options:
        allowed = _ORC_SIZES[key]
        if not (value.isascii() and value.isdigit() and int(value) in allowed):
            found = {"key": _OF_TABLE + key, "value": value, "minimum": allowed[0], "maximum": allowed[-1]}
            raise _refuse(table, build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.PROPERTY_NOT_A_SIZE", **found))
    return FileOverrides(compression, options)


def refuse_unapplied(table: TableDescription, properties: Mapping[str, str], line: MetastoreLine) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_TABLE for a property that would be ignored, or cannot be applied."""
    overrides = read_overrides(table, properties, line)
    compression_key = find_compression_key(table)
    applied = {_OF_TABLE + key for key, _ in overrides.options}
    if overrides.compression is not None:
        applied.add(_OF_TABLE + compression_key)
    for key, value in properties.items():
        if key not in applied:
            known = ", ".join(_OF_TABLE + name for name in (compression_key, *_find_sizes(table)))
            words = ", ".join(sorted(find_readable_compressions(table, line)))
            refusal = build_refusal(
                "HIVE_ACID_UNSUPPORTED_TABLE.PROPERTY_NOT_APPLIED",
                key=key,
                value=value,
                known=known,
                compressions=words,
                setting=config.COMPACTION_RUN_IN.key,
            )
            raise _refuse(table, refusal)


def _find_sizes(table: TableDescription) -> tuple[str, ...]:
    is_orc = table.kind is TableKind.FULL_ACID or table.file_format is FileFormat.ORC
    return tuple(_ORC_SIZES) if is_orc else ()


def _refuse(table: TableDescription, refusal: Refusal) -> Exception:
    return refusal.build_error(operation="WITH OVERWRITE TBLPROPERTIES", table=table.name)
