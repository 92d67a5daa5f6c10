"""Caches of Kerberos tickets, as kinit writes them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from hive_acid_login.ticket_cache import find_cache, has_expired


def piece(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def principal(*parts: bytes) -> bytes:
    return struct.pack(">II", 1, len(parts)) + piece(b"EXAMPLE.TEST") + b"".join(map(piece, parts))


def ticket(service: tuple[bytes, ...], end: int, form: int = 4) -> bytes:
    kind = struct.pack(">H", 17) * (2 if form == 3 else 1)
    head = principal(b"alice") + principal(*service) + kind + piece(b"key")
    times = struct.pack(">IIII", 1, 1, end, 0) + b"\0" + struct.pack(">I", 0)
    addresses = struct.pack(">I", 1) + struct.pack(">H", 2) + piece(b"\x7f\0\0\1")
    return head + times + addresses + struct.pack(">I", 0) + piece(b"ticket") + piece(b"")


def cache(folder: Path, *tickets: bytes) -> Path:
    header = struct.pack(">HHII", 1, 8, 0, 0)
    file = folder / "cache"
    file.write_bytes(b"\5\4" + struct.pack(">H", len(header)) + header + principal(b"alice") + b"".join(tickets))
    return file


ALL = (b"krbtgt", b"EXAMPLE.TEST")


def test_a_ticket_has_expired_once_its_end_has_come(tmp_path: Path) -> None:
    file = cache(tmp_path, ticket(ALL, 1_000))
    assert [has_expired(file, now) for now in (999, 1_001)] == [False, True]


def test_caches_of_the_older_form_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "old"
    file.write_bytes(b"\5\3" + principal(b"alice") + ticket(ALL, 1_000, form=3))
    assert [has_expired(file, now) for now in (999, 1_001)] == [False, True]


def test_the_last_ticket_for_tickets_counts(tmp_path: Path) -> None:
    file = cache(tmp_path, ticket(ALL, 1_000), ticket(ALL, 3_000), ticket((b"hive", b"host"), 5_000))
    assert [has_expired(file, now) for now in (2_000, 4_000)] == [False, True]


def test_a_cache_without_tickets_or_of_another_form_has_none_that_expired(tmp_path: Path) -> None:
    assert not has_expired(tmp_path / "none", 1)
    assert not has_expired(cache(tmp_path), 1)
    whole = cache(tmp_path, ticket(ALL, 1_000)).read_bytes()
    for content in (b"", b"\5\2" + whole[2:], whole[: len(whole) // 2]):
        (tmp_path / "other").write_bytes(content)
        assert not has_expired(tmp_path / "other", 2_000)


def test_the_cache_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRB5CCNAME", "FILE:/some/cache")
    assert find_cache() == Path("/some/cache")
    monkeypatch.delenv("KRB5CCNAME")
    assert find_cache().name.startswith("krb5cc_")
