"""Where the jars of the shim lie."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SHIM_JARS: Final = Path(__file__).parent / "jars"
"""A folder `spark-X.Y` for each line of Spark that this installation has a jar of."""
