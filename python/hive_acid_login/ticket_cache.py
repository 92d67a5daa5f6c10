"""The user's cache of Kerberos tickets: whether a ticket that the JVM does not take has just expired."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

_VARIABLE = "KRB5CCNAME"
_FILE_KIND = "FILE:"
_FORM_3, _FORM_4 = b"\5\3", b"\5\4"
_TICKETS_OF_ALL = b"krbtgt"
"""The service whose ticket gets all others."""


def find_cache() -> Path:
    """The file that Java looks into: that of the environment, else that of the user's number."""
    named = os.environ.get(_VARIABLE)
    return Path(named.removeprefix(_FILE_KIND) if named else f"/tmp/krb5cc_{os.getuid()}")  # noqa: S108 (Kerberos' place)


def has_expired(cache: Path, now_s: float) -> bool:
    """True if the cache has a ticket for tickets, and the last one of these has ended.

    A cache that is missing, cannot be read or has another form has none: it is Java's to say what is wrong with it.
    """
    try:
        ends = list(_list_ends(BytesIO(cache.read_bytes())))
    except (OSError, struct.error):
        return False
    return bool(ends) and max(ends) < now_s


def _list_ends(data: BytesIO) -> Iterator[int]:
    """When each ticket for tickets ends, in seconds since 1970 (MIT's format of credential caches)."""
    form = data.read(2)
    if form not in (_FORM_3, _FORM_4):
        return
    if form == _FORM_4:
        data.read(_read(data, ">H"))
    _read_principal(data)
    while data.tell() < len(data.getbuffer()):
        _read_principal(data)
        server = _read_principal(data)
        data.read(2 if form == _FORM_4 else 4)  # the kind of key, which form 3 tells twice
        _read_bytes(data)  # the key
        _, _, end, _ = struct.unpack(">IIII", data.read(16))
        data.read(5)  # flags
        for _ in ("addresses", "authorization data"):
            for _ in range(_read(data, ">I")):
                _read(data, ">H")
                _read_bytes(data)
        _read_bytes(data)
        _read_bytes(data)  # a second ticket
        if server[:1] == [_TICKETS_OF_ALL]:
            yield end


def _read_principal(data: BytesIO) -> list[bytes]:
    """The parts of its name."""
    _read(data, ">I")
    count = _read(data, ">I")
    _read_bytes(data)  # the realm
    return [_read_bytes(data) for _ in range(count)]


def _read_bytes(data: BytesIO) -> bytes:
    return data.read(_read(data, ">I"))


def _read(data: BytesIO, form: str) -> int:
    (number,) = struct.unpack(form, data.read(struct.calcsize(form)))
    return int(number)
