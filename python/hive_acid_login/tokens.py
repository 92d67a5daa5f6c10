"""Delegation tokens of a metastore, as Hadoop writes them: as text, and in the file that it hands to programs."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from hive_acid.api.conditions import build_error

FILE_VARIABLE = "HADOOP_TOKEN_FILE_LOCATION"
KIND = "HIVE_DELEGATION_TOKEN"
_MAGIC = b"HDTS"
_PLAIN_FORM, _PROTOBUF_FORM = 0, 1
_TOKEN_FIELD = 2


@dataclass(frozen=True)
class Token:
    """A delegation token. `service` is the signature of the metastore that gave it."""

    identifier: bytes = field(repr=False)
    password: bytes = field(repr=False)
    kind: str
    service: str

    @property
    def owner(self) -> str:
        """The user whom the metastore takes its holder for: the short name of the owner in the identifier."""
        data = BytesIO(self.identifier)
        data.read(1)  # the version of the form
        name = _read_bytes(data).decode()
        return name.partition("@")[0].partition("/")[0]


def parse_token(text: str) -> Token:
    """The token of `Token.encodeToUrlString`. Raises ValueError."""
    try:
        data = BytesIO(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except binascii.Error as error:
        raise ValueError("no token of Hadoop's") from error
    return _read_token(data)


def find_token(signature: str) -> Token | None:
    """The token for metastores of this signature in the file that the environment names; None if there is none.

    Raises HIVE_ACID_CONFIGURATION.UNREADABLE_FILE.
    """
    place = os.environ.get(FILE_VARIABLE)
    if not place:
        return None
    try:
        tokens = list(parse_token_file(Path(place).read_bytes()))
    except (OSError, ValueError) as error:
        raise build_error("HIVE_ACID_CONFIGURATION.UNREADABLE_FILE", file=place, failure=error) from error
    return next((token for token in tokens if (token.kind, token.service) == (KIND, signature)), None)


def parse_token_file(content: bytes) -> Iterator[Token]:
    """The tokens in a file of Hadoop's (Credentials.writeTokenStorageFile), in either form. Raises ValueError."""
    data = BytesIO(content)
    if data.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("no file of tokens: its first bytes are others")
    form = data.read(1)
    if form == bytes([_PLAIN_FORM]):
        for _ in range(_read_number(data)):
            _read_bytes(data)  # the name under which it is kept
            yield _read_token(data)
    elif form == bytes([_PROTOBUF_FORM]):
        message = _read_exactly(data, _read_varint(data))
        for number, entry in _read_fields(message):
            fields = dict(_read_fields(entry)) if number == 1 else {}
            if _TOKEN_FIELD in fields:
                yield _of_message(dict(_read_fields(fields[_TOKEN_FIELD])))
    else:
        raise ValueError(f"a file of tokens of an unknown form: {form!r}")


def _read_token(data: BytesIO) -> Token:
    identifier, password, kind, service = (_read_bytes(data) for _ in range(4))
    return Token(identifier, password, kind.decode(), service.decode())


def _of_message(fields: dict[int, bytes]) -> Token:
    """The fields of a TokenProto (Security.proto) as a token."""
    identifier, password, kind, service = (fields.get(number, b"") for number in range(1, 5))
    return Token(identifier, password, kind.decode(), service.decode())


def _read_bytes(data: BytesIO) -> bytes:
    return _read_exactly(data, _read_number(data))


def _read_exactly(data: BytesIO, size: int) -> bytes:
    found = data.read(size) if size >= 0 else b""
    if len(found) != size:
        raise ValueError("a token that ends too soon")
    return found


def _read_number(data: BytesIO) -> int:
    """A number of Hadoop's WritableUtils.readVInt; negative ones do not occur in tokens and are refused."""
    first = int.from_bytes(_read_exactly(data, 1), "big", signed=True)
    if first >= 0:
        return first
    if not -120 <= first <= -113:
        raise ValueError("a length below zero")
    return int.from_bytes(_read_exactly(data, -112 - first), "big")


def _read_varint(data: BytesIO) -> int:
    number = shift = 0
    while True:
        (byte,) = _read_exactly(data, 1)
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number


def _read_fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of each field of a message of Protocol Buffers in which all are bytes."""
    data = BytesIO(message)
    while data.tell() < len(message):
        key = _read_varint(data)
        if key & 7 != 2:
            raise ValueError("a token of an unknown form")
        yield key >> 3, _read_exactly(data, _read_varint(data))
