"""Passwords and delegation tokens."""

from __future__ import annotations

import base64

import pytest

from hive_acid.metastore.transports.security import LoginFailed
from hive_acid_login.mechanisms import (
    DigestMechanism,
    DigestQuestion,
    PlainMechanism,
    TokenLogin,
    compute_response,
)
from hive_acid_login.tokens import Token

TOKEN = Token(b"\0\x05alice\x04hive\0", b"secret", "HIVE_DELEGATION_TOKEN", "")
CHALLENGE = b'realm="default",nonce="OA6MG9tEQGm2hh",qop="auth,auth-int",charset=utf-8,algorithm=md5-sess'


def digest() -> DigestMechanism:
    return DigestMechanism(TOKEN, lambda: "OA6MHXh6VqTrRk")


def fields(answer: bytes) -> dict[str, str]:
    pairs = (part.partition("=") for part in answer.decode().split(","))
    return {name: value.strip('"') for name, _, value in pairs}


def test_the_example_of_the_standard_comes_out() -> None:
    """RFC 2831, section 4."""
    host = b"elwood.innosoft.com"
    asked = DigestQuestion(host, b"OA6MG9tEQGm2hh", b"OA6MHXh6VqTrRk", b"imap/" + host)
    assert compute_response(b"AUTHENTICATE", b"chris", b"secret", asked) == b"d388dad90d4bbd760a152321f2143af7"
    assert compute_response(b"", b"chris", b"secret", asked) == b"ea40f60335c427b5527b84dbabcdfffd"


def test_a_token_answers_for_its_owner() -> None:
    mechanism = digest()
    assert (mechanism.name, mechanism.start(), mechanism.is_complete) == ("DIGEST-MD5", b"", False)
    said = fields(mechanism.step(CHALLENGE))
    assert base64.b64decode(said["username"] + "==") == TOKEN.identifier
    assert (said["realm"], said["nonce"], said["qop"]) == ("default", "OA6MG9tEQGm2hh", "auth")
    assert said["digest-uri"] == "null/default"
    assert not mechanism.is_complete
    name, word = base64.b64encode(TOKEN.identifier), base64.b64encode(TOKEN.password)
    asked = DigestQuestion(b"default", b"OA6MG9tEQGm2hh", b"OA6MHXh6VqTrRk", b"null/default")
    assert mechanism.step(b"rspauth=" + compute_response(b"", name, word, asked)) == b""
    assert mechanism.is_complete
    assert TokenLogin(TOKEN).user == "alice"


@pytest.mark.parametrize("proof", [b"rspauth=0123456789abcdef0123456789abcdef", b"", b"realm=x"])
def test_a_server_that_does_not_know_the_tokens_password_is_not_believed(proof: bytes) -> None:
    mechanism = digest()
    mechanism.step(CHALLENGE)
    with pytest.raises(LoginFailed) as caught:
        mechanism.step(proof)
    assert caught.value.condition == "HIVE_ACID_METASTORE_LOGIN.TOKEN_UNKNOWN"
    assert not mechanism.is_complete


@pytest.mark.parametrize("challenge", [b'nonce="x",qop="auth-conf"', b'qop="auth"'])
def test_a_protection_that_a_token_does_not_give_is_refused(challenge: bytes) -> None:
    with pytest.raises(LoginFailed) as caught:
        digest().step(challenge)
    assert caught.value.condition == "HIVE_ACID_METASTORE_LOGIN.PROTECTION"


def test_a_password_is_told_in_the_first_message() -> None:
    mechanism = PlainMechanism("carol", "pässword")
    assert (mechanism.start(), mechanism.is_complete, mechanism.wraps) == (b"\0carol\0p\xc3\xa4ssword", True, False)


@pytest.mark.parametrize(
    ("mechanism", "reason", "sub"),
    [
        (PlainMechanism("carol", "x"), "Error validating the login", "PASSWORD_REFUSED"),
        (PlainMechanism("carol", "x"), "Unsupported mechanism type PLAIN", "MECHANISM_REFUSED"),
        (digest(), "DIGEST-MD5: IO error acquiring password", "TOKEN_UNKNOWN"),
        (digest(), "Unsupported mechanism type DIGEST-MD5", "MECHANISM_REFUSED"),
    ],
)
def test_a_refusal_has_a_name(mechanism: PlainMechanism | DigestMechanism, reason: str, sub: str) -> None:
    assert mechanism.explain(reason).condition == f"HIVE_ACID_METASTORE_LOGIN.{sub}"
