"""`hive-acid history`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED, parse_count
from hive_acid_ops.commands.shared import parse_table
from hive_acid_ops.commands.warehouse import add_warehouse_options, open_warehouse

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands


def add_command(commands: Commands) -> None:
    """`hive-acid history`."""
    history = commands.add_parser("history", help="show who wrote what into a table, newest first")
    history.add_argument("table", type=parse_table, metavar="DATABASE.TABLE", help="the table")
    history.add_argument("--limit", type=parse_count, metavar="N", help="the newest N entries; all by default")
    add_warehouse_options(history)
    history.add_argument("--json", action="store_true", help="one JSON object on one line")
    history.set_defaults(run=show_history)


def show_history(chosen: argparse.Namespace) -> int:
    """Print who wrote what into a table."""
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid.api.tables import TableName
    from hive_acid_ops.history.reader import load_history
    from hive_acid_ops.history.report import format_json, format_text

    try:
        with open_warehouse(chosen) as (metastore, file_system):
            entries = load_history(metastore, file_system, TableName(*chosen.table), chosen.limit)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print((format_json if chosen.json else format_text)(entries))
    return DONE
