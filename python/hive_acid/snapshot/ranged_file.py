"""A file of any size as libraries read one: the places that they ask for are fetched from storage, block by block."""

from __future__ import annotations

import io
from collections import OrderedDict
from typing import Any

from hive_acid.snapshot.filesystem import FileSystem

_BLOCK_BYTES = 1024 * 1024
_BLOCKS = 16
"""So many blocks are kept in memory."""


class RangedFile(io.RawIOBase):
    """A file in storage, as an object that libraries can read.

    Raises what storage raises, and EOFError where the file is not as long as it was listed.
    """

    def __init__(self, file_system: FileSystem, path: str, length_bytes: int) -> None:
        super().__init__()
        self._file_system = file_system
        self._path = path
        self._length = length_bytes
        self._place = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        if length_bytes and len(file_system.read_range(path, length_bytes - 1, 2)) != 1:
            raise EOFError(path)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        """The place that is read next."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes there; any place may be asked for."""
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._length}
        self._place = max(0, starts[whence] + offset)
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Fills the whole buffer, or as far as the file goes: pyarrow takes less for the end of the file."""
        filled = 0
        while filled < len(buffer) and self._place < self._length:
            number, within = divmod(self._place, _BLOCK_BYTES)
            found = self._block(number)[within : within + len(buffer) - filled]
            buffer[filled : filled + len(found)] = found
            filled += len(found)
            self._place += len(found)
        return filled

    def _block(self, number: int) -> bytes:
        if number in self._blocks:
            self._blocks.move_to_end(number)
            return self._blocks[number]
        start = number * _BLOCK_BYTES
        wanted = min(_BLOCK_BYTES, self._length - start)
        content = self._file_system.read_range(self._path, start, wanted)
        if len(content) != wanted:
            raise EOFError(self._path)
        self._blocks[number] = content
        while len(self._blocks) > _BLOCKS:
            self._blocks.popitem(last=False)
        return content
