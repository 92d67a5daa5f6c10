"""Files of other formats than ORC and Parquet, whose rows only a query reads: they are counted as queries show them."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from hive_acid.api.conditions import HiveAcidError, MetastoreUnavailable, StorageError
from hive_acid.api.files import is_hidden
from hive_acid.api.snapshots import load_scan_plan
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import FileFormat, Metastore, Partition, TableDescription, TableKind
from hive_acid_erasure.engine import ErasureEngine, Matcher, PhysicalFile
from hive_acid_erasure.verify.file_search import SearchedFile
from hive_acid_erasure.verify.places import Place, describe_visible

_Version = tuple[str, int, int]
READ_BY_SEARCH = (FileFormat.ORC, FileFormat.PARQUET)
"""Formats of which the search reads rows itself."""
_READ_AS_LINES = (FileFormat.TEXTFILE, FileFormat.JSONFILE)
_HEAD_BYTES = 64 * 1024
_UNPACKED = (".gz", ".deflate", ".bz2", ".lz4", ".snappy", ".zst")
"""The endings of files that each Hadoop reads by a codec of its own, or not at all."""


@dataclass(frozen=True)
class ShownFiles:
    """The files of one table that queries show. `known` tells of files whether they are text."""

    metastore: Metastore
    file_system: FileSystem
    table: TableDescription
    partitions: Sequence[Partition]
    known: dict[_Version, bool] = field(default_factory=dict)

    def find_packed(self, plain: Iterable[PhysicalFile] = ()) -> Iterator[str]:
        """The paths of files of text that are packed by a codec which no session needs to have.

        Without it Hadoop reads such a file as if it were lines: a query shows rows that are none. `plain` are the files
        that it may read where the table is one of plain Hive.
        """
        if self.table.file_format in _READ_AS_LINES:
            versions = map(_version, plain) if self.table.kind is TableKind.PLAIN else self.list_all()
            yield from (version[0] for version in sorted(versions) if not self._holds_lines(version))

    def _holds_lines(self, version: _Version) -> bool:
        """False for bytes that no text has, and where storage cannot tell."""
        if version not in self.known:
            self.known[version] = self._look_for_lines(*version)
        return self.known[version]

    def _look_for_lines(self, path: str, length_bytes: int, _: int) -> bool:
        name = path.rpartition("/")[2].lower()
        if name.endswith(_UNPACKED) or not length_bytes:
            return True
        try:
            head = self.file_system.read_range(path, 0, _HEAD_BYTES)
            if "." in name:  # the ending of a codec, or of a program that writes UTF-8
                codecs.getincrementaldecoder("utf-8")().decode(head)  # its last letter may be cut
        except (StorageError, UnicodeDecodeError):
            return False
        return b"\0" not in head

    def find(self) -> frozenset[_Version]:
        """Path, length and time of each; none if a query could not read the table.

        None of a table of plain Hive either: a query may show it from a listing that is older than its files. Files of
        ORC and Parquet, which all full ACID tables have, are read by the search itself: no query cures its problems.
        """
        if self.table.kind is not TableKind.INSERT_ONLY or self.table.file_format in READ_BY_SEARCH:
            return frozenset()
        packed = set(self.find_packed())
        return frozenset(version for version in self.list_all() if version[0] not in packed)

    def list_all(self) -> frozenset[_Version]:
        """The same of a transactional table of any format, with the files of its delete deltas."""
        try:
            transactions = self.metastore.valid_transactions(0)
            write_ids = self.metastore.valid_write_ids([self.table.name], transactions)[self.table.name]
            partitions = self.partitions if self.table.is_partitioned else None
            plan = load_scan_plan(self.file_system, self.table, partitions, write_ids, transactions)
        except MetastoreUnavailable:
            raise
        except HiveAcidError:
            return frozenset()
        read = [(folder.path, folder.files) for part in plan.partitions for folder in part.folders]
        read += [(folder.path, folder.files) for part in plan.partitions for folder in part.deletes.folders]
        files = ((f"{path}/{file.path}", file) for path, files in read for file in files)
        return frozenset((path, file.length_bytes, file.modified_ms) for path, file in files)


def find_unhidden(files: Iterable[PhysicalFile], locations: Sequence[str]) -> list[PhysicalFile]:
    """The files that a query of a table at these locations may show, however deep below them they lie.

    A location may itself have a hidden name. Spark takes a folder `_column=value` for none that is hidden
    (HadoopFSUtils.shouldFilterOutPathName).
    """
    roots = {location.rstrip("/") for location in locations}
    return [file for file in files if _is_unhidden(file.path, roots)]


def _is_unhidden(path: str, roots: AbstractSet[str]) -> bool:
    folder, name = path, ""
    while folder not in roots:
        folder, _, name = folder.rpartition("/")
        if not folder or (is_hidden(name) and not (name.startswith("_") and "=" in name)):
            return False
    return True


def count_shown(
    shown: ShownFiles, engine: ErasureEngine, matcher: Matcher, searched: Sequence[SearchedFile]
) -> tuple[tuple[SearchedFile, ...], tuple[Place, ...]]:
    """The files with those counted that only a query reads, and the visible rows of subjects among these.

    A file is counted if queries show it before the count and after it: one that queries show no more never comes back.
    """
    if all(file.is_searched for file in searched) or not engine.counts_all(matcher.table):
        return tuple(searched), ()
    before = shown.find() & {_version(file.source) for file in searched if not file.is_searched}
    if not before:
        return tuple(searched), ()
    try:
        count = engine.count(matcher, None)
    except HiveAcidError as error:
        if error.getCondition() != "HIVE_ACID_ERASURE.NOT_COUNTED":
            raise
        return tuple(searched), ()
    both = before & shown.find()
    if not engine.counts_all(matcher.table):
        return tuple(searched), ()
    files = tuple(_mark(file, both) for file in searched)
    return files, describe_visible(matcher, count)


def _mark(file: SearchedFile, counted: frozenset[_Version]) -> SearchedFile:
    return file.as_counted() if not file.is_searched and _version(file.source) in counted else file


def _version(file: PhysicalFile) -> _Version:
    return file.path, file.length_bytes, file.modified_ms
