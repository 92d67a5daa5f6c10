"""The certificate: what was done and found, signed, in one spelling."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive_acid.api.conditions import build_error
from hive_acid.api.tables import TableName
from hive_acid_erasure.canonical import format_canonical
from hive_acid_erasure.certificate.certificate_schema import PAYLOAD, find_misfit
from hive_acid_erasure.certificate.signing import ALGORITHM, Signer, is_signed
from hive_acid_erasure.engine import Key, KeyedHashes, Matcher
from hive_acid_erasure.plain_line import to_plain_line
from hive_acid_erasure.plan.key_types import read_types

FORMAT = "hive-acid erasure certificate 1"


@dataclass(frozen=True)
class Certificate:
    """A certificate whose signature was checked: the payload, and the public key it was signed by.

    `is_signer_known`: it was told whose key that must be. Anybody can sign a certificate with a key of their own.
    """

    payload: Mapping[str, Any]
    public_hex: str
    is_signer_known: bool = False

    @property
    def is_erased(self) -> bool:
        """True if the verdict is that nothing is left."""
        return bool(self.payload["verdict"]["state"] == "erased")

    @property
    def subject_columns(self) -> tuple[str, ...]:
        """The columns of the list of subjects."""
        return tuple(self.payload["plan"].get("subject_columns", ()))

    def matchers(self) -> Iterator[tuple[Matcher, str, tuple[str, ...]]]:
        """For each table what to search it for, its identity, and its locations."""
        for table in self.payload["tables"]:
            database, _, name = table["table"].partition(".")
            keys = tuple(
                KeyedHashes(Key(tuple(key["parts"])), frozenset(map(bytes.fromhex, key["hashes"])), read_types(key))
                for key in table["keys"]
            )
            yield Matcher(TableName(database, name), keys), table["identity"], tuple(table["locations"])


def sign_certificate(payload: Mapping[str, Any], signer: Signer) -> bytes:
    """The bytes of the file."""
    signature = {
        "algorithm": ALGORITHM,
        "public_key": signer.public_hex,
        "value": signer.sign(format_canonical(payload)),
    }
    return format_canonical({"payload": payload, "signature": signature}) + b"\n"


def read_certificate(content: bytes, path: Path | str, public_hex: str | None = None) -> Certificate:
    """The certificate, if nobody has changed it.

    `public_hex` is the key that must have signed it; None leaves open whose key it is. Raises HIVE_ACID_ERASURE with
    CERTIFICATE_FORM, CERTIFICATE_SIGNATURE, CERTIFICATE_SIGNER, CERTIFICATE_FORMAT, CERTIFICATE_FIELD or
    CERTIFICATE_VERDICT.
    """
    found = _parse(content)
    if found is None:
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_FORM", path=path)
    payload, signature = found
    signed = format_canonical(payload)
    if signature["algorithm"] != ALGORITHM or not is_signed(signed, signature["public_key"], signature["value"]):
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_SIGNATURE", path=path)
    if public_hex is not None and signature["public_key"] != public_hex:
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_SIGNER", path=path, key=signature["public_key"])
    _check_schema(payload, path)
    return Certificate(payload, signature["public_key"], public_hex is not None)


def _parse(content: bytes) -> tuple[dict[str, Any], dict[str, str]] | None:
    """Payload and signature; None for anything but the canonical form, in which each byte counts."""
    try:
        found = json.loads(content.decode())
        is_canonical = format_canonical(found) + b"\n" == content
    except (ValueError, RecursionError):
        return None
    if not is_canonical or not isinstance(found, dict) or set(found) != {"payload", "signature"}:
        return None
    payload, signature = found["payload"], found["signature"]
    if not isinstance(signature, dict) or set(signature) != {"algorithm", "public_key", "value"}:
        return None
    is_whole = isinstance(payload, dict) and all(isinstance(value, str) for value in signature.values())
    return (payload, signature) if is_whole else None


def _check_schema(payload: Mapping[str, Any], path: Path | str) -> None:
    """Raises if something is missing or of another form, or if the verdict does not fit."""
    if payload.get("format") != FORMAT and isinstance(payload.get("format"), str):
        raise build_error(
            "HIVE_ACID_ERASURE.CERTIFICATE_FORMAT", path=path, format=to_plain_line(payload["format"]), known=FORMAT
        )
    if misfit := find_misfit(payload, PAYLOAD, "", "payload"):
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_FIELD", path=path, place=misfit[0], name=misfit[1])
    has_places = payload["verdict"]["missing"] or any(table["places"] for table in payload["tables"])
    if payload["verdict"]["state"] != ("pending" if has_places else "erased"):
        raise build_error("HIVE_ACID_ERASURE.CERTIFICATE_VERDICT", path=path)
