"""`hive-acid locks`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hive_acid_ops.commands.shown import add_scope, show

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands
    from hive_acid.api.tables import Metastore
    from hive_acid_ops.listing import Listing


def add_command(commands: Commands) -> None:
    """`hive-acid locks`."""
    locks = commands.add_parser("locks", help="show held and waiting locks, and what blocks the waiting ones")
    add_scope(locks, "locks")
    show(locks, _find)


def _find(metastore: Metastore, chosen: argparse.Namespace) -> Listing:
    from hive_acid_ops.metastore_lists import list_locks

    return list_locks(metastore, chosen.scope)
