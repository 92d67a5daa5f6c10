"""Delegation tokens in Hadoop's files and texts."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.errors import ConfigurationError
from hive_acid_login import tokens
from hive_acid_login.tokens import Token, find_token, parse_token, parse_token_file

IDENTIFIER = b"\0\x11alice@EXAMPLE.TEST\x04hive\0\x8a\x01"
TOKENS = st.builds(Token, st.binary(max_size=400), st.binary(max_size=200), st.text(max_size=30), st.text(max_size=30))


def number(value: int) -> bytes:
    """As WritableUtils.writeVInt."""
    if value <= 127:
        return bytes([value])
    size = (value.bit_length() + 7) // 8
    return (-112 - size).to_bytes(1, "big", signed=True) + value.to_bytes(size, "big")


def piece(data: bytes) -> bytes:
    return number(len(data)) + data


def written(token: Token) -> bytes:
    return b"".join(map(piece, (token.identifier, token.password, token.kind.encode(), token.service.encode())))


def varint(value: int) -> bytes:
    low, high = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(high) if high else bytes([low])


def field(key: int, data: bytes) -> bytes:
    return varint(key << 3 | 2) + varint(len(data)) + data


def plain_file(known: list[Token]) -> bytes:
    kept = b"".join(piece(b"alias") + written(token) for token in known)
    return b"HDTS\0" + number(len(known)) + kept + b"\x01\x04name\x06secret"


def protobuf_file(known: list[Token]) -> bytes:
    entries = b""
    for token in known:
        parts = (token.identifier, token.password, token.kind.encode(), token.service.encode())
        message = b"".join(field(key, part) for key, part in enumerate(parts, 1))
        entries += field(1, field(1, b"alias") + field(2, message))
    entries += field(2, field(1, b"name") + field(3, b"secret"))
    return b"HDTS\x01" + varint(len(entries)) + entries


@given(TOKENS)
def test_a_token_is_read_from_its_text(token: Token) -> None:
    assert parse_token(base64.urlsafe_b64encode(written(token)).decode().rstrip("=")) == token


@given(st.lists(TOKENS, max_size=4))
def test_tokens_are_read_from_files_of_both_forms(known: list[Token]) -> None:
    assert list(parse_token_file(plain_file(known))) == known
    assert list(parse_token_file(protobuf_file(known))) == known


@given(TOKENS, st.data())
def test_a_file_that_was_cut_off_is_refused(token: Token, data: st.DataObject) -> None:
    whole = b"HDTS\0" + number(1) + piece(b"alias") + written(token)
    with pytest.raises(ValueError):
        list(parse_token_file(whole[: data.draw(st.integers(0, len(whole) - 1))]))


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\3\4", b"HDTS\7", b"HDTS\0\x81", b"HDTS\0\x01\xff", b"HDTS\1\x02\x08\x01", b"HDTS\1\x05\x0a"],
)
def test_a_file_of_another_form_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError):
        list(parse_token_file(content))


def test_a_text_that_is_no_token_is_refused() -> None:
    for text in ("a", "AAAA"):
        with pytest.raises(ValueError):
            parse_token(text)


def test_the_owner_has_a_short_name() -> None:
    assert Token(IDENTIFIER.replace(b"\x11", b"\x12"), b"", "", "").owner == "alice"
    assert Token(b"\0\x0fhive/host@REALM", b"", "", "").owner == "hive"


def test_the_token_of_a_signature_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tokens.FILE_VARIABLE, raising=False)
    assert find_token("") is None
    other = Token(b"0", b"0", "HDFS_DELEGATION_TOKEN", "")
    plain, signed = Token(b"1", b"1", tokens.KIND, ""), Token(b"2", b"2", tokens.KIND, "east")
    (tmp_path / "tokens").write_bytes(plain_file([other, signed, plain]))
    monkeypatch.setenv(tokens.FILE_VARIABLE, str(tmp_path / "tokens"))
    assert (find_token(""), find_token("east"), find_token("west")) == (plain, signed, None)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tokens.FILE_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(ConfigurationError, match="UNREADABLE_FILE"):
        find_token("")


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(Token(b"secret", b"secret", tokens.KIND, ""))
