"""Names of the folders and files below a table or partition.

Reading takes every name Hive 3.1, Hive 4.x, Trino and streaming ingest write (any number of digits, `_v…`, attempt
numbers); writing makes the one spelling all of them read (AcidUtils of 3.1; HIVE-20823, HIVE-21164).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

VERSION_FILE = "_orc_acid_version"
"""Marker file inside each written folder; its content is `VERSION_FILE_CONTENT`."""
VERSION_FILE_CONTENT = "2"
METADATA_FILE = "_metadata_acid"
"""Marker of a compacted (3.1), truncated or dropped (4.x) base, a JSON object."""
COMPACTED_METADATA = '{"thisFileVersion":"0","dataFormat":"compacted"}'
"""The content that the compaction of 3.1 gives it (AcidUtils.MetaDataFile)."""
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""Stands for NULL in partition names, so it cannot be a partition value."""
OVERWRITE_FILE = "_hive_acid_overwrite"
"""Our marker file in the base of an overwrite; hidden from every engine. Its content is the ID of the transaction."""
HISTORY_FILE = "_hive_acid_history"
"""Our notes on who wrote what, in one folder of each statement; hidden from every engine. See `model.history`."""
FLUSH_LENGTH_SUFFIX = "_flush_length"
"""Suffix of a side file of streaming ingest, which contains the readable length of its data file."""
STAGING_PREFIX = ".hive-acid-staging-"
"""The prefix of our staging folders; the dot hides them from every engine."""
SET_ASIDE_FOLDER = "_hive_acid_set_aside"
"""The folder for the folders of write IDs that were set aside; the underscore hides it from every engine."""
BAR_PREFIX = "delta_being_set_aside_"
"""A folder with this prefix, followed by a write ID, blocks its table or partition while the write ID is set aside.

An engine that lists it takes it for a delta, and fails for want of numbers in its name.
"""
OUTPUT_JOB_PREFIX = "hive-acid-"
"""The prefix of the IDs of our Hadoop committer jobs; the transaction ID follows."""
MAGIC_FOLDER_PREFIX = "__magic_job-"
"""The prefix of the folder of an S3A committer's job; the underscores hide it from every engine."""


class FolderKind(Enum):
    """Kinds of folders by their content."""

    BASE = "base"
    DELTA = "delta"
    DELETE_DELTA = "delete_delta"


_LONG_MAX = 2**63 - 1
_LONG_MIN = -(2**63)
_FOLDER_PREFIXES = tuple(f"{kind.value}_" for kind in FolderKind)
_BASE = re.compile(r"base_(-?[0-9]+)(?:_v([0-9]+))?")
_DELTA = re.compile(r"(delete_delta|delta)_([0-9]+)_([0-9]+)(?:_v([0-9]+)|_([0-9]+))?")
_BUCKET_FILE = re.compile(r"bucket_([0-9]+)(?:_([0-9]+))?")
_OF_NO_DELTA = re.compile(r"(?:delete_)?delta_9223372036854775807_-9223372036854775808(?:_v[0-9]+)?")
_NOT_IN_URI = re.compile(r"""[\x00-\x20"#%<>?\[\\\]^`{|}\x7f]""")
_ORIGINAL_FILE = re.compile(r"([0-9]+)_[0-9]+(?:_copy_[0-9]+)?")


