"""A table at a glance: what it is, how many rows and bytes it has, and which folders hold them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.snapshots import AcidState, load_state
from hive_acid.api.storage import FileSystem, FileVersion, ListedFile
from hive_acid.api.tables import Metastore, Partition, TableDescription, TableKind, TableName
from hive_acid_ops.doctor.statistics import find_claimed_rows, find_countable_files
from hive_acid_ops.files.loading import KINDS
from hive_acid_ops.files.text import format_bytes, printable

_PARTITIONS: Final = 200
"""The most partitions whose folders a glance lists."""
EVERY_PARTITION: Final = sys.maxsize
_FILES: Final = 100
"""The most files whose footers a glance reads."""


@dataclass(frozen=True)
class TableLook:
    """`partitions` is None for a flat table. `states` is None where there were too many partitions to list.

    `rows` is None where nothing tells them; `rows_by` says what does. `is_about`: delete events were subtracted, and
    an engine may have written one twice, as Hive 3.1 does.
    """

    table: TableDescription
    partitions: int | None
    states: Sequence[AcidState] | None
    latest_write_id: int = 0
    rows: int | None = None
    rows_by: str | None = None
    is_about: bool = False

    @property
    def files_read(self) -> list[ListedFile]:
        """The files that a reader opens."""
        folders = [folder for state in self.states or () for folder in (*state.data_folders, *state.delete_deltas)]
        return [file for folder in folders for file in folder.files] + [
            file for state in self.states or () for file in state.originals
        ]

    @property
    def left_over(self) -> int:
        """The number of folders and files that the Cleaner is to remove."""
        return sum(len(state.obsolete) + len(state.aborted) for state in self.states or ())


def look_at(
    metastore: Metastore, file_system: FileSystem, name: TableName, most_partitions: int = _PARTITIONS
) -> TableLook:
    """The table as a reader finds it now, without a lock; its files are not listed if it has more partitions.

    Raises HIVE_ACID_UNSUPPORTED_TABLE for one that is not transactional, and what metastore and storage raise.
    """
    table = metastore.table(name)
    if table.kind is TableKind.PLAIN:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL", operation="a look", table=name)
    names = metastore.partition_names(name) if table.is_partitioned else None
    if names is not None and len(names) > most_partitions:
        return TableLook(table, len(names), None)
    partitions = None if names is None else metastore.partitions(name, names)
    transactions = metastore.valid_transactions(0)
    write_ids = metastore.valid_write_ids([name], transactions)[name]
    roots = [table.location] if partitions is None else [partition.location for partition in partitions]
    listings = file_system.list_trees(roots)
    states = [load_state(file_system, listing, write_ids, transactions) for listing in listings]
    look = TableLook(table, None if names is None else len(names), states, write_ids.max_visible)
    return _with_rows(look, file_system, partitions)


def _with_rows(look: TableLook, file_system: FileSystem, partitions: Sequence[Partition] | None) -> TableLook:
    """With the rows that footers tell, else those that the metastore's statistics do and call accurate."""
    states = look.states or ()
    rows = [find_countable_files(look.table, replace(state, delete_deltas=())) for state in states]
    events = [_find_event_files(state) for state in states]
    if all(found is not None for found in rows) and sum(map(len, filter(None, (*rows, *events)))) <= _FILES:
        name = str(look.table.name)
        try:
            counts = [
                sum(file_system.row_counts(name, wanted)) if wanted else 0
                for wanted in ([file for found in parts for file in found or ()] for parts in (rows, events))
            ]
            rest = max(0, counts[0] - counts[1])
            return replace(look, rows=rest, rows_by="the files' footers", is_about=counts[1] > 0)
        except HiveAcidError:  # a file has gone meanwhile, or cannot be read: statistics may tell
            pass
    owners = [look.table.parameters] if partitions is None else [partition.parameters for partition in partitions]
    claims = [find_claimed_rows(parameters) for parameters in owners]
    if any(claim is None for claim in claims):
        return look
    return replace(look, rows=sum(claim or 0 for claim in claims), rows_by="the metastore's statistics")


