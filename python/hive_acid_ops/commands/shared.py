"""Arguments that commands of operators share."""

from __future__ import annotations

import argparse


def parse_table(text: str) -> tuple[str, str]:
    """The database and table of an argument, in lower case."""
    database, _, table = text.lower().partition(".")
    if not (database and table) or "." in table:
        raise argparse.ArgumentTypeError(f"{text} is no DATABASE.TABLE")
    return database, table
