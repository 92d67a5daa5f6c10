"""The place of a user's own metastore."""

from __future__ import annotations

import os
from pathlib import Path


def default_folder() -> Path:
    """Where the metastore of this user lies when no folder is given."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home).absolute() / "spark-hive-acid" / "metastore"
