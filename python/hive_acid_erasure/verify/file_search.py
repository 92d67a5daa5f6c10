"""Searching physical files: rows by the engine, small texts here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hive_acid.api.conditions import StorageError
from hive_acid.api.files import FLUSH_LENGTH_SUFFIX, is_hidden
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import TableDescription, TableKind
from hive_acid_erasure.engine import ErasureEngine, FileFinding, Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid_erasure.subjects.spotting import Spotter
from hive_acid_erasure.verify.places import Place, PlaceKind

_TEXT_BYTES = 1024 * 1024
"""Larger files are no notes."""
_ROW_MAGICS = (b"ORC", b"PAR1")
_NOT_SEARCHED = "not"
_VISIBLE = "visible"
_TOO_LONG = 1 << 37
"""For a file, and less than eight bytes of any text are as a number."""
_CHECKSUM_MAGIC = b"crc\0"
_CHECKSUM_SUFFIX = ".crc"
_DELIMITER = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f]")
"""Stands in no note. Text files of Hive have it between values, also those that a killed task left as hidden ones."""
_RUN = re.compile(r"[^\x00-\x1f\x7f\ufffd]{8,}")


@dataclass(frozen=True)
class SearchedFile:
    """A file, how it was searched (`rows`, `visible`, `text`, `checksums`, `not`), and what is there.

    `visible`: queries show all its rows, and none of those is a subject's or they are told as visible rows.
    Subjects are masked in `path`, and stand in `source`, which is not shown. `sha256` is None for files that the
    erasure did not write.
    """

    path: str
    source: PhysicalFile = field(repr=False)
    way: str
    row_count: int = 0
    match_count: int = 0
    places: tuple[Place, ...] = ()
    sha256: str | None = None

    @property
    def is_searched(self) -> bool:
        """False if it could not be searched whole."""
        return self.way != _NOT_SEARCHED

    @property
    def was_read(self) -> bool:
        """True if its bytes were read whole; as long as they are the same, they need not be again."""
        return self.way not in (_NOT_SEARCHED, _VISIBLE)

    def as_counted(self) -> SearchedFile:
        """The same once all its rows were counted as queries show them."""
        left = tuple(place for place in self.places if place.kind is not PlaceKind.UNSEARCHED)
        return replace(self, way=_VISIBLE, places=left)

    def describe(self) -> dict[str, str | int]:
        """As the certificate shows it."""
        described: dict[str, str | int] = {
            "path": self.path,
            "length_bytes": self.source.length_bytes,
            "modified_ms": self.source.modified_ms,
            "searched": self.way,
            "rows": self.row_count,
            "matches": self.match_count,
        }
        return described if self.sha256 is None else {**described, "sha256": self.sha256}


class FileSearch:
    """Searches files for the subjects of one table."""

    def __init__(
        self,
        engine: ErasureEngine,
        file_system: FileSystem,
        matcher: Matcher,
        spotter: Spotter,
        former_columns: bool,
    ) -> None:
        self._engine = engine
        self._file_system = file_system
        self._matcher = matcher
        self._spotter = spotter
        self._former_columns = former_columns

    def search(self, files: Sequence[PhysicalFile]) -> dict[PhysicalFile, SearchedFile]:
        """The result for each file; one that could not be searched whole has a place that says so."""
        return dict(self._search(files))

    def _search(self, files: Sequence[PhysicalFile]) -> Iterator[tuple[PhysicalFile, SearchedFile]]:
        contents = {file.path: file for file in files}
        small = [contents.pop(file.path) for file in files if self._is_side_file(file)]
        asked = tuple(contents.values())
        with_former = self._former_columns
        for finding in self._engine.search(self._matcher, asked, former_columns=with_former) if asked else ():
            found = contents.pop(finding.path, None)
            if found is None:
                continue  # told twice, or not asked for
            if finding.problem is None:
                yield found, self._judge(found, finding)
            else:
                yield found, self._search_text(found, finding.problem)
        for file in small:
            yield file, self._search_text(file, "it is neither rows nor a text")
        for file in contents.values():
            yield file, self._unsearched(file, "the engine told nothing of it")

    def _is_side_file(self, file: PhysicalFile) -> bool:
        """True for small hidden files that hold no rows by their first bytes, whatever their name says."""
        if file.length_bytes > _TEXT_BYTES or _may_hold_rows(file):
            return False
        content = self._read(file)
        return content is not None and not content.startswith(_ROW_MAGICS)

    def _judge(self, file: PhysicalFile, finding: FileFinding) -> SearchedFile:
        places = []
        if finding.match_count:
            detail = f"{finding.match_count} of {finding.row_count} rows belong to subjects"
            places.append(self._place(PlaceKind.ROWS, file, detail))
        if finding.in_statistics:
            detail = "the least or greatest value of a column in the file's own statistics"
            places.append(self._place(PlaceKind.FILE_STATISTICS, file, detail))
        if finding.in_dictionary:
            places.append(self._place(PlaceKind.FILE_DICTIONARY, file, "a value in the dictionary of a column"))
        for column in finding.former_columns:
            detail = (
                f"values of its column {self._spotter.mask(column)}, which the table has no more, or of another type"
            )
            places.append(self._place(PlaceKind.FORMER_COLUMN, file, detail))
        return self._searched(file, "rows", places, finding.row_count, finding.match_count)

    def _search_text(self, file: PhysicalFile, problem: str) -> SearchedFile:
        """`problem` says why its rows cannot be read."""
        content = self._read(file)
        if content is None or content.startswith(_ROW_MAGICS):
            return self._unsearched(file, problem)
        name = file.path.rpartition("/")[2]
        if name.endswith(FLUSH_LENGTH_SUFFIX) and _are_lengths(content):
            return self._searched(file, "checksums", [])
        if name.endswith(_CHECKSUM_SUFFIX) and content.startswith(_CHECKSUM_MAGIC):
            return self._count(file, "checksums", _find_texts(content[len(_CHECKSUM_MAGIC) + 4 :]))
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return self._unsearched(file, problem)
        if "\0" in text:
            return self._unsearched(file, problem)
        found = self._count(file, "text", text)
        if not (_may_hold_rows(file) or _DELIMITER.search(text)):
            return found
        # a text tells neither short numbers nor keys of several columns, nor what an expression makes of a value
        unsearched = self._unsearched(file, problem)
        places = tuple(dict.fromkeys((*found.places, *unsearched.places)))
        return replace(unsearched, match_count=found.match_count, places=places)

    def _count(self, file: PhysicalFile, way: str, text: str) -> SearchedFile:
        count = self._spotter.count(text)
        places = [self._place(PlaceKind.FILE_TEXT, file, f"{count} texts name a subject")] if count else []
        return self._searched(file, way, places, match_count=count)

    def _read(self, file: PhysicalFile) -> bytes | None:
        """The content of a small file; None for a large one, and for one that changed or that storage cannot read."""
        try:
            content = self._file_system.read_bytes(file.path) if file.length_bytes <= _TEXT_BYTES else None
        except StorageError:
            return None
        return content if content is not None and len(content) == file.length_bytes else None

    def _unsearched(self, file: PhysicalFile, problem: str) -> SearchedFile:
        place = self._place(PlaceKind.UNSEARCHED, file, f"it could not be searched: {self._spotter.mask(problem)}")
        return self._searched(file, _NOT_SEARCHED, [place])

    def _searched(
        self, file: PhysicalFile, way: str, places: list[Place], row_count: int = 0, match_count: int = 0
    ) -> SearchedFile:
        if self._spotter.count(file.path):
            places = [*places, self._place(PlaceKind.PATH, file, "its path names a subject")]
        return SearchedFile(self._spotter.mask(file.path), file, way, row_count, match_count, tuple(places))

    def _place(self, kind: PlaceKind, file: PhysicalFile, detail: str) -> Place:
        return Place(kind, self._spotter.mask(file.path), detail, file.partition)


def read_whole(matcher: Matcher, table: TableDescription) -> Matcher:
    """The matcher by which a search reads each column that a deletion reads: all, where it writes rows anew."""
    if table.kind is not TableKind.INSERT_ONLY:
        return matcher
    row = ", ".join(f"`{column.name}`" for column in table.columns)
    nobody = KeyedHashes(Key((f"CAST(struct({row}) AS STRING)",)), frozenset((bytes(32),)))
    return Matcher(matcher.table, (*matcher.keys, nobody))


def _may_hold_rows(file: PhysicalFile) -> bool:
    """True for a name that engines read rows from, as those of text and JSON."""
    name = file.path.rpartition("/")[2]
    return not (is_hidden(name) or name.endswith(FLUSH_LENGTH_SUFFIX))


def _are_lengths(content: bytes) -> bool:
    """True for eight bytes each of lengths that files have, which no text is, of UTF-16 or UTF-32 either."""
    lengths = (int.from_bytes(content[start : start + 8], "big") for start in range(0, len(content), 8))
    return len(content) % 8 == 0 and all(length < _TOO_LONG for length in lengths)


def _find_texts(content: bytes) -> str:
    """All of it if it may be a text, else what is too long among bytes of chance to be theirs."""
    text = content.decode(errors="replace")
    return text if text.isprintable() and "\ufffd" not in text else "\n".join(_RUN.findall(text))
