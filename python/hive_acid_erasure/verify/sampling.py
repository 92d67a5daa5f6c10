"""The files that the second reader reads of a table, and how much of each."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.api.files import FolderKind, FolderName
from hive_acid_erasure.plan.plan import SecondReader
from hive_acid_erasure.verify.file_search import SearchedFile


def choose(files: Sequence[SearchedFile], limit: SecondReader) -> dict[SearchedFile, int | None]:
    """The files, and how many rows of each, None for all: each kind of file first, then each partition, then others.

    The newest base of each comes first. Rows that small files do not need are shared by larger ones.
    """
    ordered = sorted(files, key=lambda file: (_rank(file), -file.source.modified_ms, file.source.path))
    kinds = {_rank(file): file for file in reversed(ordered)}
    partitions = {file.source.partition: file for file in reversed(ordered)}
    wanted = dict.fromkeys((*(kinds[rank] for rank in sorted(kinds)), *reversed(partitions.values()), *ordered))
    chosen = list(wanted)[: limit.max_files]
    if limit.max_rows is None:
        return dict.fromkeys(chosen)
    shares, left = dict[SearchedFile, int](), limit.max_rows
    for count, file in enumerate(sorted(chosen, key=lambda file: file.row_count)):
        shares[file] = max(1, min(file.row_count, left // (len(chosen) - count)))
        left -= shares[file]
    return {file: shares[file] for file in chosen}


def spread(count: int) -> list[int]:
    """The numbers of so many parts: those at both ends and in the middle come first."""
    return list(dict.fromkeys((0, count - 1, count // 2, *range(count)))) if count else []


def _rank(file: SearchedFile) -> int:
    """The kind of folder that it is in decides: bases, deltas, delete deltas, others."""
    kinds = (FolderKind.BASE, FolderKind.DELTA, FolderKind.DELETE_DELTA)
    for name in reversed(file.source.path.split("/")[:-1]):
        parsed = FolderName.parse(name)
        if parsed is not None:
            return kinds.index(parsed.kind) if parsed.kind in kinds else len(kinds)
    return len(kinds)
