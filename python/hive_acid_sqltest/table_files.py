"""The files of a table as text: their names, or the raw rows in them, or the notes for the history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from hive_acid.api.extras import needing
from hive_acid.api.files import FLUSH_LENGTH_SUFFIX, HISTORY_FILE, BucketFileName, HistoryFile, is_hidden
from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.masking import mask_path

_ACID_COLUMNS = ("operation", "originalTransaction", "bucket", "rowId", "currentTransaction")


def local_folder(location: str) -> Path:
    """The folder of a table's location. Raises SuiteError if it is not on the local file system."""
    parts = urlsplit(location)
    if parts.scheme not in ("", "file"):
        raise SuiteError(f"--FILES and --ROWS read local files only, and the table lies in {location}")
    return Path(unquote(parts.path) if parts.scheme else location)


def list_files(folder: Path, database: str) -> str:
    """Relative paths of all files, sorted; an empty folder ends with `/`.

    Checksum files (.crc) and notes for the history are left out.
    """
    paths = (path for path in folder.rglob("*") if path.suffix != ".crc" and path.name != HISTORY_FILE)
    names = [_name(folder, path) + "/" * path.is_dir() for path in paths if path.is_file() or not any(path.iterdir())]
    return "\n".join(mask_path(name, database) for name in sorted(names))


def dump_rows(folder: Path, database: str) -> str:
    """Every row of every bucket file: the file's name, a line of column names, then a line for each row in file order.

    The five ACID columns are followed by the row as JSON; a file that has no ACID columns is named with its columns.
    Raises SuiteError for a file that Arrow cannot read, as one with a timestamp before 1677.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and _is_bucket(path.name))
    return "\n".join(line for path in files for line in _dump_file(path, mask_path(_name(folder, path), database)))


def dump_notes(folder: Path, database: str) -> str:
    """Every note for the history, by the folder it lies in: operation, rows, files and partitions, and the statement.

    Left out is what differs from run to run: transaction, time, application, bytes.
    """
    return "\n".join(
        line
        for path in sorted(folder.rglob(HISTORY_FILE))
        for line in _dump_notes(path, mask_path(_name(folder, path.parent), database))
    )


def _dump_notes(path: Path, name: str) -> Iterator[str]:
    try:
        file = HistoryFile.parse(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SuiteError(f"--HISTORY cannot show {name}: {error}") from error
    yield name
    for note in file.notes:
        counts = {"inserted": note.inserted, "updated": note.updated, "deleted": note.deleted}
        rows = (f"{key} {'-' if count is None else count}" for key, count in counts.items())
        yield "\t".join((note.operation, *rows, f"files {note.files}", f"partitions {note.partitions}"))
        yield note.statement or "(no text)"


def _is_bucket(name: str) -> bool:
    is_side_file = name.endswith(FLUSH_LENGTH_SUFFIX)
    return BucketFileName.parse(name) is not None and not is_hidden(name) and not is_side_file


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _dump_file(path: Path, name: str) -> Iterator[str]:
    with needing("sqltest", "--ROWS"):
        from pyarrow import ArrowInvalid, orc

    try:
        table = orc.ORCFile(path).read()
    except ArrowInvalid as error:  # a timestamp before 1677 or after 2262 has no nanoseconds in Arrow
        raise SuiteError(f"--ROWS cannot show {name}: {error}") from error
    yield name
    if tuple(table.column_names[:5]) != _ACID_COLUMNS:
        yield "\t".join(table.column_names)
        return
    yield "\t".join((*_ACID_COLUMNS, "row"))
    for row in table.to_pylist():
        acid = [str(row[column]) for column in _ACID_COLUMNS]
        yield "\t".join((*acid, json.dumps(row["row"], default=_plain, ensure_ascii=False)))


def _plain(value: Any) -> str:
    """JSON has no form for it: bytes as hexadecimal digits, decimals without exponent, dates and times by their own."""
    if isinstance(value, bytes):
        return value.hex()
    return format(value, "f") if isinstance(value, Decimal) else str(value)