@dataclass(frozen=True)
class FolderName:
    """A base, delta or delete delta.

    Write IDs are inclusive; a base has `min_write_id == max_write_id` (LONG_MIN: compacted from originals only).
    `statement_id` is None in the names of streaming ingest and compaction. `visibility_txn_id` is the transaction of
    the compaction that made the folder (0: none).
    """

    kind: FolderKind
    min_write_id: int
    max_write_id: int
    statement_id: int | None = None
    visibility_txn_id: int = 0

    @classmethod
    def parse(cls, name: str) -> FolderName | None:
        """The parsed name, or None if it is no base, delta or delete delta.

        Write IDs of deltas begin at 1 and do not descend; those of bases are 0 or more, or LONG_MIN.
        """
        if match := _BASE.fullmatch(name):
            write_id = int(match[1])
            is_sound = 0 <= write_id <= _LONG_MAX or write_id == _LONG_MIN
            return cls(FolderKind.BASE, write_id, write_id, None, int(match[2] or 0)) if is_sound else None
        if match := _DELTA.fullmatch(name):
            first, last = int(match[2]), int(match[3])
            statement_id = int(match[5]) if match[5] is not None else None
            is_sound = 1 <= first <= last <= _LONG_MAX
            return cls(FolderKind(match[1]), first, last, statement_id, int(match[4] or 0)) if is_sound else None
        return None

    def format(self) -> str:
        """The canonical, zero-padded name: `delta_%07d_%07d_%04d`, `base_%07d`; `_v%07d` only where set."""
        visibility = f"_v{self.visibility_txn_id:07d}" if self.visibility_txn_id else ""
        if self.kind is FolderKind.BASE:
            return f"base_{self.max_write_id:07d}{visibility}"
        statement = f"_{self.statement_id:04d}" if self.statement_id is not None else ""
        return f"{self.kind.value}_{self.min_write_id:07d}_{self.max_write_id:07d}{statement}{visibility}"


def may_have_side_files(name: FolderName) -> bool:
    """True for a folder that streaming ingest may still write to: an uncompacted delta of several write IDs.

    Elsewhere Hive reads files to their end, whatever lies beside them (AcidUtils.ParsedDelta, mayContainSideFile).
    """
    is_range = name.kind is FolderKind.DELTA and name.min_write_id != name.max_write_id
    return is_range and not name.visibility_txn_id


def is_base(name: str) -> bool:
    """True for the name of a base."""
    parsed = FolderName.parse(name)
    return parsed is not None and parsed.kind is FolderKind.BASE


@dataclass(frozen=True)
class BucketFileName:
    """`bucket_NNNNN`, or `bucket_NNNNN_A` of Hive 4, where A is the number of the task attempt."""

    bucket: int
    attempt: int | None = None

    @classmethod
    def parse(cls, name: str) -> BucketFileName | None:
        """The parsed name, or None if it is no bucket file."""
        match = _BUCKET_FILE.fullmatch(name)
        return match and cls(int(match[1]), int(match[2]) if match[2] is not None else None)

    def format(self) -> str:
        """`bucket_%05d`, with the attempt only where set. We write none: Trino and Hive 3.1 do not find such files."""
        return f"bucket_{self.bucket:05d}" + (f"_{self.attempt}" if self.attempt is not None else "")


def original_bucket(name: str) -> int | None:
    """The bucket of an original (pre-ACID or loaded) file such as `000001_0_copy_2`, or None for another name."""
    match = _ORIGINAL_FILE.fullmatch(name)
    return int(match[1]) if match else None


def original_order(path: str) -> bytes:
    """Sorts paths below one root as Hive sorts original files: by the text of the URI, as java.lang.String compares.

    Hadoop's Path keeps a URI in which characters that URIs do not allow are escaped (java.net.URI, "quote").
    """
    return _NOT_IN_URI.sub(lambda match: f"%{ord(match[0]):02X}", path).encode("utf-16-be", "surrogatepass")


def find_bucket(name: str) -> int | None:
    """The number in the name of a file, of an ACID one or of another, or None for another name."""
    parsed = BucketFileName.parse(name)
    return parsed.bucket if parsed else original_bucket(name)


def is_hidden(name: str) -> bool:
    """True for names that every engine ignores: they begin with `_` or `.`."""
    return name.startswith(("_", "."))


def is_of_no_delta(name: str) -> bool:
    """True for what a minor compaction leaves that found originals only (Hive 3.1.3): no write ID is in its range."""
    return _OF_NO_DELTA.fullmatch(name) is not None


def is_acid_folder_like(name: str) -> bool:
    """True for names that begin as those of bases and deltas do, sound or not; Hive fails on those it cannot parse."""
    return name.startswith(_FOLDER_PREFIXES)
