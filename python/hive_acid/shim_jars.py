"""Where the jars of the shim lie."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SHIM_JARS: Final = Path(__file__).parent / "jars"
"""The folder with a subfolder `spark-X.Y` for each line of Spark for which this installation has a jar."""
