"""Keys, and the signature of a certificate."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from hive_acid.api.conditions import build_error
from hive_acid_erasure.subjects.keyed_hash import KEY_BYTES

ALGORITHM = "Ed25519"
HASH_KEY_FILE, SIGNING_KEY_FILE, PUBLIC_KEY_FILE = "hash.key", "signing.key", "signing.pub"


@dataclass(frozen=True)
class Signer:
    """A private key; it is shown nowhere."""

    private: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> Signer:
        """The key of a PEM file. Raises HIVE_ACID_ERASURE.SIGNING_KEY for another form, OSError."""
        try:
            found = load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError):
            found = None
        if not isinstance(found, Ed25519PrivateKey):
            raise build_error("HIVE_ACID_ERASURE.SIGNING_KEY", path=path, kind="private")
        return cls(found)

    @property
    def public_hex(self) -> str:
        """The public key, 32 bytes in hexadecimal."""
        return self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, content: bytes) -> str:
        """The signature in hexadecimal."""
        return self.private.sign(content).hex()


def read_public_hex(path: Path) -> str:
    """The public key of a PEM file. Raises HIVE_ACID_ERASURE.SIGNING_KEY for another form, OSError."""
    try:
        found = load_pem_public_key(path.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, Ed25519PublicKey):
        raise build_error("HIVE_ACID_ERASURE.SIGNING_KEY", path=path, kind="public")
    return found.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def is_signed(content: bytes, public_hex: str, value_hex: str) -> bool:
    """True if the owner of the public key signed the content. False also for texts that are no key or signature."""
    try:
        public, value = bytes.fromhex(public_hex), bytes.fromhex(value_hex)
        if public.hex() != public_hex or value.hex() != value_hex:
            return False
        Ed25519PublicKey.from_public_bytes(public).verify(value, content)
    except (ValueError, InvalidSignature):
        return False
    return True


def make_keys(folder: Path) -> tuple[Path, ...]:
    """New keys in the folder, which is made: of the hashes, and of the signature. Only the owner may read private ones.

    Raises FileExistsError if there is one already: nothing is replaced, for without its key no certificate is checked.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    private = Ed25519PrivateKey.generate()
    contents = {
        HASH_KEY_FILE: (secrets.token_hex(KEY_BYTES).encode() + b"\n", 0o600),
        SIGNING_KEY_FILE: (private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600),
        PUBLIC_KEY_FILE: (private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), 0o644),
    }
    paths = tuple(folder / name for name in contents)
    for path in paths:
        if path.exists():
            raise FileExistsError(f"{path} exists; keys are not replaced")
    for path, (content, mode) in zip(paths, contents.values(), strict=True):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    return paths
