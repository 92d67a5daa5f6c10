"""`hive-acid describe`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED
from hive_acid_ops.commands.shared import parse_table
from hive_acid_ops.commands.warehouse import add_warehouse_options, open_warehouse

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands


def add_command(commands: Commands) -> None:
    """`hive-acid describe`."""
    describe = commands.add_parser("describe", help="show what a table is, and how many rows, files and bytes it has")
    describe.add_argument("table", type=parse_table, metavar="DATABASE.TABLE", help="the table")
    add_warehouse_options(describe)
    describe.add_argument("--json", action="store_true", help="one JSON object on one line")
    describe.set_defaults(run=describe_table)


def describe_table(chosen: argparse.Namespace) -> int:
    """Print what a reader finds the table to be now."""
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid.api.tables import TableName
    from hive_acid_ops.looks.table import EVERY_PARTITION, format_json, format_text, look_at

    try:
        with open_warehouse(chosen) as (metastore, file_system):
            look = look_at(metastore, file_system, TableName(*chosen.table), EVERY_PARTITION)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print(format_json(look) if chosen.json else format_text(look))
    return DONE
