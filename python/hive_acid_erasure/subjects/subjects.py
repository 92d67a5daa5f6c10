"""The people to be erased: plain texts that stay in the driver's memory."""

from __future__ import annotations

import csv
import datetime
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hive_acid.api.conditions import build_error
from hive_acid_erasure.plan.plan import NamedKey
from hive_acid_erasure.subjects.keyed_hash import HashKey, digest_hashes
from hive_acid_erasure.subjects.people import People
from hive_acid_erasure.subjects.spotting import Spotters

Row = tuple[str | None, ...]

_REPLACEMENT = "\ufffd"
"""Programs put it where bytes are no text, so that it names more than one value."""
_UNSEEN = r"[\s\x00-\x1f\x7f-\x9f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
_AT_AN_END = re.compile(f"^{_UNSEEN}|{_UNSEEN}$")
"""A blank or a sign that nobody sees: programs and people add them, and then no row is found."""
_IN_QUOTES = re.compile(r"([\"']).*\1")


def identify_erasure(plan_digest: str, subjects_digest: str) -> str:
    """The ID of the erasure of these people by this plan: that of its certificate, and of its rows in histories."""
    return hashlib.sha256(f"{plan_digest} {subjects_digest}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Subjects:
    """One tuple of texts per subject, a text per column; None where a subject has no value. Never shown."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...] = field(repr=False)

    def project(self, key: NamedKey) -> tuple[tuple[str, ...], ...]:
        """The subjects as a key names them; those without one of its values are left out, and none comes twice."""
        return tuple(dict.fromkeys(parts for parts in self.project_each(key) if parts is not None))

    def project_each(self, key: NamedKey) -> tuple[tuple[str, ...] | None, ...]:
        """Each subject as a key names it; None for one without one of its values."""
        places = [self.columns.index(column) for column in key.columns]
        found = (tuple(row[place] for place in places) for row in self.rows)
        return tuple(None if None in parts else tuple(p for p in parts if p is not None) for parts in found)

    @cached_property
    def people(self) -> People:
        """All their values, to be found in texts."""
        return People(self.rows)

    def spotters(self, key: HashKey) -> Spotters:
        """The spotters that find the subjects in texts, and hide each of their values."""
        return Spotters(key, self.people)

    def digest(self, key: HashKey) -> str:
        """A mark of who the subjects are, which only the key's owner can make."""
        marked = (("" if value is None else f"={value}" for value in row) for row in self.rows)
        return digest_hashes(frozenset(key.hash_parts(tuple(row)) for row in marked))


def read_subjects(path: Path, columns: Sequence[str]) -> Subjects:
    """The subjects of a file: CSV with a header if its name ends in .csv, else a value of the only column per line.

    Raises HIVE_ACID_ERASURE with SUBJECTS_COLUMN, SUBJECTS_FORM, SUBJECT_QUOTES or as `build_subjects`, and OSError.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if path.suffix.lower() == ".csv":
                return build_subjects(_read_csv(file, path, columns), columns)
            if len(columns) > 1:
                raise build_error("HIVE_ACID_ERASURE.SUBJECTS_COLUMN", path=path, column=", ".join(columns))
            return build_subjects(_read_lines(file, path), columns)
    except UnicodeDecodeError:
        failure = build_error("HIVE_ACID_ERASURE.NOT_UNICODE")
    except csv.Error:
        failure = build_error("HIVE_ACID_ERASURE.SUBJECTS_FORM", path=path)
    raise failure  # outside of the blocks: both errors carry lines, and Python would tie them to it


def _read_lines(lines: Iterable[str], path: Path) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        value = line.rstrip("\r\n")
        if _IN_QUOTES.fullmatch(value):
            raise build_error("HIVE_ACID_ERASURE.SUBJECT_QUOTES", path=path, number=number)
        yield value


def _read_csv(lines: Iterable[str], path: Path, columns: Sequence[str]) -> Iterable[Row]:
    reader = csv.reader(lines, strict=True)
    header = next(reader, [])
    for column in columns:
        if header.count(column) != 1:
            raise build_error("HIVE_ACID_ERASURE.SUBJECTS_COLUMN", path=path, column=column)
    places = [header.index(column) for column in columns]
    for number, values in enumerate(reader, start=1):
        if values and len(values) != len(header):
            raise build_error("HIVE_ACID_ERASURE.SUBJECT_PARTS", number=number, given=len(values), wanted=len(header))
        if values:
            yield tuple(values[place] or None for place in places)


def build_subjects(given: Iterable[object], columns: Sequence[str]) -> Subjects:
    """Subjects from texts (of one column), sequences of texts, whole numbers and dates, or of these by column.

    Mappings, rows of Spark and named tuples are read by their names. One of the columns may be missing there.
    Raises HIVE_ACID_ERASURE with SUBJECTS_LIST, SUBJECT_COLUMN, SUBJECT_PARTS, SUBJECT_VALUE, SUBJECT_BLANKS,
    NOT_UNICODE or SUBJECTS_EMPTY; the number tells the subject.
    """
    if isinstance(given, str | bytes | bytearray) or _find_names(given) is not None or hasattr(given, "columns"):
        raise build_error("HIVE_ACID_ERASURE.SUBJECTS_LIST", type=type(given).__name__)
    rows: dict[Row, None] = {}
    for number, raw in enumerate(given, start=1):
        row = tuple(_spell(value, number) for value in _split(raw, columns, number))
        if len(row) != len(columns):
            raise build_error("HIVE_ACID_ERASURE.SUBJECT_PARTS", number=number, given=len(row), wanted=len(columns))
        if any(value is not None for value in row):
            rows[row] = None
    if not rows:
        raise build_error("HIVE_ACID_ERASURE.SUBJECTS_EMPTY")
    return Subjects(tuple(columns), tuple(rows))


def _find_names(raw: object) -> Mapping[object, object] | None:
    """The values by their names, of what has names: a mapping, a named tuple, or a Row of Spark; None for others."""
    if isinstance(raw, Mapping):
        return raw
    names = getattr(raw, "__fields__", None) or getattr(raw, "_fields", None)  # a Row's, and a named tuple's
    return dict(zip(names, raw, strict=True)) if isinstance(raw, tuple) and names else None


def _split(raw: object, columns: Sequence[str], number: int) -> Sequence[object]:
    named = _find_names(raw)
    if named is None:
        return list(raw) if isinstance(raw, list | tuple) else [raw]
    has_twice = isinstance(raw, tuple) and len(raw) != len(named)  # as the rows of a join have
    if has_twice or not set(named) <= set(columns):  # the name that is none may be a value
        raise build_error("HIVE_ACID_ERASURE.SUBJECT_COLUMN", number=number, columns=", ".join(columns))
    return [named.get(column) for column in columns]


def _spell(value: object, number: int) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if _REPLACEMENT in value:
            raise build_error("HIVE_ACID_ERASURE.NOT_UNICODE")
        if _AT_AN_END.search(value):
            raise build_error("HIVE_ACID_ERASURE.SUBJECT_BLANKS", number=number)
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if type(value) is datetime.date:
        return value.isoformat()
    raise build_error("HIVE_ACID_ERASURE.SUBJECT_VALUE", number=number, type=type(value).__name__)
