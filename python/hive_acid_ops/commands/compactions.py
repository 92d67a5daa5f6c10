"""`hive-acid compactions`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hive_acid_ops.commands.shown import add_scope, show

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands
    from hive_acid.api.tables import Metastore
    from hive_acid_ops.listing import Listing


def add_command(commands: Commands) -> None:
    """`hive-acid compactions`."""
    compactions = commands.add_parser(
        "compactions", help="show the queue of compactions, and those that ended recently"
    )
    add_scope(compactions, "compactions")
    show(compactions, _find)


def _find(metastore: Metastore, chosen: argparse.Namespace) -> Listing:
    from hive_acid_ops.metastore_lists import list_compactions

    return list_compactions(metastore, chosen.scope)
