"""Libraries that an installation may lack."""

from hive_acid.wings import needing

__all__ = ["needing"]
