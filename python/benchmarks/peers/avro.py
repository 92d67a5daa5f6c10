"""The content of small files as it can be searched for texts: that of Avro files is compressed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

_MAGIC = b"Obj\x01"
_SYNC_BYTES = 16
_RAW_DEFLATE = -15


def read_plain(path: Path) -> bytes:
    """The bytes of a file; the blocks of an Avro file one behind the other, without their compression."""
    content = path.read_bytes()
    return b"".join(_read_blocks(content)) if content.startswith(_MAGIC) else content


def _read_blocks(content: bytes) -> Iterator[bytes]:
    """Raises ValueError for a compression other than Avro's own `deflate`."""
    entries, at = _read_header(content, len(_MAGIC))
    codec = entries.get(b"avro.codec", b"null")
    if codec not in (b"null", b"deflate"):
        raise ValueError(f"Avro files with the codec {codec.decode()} cannot be searched")
    at += _SYNC_BYTES
    while at < len(content):
        _, at = _read_long(content, at)
        size, at = _read_long(content, at)
        block = content[at : at + size]
        yield zlib.decompress(block, _RAW_DEFLATE) if codec == b"deflate" else block
        at += size + _SYNC_BYTES


def _read_header(content: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """A map of Avro: blocks of entries, the last of which is empty; a negative count is followed by a size."""
    entries: dict[bytes, bytes] = {}
    while True:
        count, at = _read_long(content, at)
        if count == 0:
            return entries, at
        if count < 0:
            _, at = _read_long(content, at)
        for _ in range(abs(count)):
            key, at = _read_bytes(content, at)
            entries[key], at = _read_bytes(content, at)


def _read_bytes(content: bytes, at: int) -> tuple[bytes, int]:
    size, at = _read_long(content, at)
    return content[at : at + size], at + size


def _read_long(content: bytes, at: int) -> tuple[int, int]:
    """Seven bits a byte, the lowest first; the last bit is the sign."""
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at
