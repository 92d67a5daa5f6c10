"""How far long work is, shown on a terminal. Importing this imports rich."""

from hive_acid.commands.progress import followed, told, watched

__all__ = [
    "followed",
    "told",
    "watched",
]
