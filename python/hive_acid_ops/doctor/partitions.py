"""Partitions without folders and folders without partitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hive_acid.api.files import is_hidden
from hive_acid.api.storage import Listing
from hive_acid.api.tables import Partition, TableDescription
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject

_EMPTY_AUTHORITY = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):///")


def find_lost_folder(subject: Subject, listing: Listing) -> Iterator[Finding]:
    """The partition, or flat table, whose folder is gone."""
    if not listing.exists:
        harm = "it reads as empty here; if rows were in it they are lost"
        drop = "; or drop the partition, if it never had rows" if subject.partition else ""
        kind = FindingKind.PARTITION_WITHOUT_FOLDER
        yield subject.finding(
            kind, "the folder that the metastore names is not there", harm, f"restore it{drop}", listing.root
        )


def find_local_files(subject: Subject, table: TableDescription, warehouse: str | None) -> Iterator[Finding]:
    """A table on a local disk, if new databases are put elsewhere (`Metastore.warehouse`)."""
    if _find_scheme(table.location) == "file" and _find_scheme(warehouse or "") not in ("", "file"):
        detail = f"the table lies on the local disk of a machine, and databases of this metastore in {warehouse}"
        harm = "each executor and each engine writes and reads the disk of its own machine, so that rows are missing"
        cure = f"create it in a database below {warehouse}, and copy its rows where they can be read as a whole"
        yield subject.finding(FindingKind.LOCAL_FILES, detail, harm, cure, table.location)


def _find_scheme(location: str) -> str:
    """Empty for one of the default file system, which is not known here."""
    scheme, colon, _ = location.partition(":/")
    return scheme.lower() if colon else ""


def find_unknown_partitions(
    subject: Subject, table: TableDescription, listing: Listing, partitions: Sequence[Partition]
) -> Iterator[Finding]:
    """Folders below the table's (`listing`) with files in them that are named like partitions and are none."""
    known = {_normalize(partition.location) for partition in partitions}
    depth = len(table.partition_columns)
    holding = {
        "/".join(file.relative_path.split("/")[:depth]) for file in listing.files if _is_data(file.relative_path)
    }
    for folder in sorted(folder for folder in holding if _is_named_like_partition(folder, table)):
        path = listing.absolute_path(folder)
        if _normalize(path) not in known:
            detail = "the metastore knows no partition that lies here"
            harm = "no engine reads its rows"
            cure = (
                f"ALTER TABLE {table.name} ADD PARTITION, or MSCK REPAIR TABLE in Hive; or remove it, if it was dropped"
            )
            where = replace(subject, partition=folder)
            yield where.finding(FindingKind.FOLDER_WITHOUT_PARTITION, detail, harm, cure, path)


def _is_data(path: str) -> bool:
    return not is_hidden(path.rpartition("/")[2])


def _is_named_like_partition(folder: str, table: TableDescription) -> bool:
    """True for `k1=v1/k2=v2` in the order of the partition columns, whose names are in any case."""
    keys = [part.partition("=") for part in folder.split("/")]
    names = [column.name.lower() for column in table.partition_columns]
    return [key.lower() for key, _, _ in keys] == names and all(equals for _, equals, _ in keys)


def _normalize(location: str) -> str:
    """One spelling for `file:/x` and `file:///x`, which mean the same."""
    return _EMPTY_AUTHORITY.sub(r"\1:/", location.rstrip("/"))
