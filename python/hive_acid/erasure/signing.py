"""The keys of erasures."""

from __future__ import annotations

from pathlib import Path

from hive_acid.wings import load_wing


def make_keys(folder: Path) -> tuple[Path, ...]:
    """Files of new keys in the folder, which is made: of the hashes, of the signature, and the public one of this.

    Raises FileExistsError if one is there already, HIVE_ACID_CONFIGURATION.EXTRA_MISSING without the wing.
    """
    signing = load_wing("hive_acid_erasure.certificate.signing", f"{__name__}.make_keys")
    made: tuple[Path, ...] = signing.make_keys(folder)
    return made
