"""The order to search files as they lie on disk, and what is found. No snapshot hides a row of theirs."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.api.tables import Evolution


@dataclass(frozen=True)
class SearchedFile:
    """A file as it was listed. `partition` is the metastore's name, empty for a file that belongs to none."""

    path: str
    length_bytes: int
    modified_ms: int
    partition: str


@dataclass(frozen=True)
class SearchSpec:
    """One search of files of a table, which is named as in SQL.

    `conditions` are SQL conditions on the table's columns, one for each key. A row counts that meets any, as any of the
    `evolutions` reads it. `text_keys` and `number_keys` are the functions of keys of one part, by which values of
    columns are judged that the table has no more: of texts and all other types, and of whole numbers. `char_lengths`
    are those of text keys of CHAR. Larger files than `part_bytes` are read in parts, by several tasks.
    """

    table: str
    conditions: tuple[str, ...]
    text_keys: tuple[str, ...]
    number_keys: tuple[str, ...]
    char_lengths: tuple[int, ...]
    evolutions: tuple[Evolution, ...]
    part_bytes: int
    files: tuple[SearchedFile, ...]


@dataclass(frozen=True)
class SearchResult:
    """The result for one file. `problem` says why it could not be searched whole, None if it was.

    `in_statistics`: a least or greatest value in the file's own statistics meets a condition. `in_dictionary`: one in a
    dictionary of the file does, and no row of it. `former_columns`: columns, and fields within such, that the table has
    no more and in which a subject stands.
    """

    path: str
    row_count: int
    match_count: int
    in_statistics: bool
    in_dictionary: bool
    former_columns: tuple[str, ...]
    problem: str | None


@dataclass(frozen=True)
class KeyColumn:
    """A column, or a field within one as `contact.email`, that a key is computed of, with its type as declared.

    `position` is that of the column from one, among those of the files or among those of partitions.
    """

    name: str
    position: int
    data_type: str


@dataclass(frozen=True)
class KeyDescription:
    """The types that the texts of a key depend on. A type of moments names the session's time zone.

    `parts` are the types of its parts; of an array, whose elements are keys, that of an element. `padded` are the
    columns and fields of type CHAR whose blanks are a part of the text of another expression. `foreign` are the things
    besides columns of the table that decide on a value: functions, subqueries, virtual columns, or constants alone.
    """

    parts: tuple[str, ...]
    columns: tuple[KeyColumn, ...]
    padded: tuple[str, ...]
    foreign: tuple[str, ...]
