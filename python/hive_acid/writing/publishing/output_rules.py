"""How files are put in place on each storage, and what must lie there afterwards: functions on values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from hive_acid.model.names import FolderName
from hive_acid.snapshot.listing import Listing
from hive_acid.wire.storage import PendingUpload
from hive_acid.wire.write_spec import OutputJob, WrittenFolder

ATOMIC_SCHEMES = frozenset({"", "file", "hdfs", "viewfs"})
"""File systems whose rename of a folder is atomic."""
COMMITTER_SCHEMES = frozenset({"s3a", "abfs", "abfss", "gs"})
"""Object stores with a committer of Hadoop's that keeps files back until its job is committed."""


class OutputWay(Enum):
    """The way in which the files of a statement are put in place."""

    RENAME = "rename"
    COMMITTER = "committer"


def find_output_way(location: str, allow_non_atomic_rename: bool) -> OutputWay | None:
    """The output way for a table at this location; None if no way is safe when a statement breaks off.

    `allow_non_atomic_rename`: a rename is wanted where it is not atomic, also where there is a committer.
    """
    scheme = find_scheme(location)
    if scheme in ATOMIC_SCHEMES or allow_non_atomic_rename:
        return OutputWay.RENAME
    return OutputWay.COMMITTER if scheme in COMMITTER_SCHEMES else None


def find_scheme(location: str) -> str:
    """The scheme of the location, in lower case; empty if it has none."""
    return urlsplit(location).scheme.lower()


def is_object_store(location: str) -> bool:
    """True for storage known to copy file by file where others rename."""
    return find_scheme(location) in COMMITTER_SCHEMES


@dataclass(frozen=True)
class OutputPlan:
    """The output of a committer's job: the files of each folder by path with their lengths, and who wrote them.

    `attempts` are the attempts of tasks whose results the engine has handed over, by root; no other may count.
    """

    folders: Mapping[str, Mapping[str, int]]
    attempts: Mapping[str, tuple[str, ...]]


def plan_output(job: OutputJob, folders: Sequence[WrittenFolder]) -> OutputPlan:
    """The plan for the folders that a job has reported."""
    files: dict[str, dict[str, int]] = {}
    attempts: dict[str, set[str]] = {}
    for folder in folders:
        place = find_place(job, folder.partition)
        files[f"{place}/{folder.name}"] = dict(zip(folder.files, folder.sizes, strict=True))
        root = place if folder.partition in job.elsewhere else job.root
        attempts.setdefault(root, set()).update(folder.attempts)
    return OutputPlan(files, {root: tuple(sorted(names)) for root, names in attempts.items()})


def find_place(job: OutputJob, partition: str) -> str:
    """The folder to which the job has written the rows of a partition (empty: of a flat table)."""
    if partition in job.elsewhere:
        return job.elsewhere[partition].rstrip("/")
    root = job.root.rstrip("/")
    return f"{root}/{partition}" if partition else root


def find_roots(job: OutputJob) -> tuple[str, ...]:
    """The folders below which the job puts files in place."""
    return (job.root, *sorted(set(job.elsewhere.values()) - {job.root}))


def find_losers(begun: Mapping[str, Sequence[str]], chosen: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The attempts by root that have begun to write and do not count."""
    losers = {root: tuple(sorted(set(names) - set(chosen.get(root, ())))) for root, names in begun.items()}
    return {root: names for root, names in losers.items() if names}


def find_own_uploads(
    uploads: Iterable[PendingUpload], roots: Sequence[str], is_own: Callable[[FolderName], bool]
) -> list[PendingUpload]:
    """The uploads of one writer, recognized by the names of its folders below the roots and their partitions.

    Other uploads are of writers that work in the same table. A folder counts only where the table has its folders, for
    another table may lie below this one, with write IDs of its own.
    """
    return [upload for upload in uploads if any(_is_own(upload.path, root, is_own) for root in roots)]


def _is_own(path: str, root: str, is_own: Callable[[FolderName], bool]) -> bool:
    start = root.rstrip("/") + "/"
    if not path.startswith(start):
        return False
    parts = path[len(start) :].split("/")
    name = FolderName.parse(parts[-2]) if len(parts) > 1 else None
    return name is not None and all("=" in part for part in parts[:-2]) and is_own(name)


def find_difference(plan: OutputPlan, listings: Sequence[Listing]) -> str | None:
    """The first file that lies in the folders otherwise than it was reported; None if there is none.

    Hidden files do not count.
    """
    for listing in listings:
        wanted = plan.folders[listing.root]
        found = {
            file.relative_path: file.length_bytes for file in listing.files if not file.name.startswith(("_", "."))
        }
        for name in sorted(wanted.keys() | found.keys()):
            if wanted.get(name) != found.get(name):
                return f"{listing.root}/{name} has {_tell(found.get(name))}, not {_tell(wanted.get(name))}"
    return None


def _tell(length: int | None) -> str:
    return "no file" if length is None else f"{length} bytes"
