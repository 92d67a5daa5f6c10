"""The order for a compaction; its answer is a `WriteResult` without numbers of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_acid.model.evolution import Evolution
from hive_acid.model.table import TableName
from hive_acid.wire.catalogs import DescribedColumn
from hive_acid.wire.scan_plan import PartitionDeletes
from hive_acid.wire.write_spec import OutputJob


@dataclass(frozen=True)
class RawRows:
    """The row IDs of a file without ACID columns: one write ID and bucket property, and the first row's number."""

    write_id: int
    property: int
    first_row: int


@dataclass(frozen=True)
class FoldedFile:
    """A file that is folded into another. The write IDs are the least and the greatest of its folder.

    `has_deletes`: deletes may concern its rows. `is_checked`: each row's write ID must be looked up in the list.
    `any_bucket`: a file of deletes that may hold events of other buckets. They are passed over, since readers look for
    them elsewhere; in other files of deletes they are refused.
    """

    path: str
    length_bytes: int
    min_write_id: int
    max_write_id: int
    has_deletes: bool
    is_checked: bool
    any_bucket: bool
    raw: RawRows | None


@dataclass(frozen=True)
class CompactedFile:
    """A file to be made: in which folder, for which bucket, or the first of them if there are several.

    `groups` are in the order of row IDs: all rows of one come before those of the next. A group is of runs whose rows
    interleave, a run of files that follow each other. `buckets`: 0, or into how many files its rows are spread evenly,
    which gives them new row IDs.
    """

    folder: str
    bucket: int
    holds_deletes: bool
    buckets: int
    groups: tuple[tuple[tuple[FoldedFile, ...], ...], ...]


@dataclass(frozen=True)
class CompactionSpec:
    """One job of compaction. `staging` is the URI of an own hidden folder, in which the result's folders are put.

    With an `output` they are put where that says, and only what the job needs in between is in staging.

    `row_type`, `compression`, `layout` and `file_name` are as of the `Layout` of a write job; `write_ids` decides which
    rows count; `options` are further settings of the format, by its own keys. `columns` are the table's own, without
    those of partitions, as its metastore has them.
    """

    table: TableName
    staging: str
    row_type: str
    compression: str
    layout: str
    file_name: str
    options: Mapping[str, str]
    evolution: Evolution
    write_ids: str
    deletes: PartitionDeletes
    files: tuple[CompactedFile, ...]
    columns: tuple[DescribedColumn, ...]
    output: OutputJob = field(default_factory=OutputJob)
