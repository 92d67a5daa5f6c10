"""Places that may name a subject, and the folders and files where a table's data may lie."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import unquote

from hive_acid.api.conditions import HiveAcidError
from hive_acid.api.storage import FileSystem, Listing
from hive_acid.api.tables import Partition, TableDescription, TableName
from hive_acid_erasure.engine import MatchCount, Matcher, PhysicalFile
from hive_acid_erasure.subjects.masks import read_partition
from hive_acid_erasure.subjects.spotting import Spotter

_SYSTEM = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?")
_SLASHES = re.compile("/+")
_NO_LOCATION = "-__PLACEHOLDER__"
_HANDLER = "storage_handler"


class PlaceKind(Enum):
    """Kinds of places that may name a subject. Programs read the values, so that they never change."""

    ROWS = "rows"
    FILE_STATISTICS = "file-statistics"
    FILE_DICTIONARY = "file-dictionary"
    FORMER_COLUMN = "former-column"
    FILE_TEXT = "file-text"
    PATH = "path"
    UNSEARCHED = "unsearched"
    PARTITION_NAME = "partition-name"
    TABLE_PROPERTY = "table-property"
    PARTITION_PROPERTY = "partition-property"
    COLUMN_STATISTICS = "column-statistics"
    DEFAULT_VALUE = "default-value"
    PENDING_UPLOAD = "pending-upload"
    VISIBLE_ROWS = "visible-rows"
    CHANGED_TABLE = "changed-table"
    CHANGING_FILES = "changing-files"
    CHANGED_FILE = "changed-file"
    CROSS_CHECK = "cross-check"
    NOT_CLEANED = "not-cleaned"
    NOT_COMPACTED = "not-compacted"
    CHANGING_LINKS = "changing-links"
    UNKNOWN_LINKS = "unknown-links"
    KEPT_FOR_REPLICAS = "kept-for-replicas"


@dataclass(frozen=True)
class Place:
    """Something in the way of a good verdict: where it is, and what is there. Subjects are masked in all texts."""

    kind: PlaceKind
    where: str
    detail: str
    partition: str | None = field(default=None, repr=False)

    def describe(self) -> dict[str, str]:
        """As the certificate shows it."""
        return {"kind": self.kind.value, "where": self.where, "detail": self.detail}


def describe_visible(matcher: Matcher, count: MatchCount) -> tuple[Place, ...]:
    """A place for each partition of which queries show rows of subjects."""
    return tuple(
        Place(PlaceKind.VISIBLE_ROWS, str(matcher.table), f"{rows} visible rows belong to subjects", name)
        for name, rows in count.by_partition.items()
        if rows
    )


@dataclass(frozen=True)
class Roots:
    """The folders to be searched. `partitions`: location → name; `trash` is searched for what came from the others."""

    folders: tuple[str, ...]
    partitions: Mapping[str, str]
    partition_columns: tuple[str, ...] = ()
    trash: tuple[str, ...] = ()


def find_roots(
    file_system: FileSystem, table: TableDescription, partitions: Sequence[Partition], former: Sequence[str]
) -> Roots:
    """The locations of table and partitions, now and formerly; one that lies within another is left out.

    `trash` is that of the session's user, as storage tells it of each location. Raises HIVE_ACID_STORAGE.
    """
    locations = {partition.location.rstrip("/"): partition.name for partition in partitions}
    wanted = dict.fromkeys(path.rstrip("/") for path in (table.location, *locations, *former))
    outer = find_outer(wanted)
    trash = tuple(file_system.trash_roots(outer))
    return Roots(outer, locations, tuple(column.name for column in table.partition_columns), trash)


def split_location(location: str) -> tuple[str, str]:
    """The file system, and the path there: all the rest, for `#` and `?` are signs of names (Hadoop's Path)."""
    found = _SYSTEM.match(location)
    end = found.end() if found else 0
    return location[:end], location[end:]


def find_outer(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders that lie within none of the others."""
    wanted = dict.fromkeys(path.rstrip("/") for path in paths)
    return tuple(path for path in wanted if not any(parent in wanted for parent in _find_parents(path)))


def _find_parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


@dataclass(frozen=True)
class Below:
    """The files below some folders, and the folders there that hold nothing, whose names no path of a file shows."""

    files: tuple[PhysicalFile, ...]
    bare: frozenset[str]


def list_below(file_system: FileSystem, roots: Roots) -> Below:
    """All there is, hidden files and those of hidden folders, too. Raises HIVE_ACID_STORAGE."""
    found: dict[str, PhysicalFile] = {}
    bare = set[str]()

    def take(listing: Listing, is_wanted: Callable[[str], bool]) -> None:
        holding = {path.rpartition("/")[0] for path in (*(f.relative_path for f in listing.files), *listing.folders)}
        bare.update(
            listing.absolute_path(path) for path in listing.folders if path not in holding and is_wanted(f"/{path}/")
        )
        for file in listing.files:
            if is_wanted(f"/{file.relative_path}"):
                path = listing.absolute_path(file.relative_path)
                partition = find_partition(path, roots)
                found[path] = PhysicalFile(path, file.length_bytes, file.modified_ms, partition)

    for listing in file_system.list_all(roots.folders):
        take(listing, lambda _: True)
    former = [_in_trash(split_location(folder)[1]) for folder in roots.folders]
    for listing in file_system.list_all(roots.trash) if roots.trash else []:
        take(listing, lambda path: any(pattern.search(path) for pattern in former))
    return Below(tuple(found[path] for path in sorted(found)), frozenset(bare))


def search_bare(bare: Iterable[str], roots: Roots, spotter: Spotter) -> Iterator[Place]:
    """The folders that hold nothing and whose paths name a subject."""
    for folder in sorted(bare):
        if spotter.count(folder):
            detail = "the path of this empty folder names a subject; remove it"
            yield Place(PlaceKind.PATH, spotter.mask(folder), detail, find_partition(f"{folder}/", roots))


def _in_trash(folder: str) -> re.Pattern[str]:
    """A folder's path in a trash; the time follows a name that was there already (Hadoop's TrashPolicyDefault)."""
    return re.compile("".join(f"/{re.escape(name)}(?:[0-9]{{13,}})?" for name in folder.strip("/").split("/")) + "/")


def search_uploads(file_system: FileSystem, where: TableName, roots: Roots, spotter: Spotter) -> Iterator[Place]:
    """The uploads below the roots that nobody has completed or given up: nobody can read the rows that they hold.

    That storage does not let them be listed is a place, too.
    """
    try:
        uploads = file_system.pending_uploads(roots.folders)
    except HiveAcidError as error:  # many may read files and not list uploads
        detail = f"unfinished uploads could not be listed: {spotter.mask(str(error))}; allow the listing of uploads"
        yield Place(PlaceKind.UNSEARCHED, str(where), detail)
        return
    for path in dict.fromkeys(upload.path for upload in uploads):
        cure = (
            "wait for its writer; if that has ended, give the upload up (hive-acid doctor --fix, or the bucket's rules)"
        )
        detail = f"an upload to this file is neither completed nor given up; {cure}"
        yield Place(PlaceKind.PENDING_UPLOAD, spotter.mask(path), detail, find_partition(path, roots))


def find_partition(path: str, roots: Roots) -> str:
    """The name of the partition that a file lies in, or lay in before it came to where it is.

    Empty if none shows, or if the folders between tell of another one than the metastore.
    """
    columns = roots.partition_columns
    for folder in _find_parents(path):
        if folder in roots.partitions:
            between = path[len(folder) + 1 :].lower().split("/")[:-1]
            is_told = any(name.startswith(f"{column}=") for name in between for column in columns)
            return "" if is_told else roots.partitions[folder]
    names = path.split("/")[:-1]
    for start in range(len(names) - len(columns), -1, -1) if columns else ():
        chosen = names[start : start + len(columns)]
        if all(name.lower().startswith(f"{column}=") for name, column in zip(chosen, columns, strict=True)):
            return "/".join(chosen)
    return ""


def find_shared_folders(where: TableName, partitions: Sequence[Partition], spotter: Spotter) -> Iterator[Place]:
    """The folders of several partitions: their files are searched with the values of one of these only.

    One within the folder of another partition is such: engines differ in whether they read what lies that deep.
    """
    names: dict[tuple[str, str], list[str]] = {}
    for partition in partitions:
        names.setdefault(_normalise(partition.location), []).append(partition.name)
    for (system, path), own in names.items():
        sharing = [*own, *(name for parent in _find_parents(path) for name in names.get((system, parent), ()))]
        if len(sharing) > 1:
            told = ", ".join(map(spotter.mask, sharing))
            folder = spotter.mask(f"{system}{path}")
            detail = f"{folder} is the folder of several partitions, {told}: whose its rows are cannot be told"
            yield Place(PlaceKind.UNSEARCHED, str(where), f"{detail}; give each a folder of its own")


def find_orphans(
    folders: Iterable[str], table: TableDescription, partitions: Sequence[Partition]
) -> dict[str, dict[str, str]]:
    """The values that folders of these paths tell of columns, by the folders' names, sorted.

    Partitions that are there are left out. A path may tell some of several columns alone, and within a partition those
    of a skewed table (Hive's list bucketing).
    """
    columns = frozenset(column.name for column in (*table.partition_columns, *table.columns))
    names = {name for folder in folders for name in _find_told(folder, columns)}
    return {name: read_partition(name) for name in sorted(names - {partition.name for partition in partitions})}


def _find_told(folder: str, columns: AbstractSet[str]) -> Iterator[str]:
    """The parts of a path that are `column=value`, those beside each other as one, as the metastore spells them."""
    told = dict[str, str]()
    for name in (*folder.split("/"), ""):
        column, sign, value = name.partition("=")
        own = unquote(column).lower() if sign else ""
        if told and (own not in columns or own in told):
            yield "/".join(told.values())
            told = {}
        if own in columns:
            told[own] = f"{column.lower()}={value}"


def search_orphans(orphans: Mapping[str, bool | None], where: TableName, spotter: Spotter) -> Iterator[Place]:
    """The names of folders, and of no partition, that are not known to name nobody, by the answers to that."""
    for name, answer in orphans.items():
        if answer is not False:
            told = "names a subject" if answer else "cannot be compared"
            detail = f"the name of a folder, which no partition has, {told}; remove it, or call it otherwise"
            yield Place(PlaceKind.PATH, f"{where} ({spotter.mask(name)})", detail, name)


def find_elsewhere(table: TableDescription, spotter: Spotter) -> Iterator[Place]:
    """A place for a table of which the metastore does not say where its rows are, so that no file of it is listed.

    Spark tells the folder of a table of its data sources in a property of its own (HiveExternalCatalog): the only one
    for CSV, JSON or text, and another one than the location once Hive has moved the table. Tables of a storage handler
    may have no files.
    """
    handler = table.parameters.get(_HANDLER, "")
    if handler or not table.location or table.location.rstrip("/").endswith(_NO_LOCATION):
        detail = (
            f"its rows lie where the metastore does not say{f' ({handler})' if handler else ''}: no file is searched"
        )
        yield Place(PlaceKind.UNSEARCHED, str(table.name), detail)
    elif table.source_path and _normalise(table.source_path) != _normalise(table.location):
        told = f"{spotter.mask(table.source_path)}, and the metastore {spotter.mask(table.location)}"
        detail = f"Spark takes its rows from {told}: only the latter is searched; ALTER TABLE … SET LOCATION in Spark"
        yield Place(PlaceKind.UNSEARCHED, str(table.name), detail)


def _normalise(location: str) -> tuple[str, str]:
    """The parts by which folders are the same, however many slashes there are."""
    system, path = split_location(location)
    return system.removesuffix("//"), _SLASHES.sub("/", unquote(path)).rstrip("/")
