"""Looks for what dead processes have left in a table and no statement may have removed yet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.snapshot.acid_state import find_aborted_overwrites
from hive_acid.snapshot.filesystem import FileSystem


@dataclass(frozen=True)
class Finding:
    """Something at `path` that should not be there: which `harm` it does, and the `cure`, which `--fix` carries out."""

    path: str
    harm: str
    cure: str


def examine(metastore: Metastore, file_system: FileSystem, name: TableName) -> tuple[Finding, ...]:
    """What an aborted overwrite of this package has left in the table or its partitions, sorted by path.

    Hive 3.1 reads nothing of a table or partition with such a base ("Not enough history", AcidUtils.getAcidState of
    3.1.3); later releases pass it over. Raises HIVE_ACID_TABLE_NOT_FOUND.
    """
    table = metastore.table(name)
    names = metastore.partition_names(name) if table.is_partitioned else []
    locations = [partition.location for partition in metastore.partitions(name, names)] if names else [table.location]
    write_ids = metastore.valid_write_ids([name], metastore.valid_transactions(0))[name]
    is_harmful = metastore.line is MetastoreLine.HIVE_3
    harm = "Hive 3.1 cannot read the table (Not enough history)" if is_harmful else "none: every engine passes it over"
    return tuple(
        Finding(listing.absolute_path(base), f"base of an aborted overwrite; {harm}", "remove it")
        for listing in file_system.list_trees(sorted(locations))
        for base in find_aborted_overwrites(listing, write_ids)
    )


def repair(file_system: FileSystem, findings: Sequence[Finding]) -> None:
    """Removes what was found: bases whose write ID is aborted for ever, so nobody can come to need them."""
    for finding in findings:
        file_system.delete_tree(finding.path)


def format_text(findings: Sequence[Finding], is_fixed: bool) -> str:
    """For people: a line each."""
    if not findings:
        return "nothing found"
    return "\n".join(
        f"{finding.path}: {finding.harm}; {'removed' if is_fixed else f'cure: {finding.cure} (--fix)'}"
        for finding in findings
    )


def format_json(findings: Sequence[Finding], is_fixed: bool) -> str:
    """For programs: one object on one line."""
    return json.dumps({"fixed": is_fixed, "findings": [asdict(finding) for finding in findings]})
