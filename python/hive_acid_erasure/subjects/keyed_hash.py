"""The keyed hashes by which everything but the driver's memory knows the subjects."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hive_acid.api.conditions import build_error

_SUBJECT_TAG = b"hive-acid subject 1\0"
_KEY_TAG = b"hive-acid key 1\0"
_LEDGER_TAG = b"hive-acid ledger 1\0"
KEY_BYTES = 32
"""The least length of a key."""


def encode_parts(parts: Sequence[str]) -> bytes:
    """The bytes that are hashed: no two different tuples have the same ones.

    Raises HIVE_ACID_ERASURE.NOT_UNICODE for a text that UTF-8 cannot hold, without saying it.
    """
    try:
        return _join([part.encode() for part in parts])
    except UnicodeEncodeError:
        raise build_error("HIVE_ACID_ERASURE.NOT_UNICODE") from None  # the error carries the text


def _join(parts: Sequence[bytes]) -> bytes:
    return _SUBJECT_TAG + b"".join(map(_pack, parts))


def _pack(part: bytes) -> bytes:
    return struct.pack(">I", len(part)) + part


@dataclass(frozen=True)
class HashKey:
    """The caller's secret; it is shown nowhere."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) < KEY_BYTES:
            raise build_error("HIVE_ACID_ERASURE.HASH_KEY_BYTES", minimum=KEY_BYTES)

    @classmethod
    def read(cls, path: Path) -> HashKey:
        """The key of a file of hexadecimal digits. Raises HIVE_ACID_ERASURE.HASH_KEY for another form, OSError."""
        try:
            secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
        except ValueError:
            secret = b""
        if len(secret) < KEY_BYTES:
            raise build_error("HIVE_ACID_ERASURE.HASH_KEY", path=path, minimum=KEY_BYTES)
        return cls(secret)

    def hash_parts(self, parts: Sequence[str]) -> bytes:
        """The keyed hash of a key value, 32 bytes."""
        return self._hash(encode_parts(parts))

    def hash_bytes(self, parts: Sequence[bytes]) -> bytes:
        """The same of texts as files hold them, which need not be UTF-8."""
        return self._hash(_join(parts))

    def hash_orders(self, parts: Sequence[str]) -> Iterator[bytes]:
        """The keyed hashes of the parts in each order; `parts` are texts that UTF-8 can hold."""
        packed = [_pack(part.encode()) for part in parts]
        return (self._hash(_SUBJECT_TAG + b"".join(order)) for order in itertools.permutations(packed))

    def _hash(self, encoded: bytes) -> bytes:
        keyed = self._keyed.copy()
        keyed.update(encoded)
        return keyed.digest()

    def seal(self, before: str, line: bytes) -> str:
        """The seal of a ledger's line and of all before it, in hexadecimal; `before` is that of the line before."""
        return hmac.digest(self.secret, _LEDGER_TAG + before.encode() + b"\0" + line, "sha256").hex()

    @cached_property
    def _keyed(self) -> hmac.HMAC:
        """Has taken in the secret, which costs more than a short text."""
        return hmac.new(self.secret, digestmod="sha256")

    @property
    def id(self) -> str:
        """A mark that tells the key from others and gives nothing of it away."""
        return hmac.digest(self.secret, _KEY_TAG, "sha256").hex()[:16]


def digest_hashes(hashes: frozenset[bytes]) -> str:
    """One SHA-256 over a set of hashes, in hexadecimal."""
    return hashlib.sha256(b"".join(sorted(hashes))).hexdigest()
