"""How much of a file that streaming ingest still writes may be read: its side file tells (ORC's OrcAcidUtils)."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from hive_acid.errors import build_error
from hive_acid.model.names import FLUSH_LENGTH_SUFFIX, may_have_side_files
from hive_acid.snapshot.acid_state import AcidState
from hive_acid.snapshot.filesystem import FileSystem

_LONG = struct.Struct(">q")


def load_readable_bytes(file_system: FileSystem, table: str, states: Iterable[AcidState]) -> dict[str, int] | None:
    """The length of each file with a side file, by absolute path.

    None if a side file that was listed is gone: its file is complete now, and longer than it was listed. Raises
    HIVE_ACID_UNSUPPORTED_LAYOUT for a side file without a length, which Hive refuses too (AcidUtils.getLogicalLength).
    """
    lengths = {}
    for state in states:
        for folder in state.deltas:
            sides = [file for file in folder.files if file.name.endswith(FLUSH_LENGTH_SUFFIX)]
            for side in sides if may_have_side_files(folder.name) else ():
                path = state.listing.absolute_path(side.relative_path)
                content = file_system.read_bytes(path)
                if content is None:
                    return None
                length = parse_flush_length(content)
                if length is None:
                    raise build_error("HIVE_ACID_UNSUPPORTED_LAYOUT.NO_FLUSH_LENGTH", table=table, path=path)
                lengths[path.removesuffix(FLUSH_LENGTH_SUFFIX)] = length
    return lengths


def parse_flush_length(content: bytes) -> int | None:
    """The last complete big-endian 8-byte number in bytes, which is the length; None if there is none below 2^63.

    Bytes after it are a number that is being written.
    """
    end = len(content) - len(content) % _LONG.size
    length: int = _LONG.unpack_from(content, end - _LONG.size)[0] if end else -1
    return length if length >= 0 else None