def _find_event_files(state: AcidState) -> tuple[FileVersion, ...]:
    """The files of delete events that a reader reads."""
    files = [file for folder in state.delete_deltas for file in folder.files if file.length_bytes]
    return tuple(
        FileVersion(state.listing.absolute_path(file.relative_path), file.length_bytes, file.modified_ms)
        for file in files
    )


def _find_facts(look: TableLook) -> list[tuple[str, str]]:
    """Item and value, in the order of the lines."""
    facts = [("kind", KINDS[look.table.kind]), ("rows", _describe_rows(look))]
    if look.states is None:
        facts.append(("files", f"not listed, for there are more than {_PARTITIONS} partitions; detail() lists them"))
    else:
        facts += [("files", _describe_files(look)), ("folders", _describe_folders(look, look.states))]
    if look.partitions is not None:
        keys = ", ".join(column.name for column in look.table.partition_columns)
        facts.append(("partitions", f"{look.partitions:,} by {keys}"))
    if look.table.file_format is not None:
        facts.append(("format", look.table.file_format.value))
    return [*facts, ("location", look.table.location)]


def _describe_rows(look: TableLook) -> str:
    if look.rows is None:
        return "not counted"
    return f"{'about ' if look.is_about else ''}{look.rows:,}, by {look.rows_by}"


def _describe_files(look: TableLook) -> str:
    files = look.files_read
    return f"{_count(len(files), 'file')}, {format_bytes(sum(file.length_bytes for file in files))}"


def _describe_folders(look: TableLook, states: Sequence[AcidState]) -> str:
    read = ", ".join(_count(number, noun) for noun, number in _count_folders(states).items())
    return read + (f"; {look.left_over} that the Cleaner is to remove" if look.left_over else "")


def _count_folders(states: Sequence[AcidState]) -> Mapping[str, int]:
    return {
        "base": sum(state.base is not None for state in states),
        "delta": sum(len(state.deltas) for state in states),
        "delete delta": sum(len(state.delete_deltas) for state in states),
    }


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_json(look: TableLook) -> str:
    """For programs: one object on one line; what is not known is null. `created` is in milliseconds since 1970."""
    table, folders = look.table, _count_folders(look.states or ())
    return json.dumps(
        {
            "database": table.name.database,
            "table": table.name.table,
            "kind": KINDS[table.kind],
            "format": table.file_format.value if table.file_format else None,
            "location": table.location,
            "created": table.created_s * 1000 or None,
            "partitioned_by": [column.name for column in table.partition_columns],
            "partitions": look.partitions,
            "bucketed_by": list(table.bucket_columns),
            "buckets": table.bucket_count or None,
            "rows": look.rows,
            "rows_by": look.rows_by,
            "rows_are_approximate": look.is_about,
            "files": len(look.files_read),
            "bytes": sum(file.length_bytes for file in look.files_read),
            "bases": folders["base"],
            "deltas": folders["delta"],
            "delete_deltas": folders["delete delta"],
            "left_over": look.left_over,
            "latest_write_id": look.latest_write_id,
            "properties": table.parameters,
        }
    )


def format_text(look: TableLook) -> str:
    """For a terminal."""
    facts = "\n".join(f"  {item:<10}  {value}" for item, value in _find_facts(look))
    return f"AcidTable {look.table.name}\n" + "\n".join(map(printable, facts.splitlines()))


def format_html(look: TableLook) -> str:
    """For a notebook."""
    rows = "".join(f"<tr><th>{item}</th><td>{escape(value)}</td></tr>" for item, value in _find_facts(look))
    style = 'style="text-align:left"'
    return f"<table {style}><caption {style}><b>{escape(str(look.table.name))}</b></caption>{rows}</table>"
