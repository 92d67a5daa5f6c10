"""The keys of erasures."""

from __future__ import annotations

from pathlib import Path

from hive_acid.wings import load_wing


def make_keys(folder: Path) -> tuple[Path, ...]:
    """Creates the folder and new keys in it, and returns their files.

    The first file has the hash key, the second one the private key that signs certificates, and the third one its
    public key. Raises FileExistsError if one of them already exists, and HIVE_ACID_CONFIGURATION.EXTRA_MISSING if the
    extra `[erasure]` is not installed.
    """
    signing = load_wing("hive_acid_erasure.certificate.signing", f"{__name__}.make_keys")
    made: tuple[Path, ...] = signing.make_keys(folder)
    return made
