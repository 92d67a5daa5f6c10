"""The files of a certificate: its JSON, and the page beside it. None of them replaces another file of the call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hive_acid.api.conditions import build_error
from hive_acid_erasure.certificate.certificate import Certificate, read_certificate, sign_certificate
from hive_acid_erasure.certificate.page import format_page
from hive_acid_erasure.certificate.signing import Signer


def refuse_same_files(certificate: Path, **others: Path | None) -> None:
    """Raises HIVE_ACID_ERASURE.SAME_FILE if one file would be two of the certificate, its page and the others.

    The names of these tell what they are; None is none.
    """
    files = {"certificate": certificate, "certificate's page": find_page(certificate), **others}
    seen: dict[Path, str] = {}
    for name, path in files.items():
        if path is not None and (first := seen.setdefault(path.resolve(), name)) != name:
            given = {"first": first.replace("_", " "), "second": name.replace("_", " ")}
            raise build_error("HIVE_ACID_ERASURE.SAME_FILE", path=path, **given)


def find_page(certificate: Path) -> Path:
    """Where the page of a certificate is: beside it, with the ending .html."""
    return certificate.with_suffix(".html")


def write_certificate(payload: Mapping[str, Any], signer: Signer, path: Path) -> Certificate:
    """Writes the certificate, and its page; each whole or not at all. No page of an earlier one stands beside it."""
    content = sign_certificate(payload, signer)
    certificate = read_certificate(content, path, signer.public_hex)
    page = format_page(certificate, content).encode()
    find_page(path).unlink(missing_ok=True)
    _replace(path, content)
    _replace(find_page(path), page)
    return certificate


def _replace(path: Path, content: bytes) -> None:
    hidden = path.with_name(f".{path.name}.{os.getpid()}")
    with hidden.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    hidden.replace(path)
