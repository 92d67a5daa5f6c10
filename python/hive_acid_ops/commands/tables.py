"""`hive-acid tables`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hive_acid_ops.commands.shown import show

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands
    from hive_acid.api.tables import Metastore
    from hive_acid_ops.listing import Listing


def add_command(commands: Commands) -> None:
    """`hive-acid tables`."""
    tables = commands.add_parser("tables", help="list the transactional tables of a metastore")
    tables.add_argument("database", nargs="?", metavar="DATABASE", help="only tables of this database")
    show(tables, _find)


def _find(metastore: Metastore, chosen: argparse.Namespace) -> Listing:
    from hive_acid_ops.metastore_lists import list_tables

    return list_tables(metastore, chosen.database)
