"""`hive-acid abort`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hive_acid.api.command_line import parse_count
from hive_acid_ops.commands.shown import show

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands
    from hive_acid.api.tables import Metastore
    from hive_acid_ops.listing import Listing


def add_command(commands: Commands) -> None:
    """`hive-acid abort`."""
    abort = commands.add_parser(
        "abort", help="abort these open transactions; if one of them is not open, none is aborted"
    )
    abort.add_argument("ids", nargs="+", type=parse_count, metavar="N", help="the ID of a transaction")
    show(abort, _abort)


def _abort(metastore: Metastore, chosen: argparse.Namespace) -> Listing:
    from hive_acid_ops.metastore_lists import abort_listed

    return abort_listed(metastore, chosen.ids)
