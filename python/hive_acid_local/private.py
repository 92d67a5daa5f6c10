"""Files that are their owner's alone, also in a folder that others may enter."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_OWNERS_ALONE: Final = 0o600


def make_private(path: Path) -> Path:
    """The file, which is made if it is missing, and which nobody but its owner may read or write."""
    path.touch(mode=_OWNERS_ALONE)
    path.chmod(_OWNERS_ALONE)
    return path
