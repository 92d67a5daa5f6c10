"""`hive-acid txns`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hive_acid_ops.commands.shown import show

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands
    from hive_acid.api.tables import Metastore
    from hive_acid_ops.listing import Listing


def add_command(commands: Commands) -> None:
    """`hive-acid txns`."""
    show(commands.add_parser("txns", help="list open transactions, and aborted ones that are not cleaned yet"), _find)


def _find(metastore: Metastore, _: argparse.Namespace) -> Listing:
    from hive_acid_ops.metastore_lists import list_transactions

    return list_transactions(metastore)
