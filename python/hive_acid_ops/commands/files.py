"""`hive-acid files`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED
from hive_acid_ops.commands.shared import parse_table
from hive_acid_ops.commands.warehouse import add_warehouse_options, open_warehouse

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands


def add_command(commands: Commands) -> None:
    """`hive-acid files`."""
    files = commands.add_parser(
        "files", help="show the folders of a table, what a compaction would merge, and what the Cleaner waits for"
    )
    files.add_argument("table", type=parse_table, metavar="DATABASE.TABLE", help="the table")
    files.add_argument("--partition", metavar="P=V", help="only partitions with this value; P=V/Q=W for several")
    files.add_argument(
        "--html", type=Path, metavar="FILE", help="write an HTML page there with a picture of each partition"
    )
    add_warehouse_options(files)
    files.add_argument("--json", action="store_true", help="one JSON object on one line")
    files.set_defaults(run=show_files)


def show_files(chosen: argparse.Namespace) -> int:
    """Print the folders, or write them into a page."""
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid.api.tables import TableName
    from hive_acid_ops.files.loading import load_files
    from hive_acid_ops.files.picture import build_page
    from hive_acid_ops.files.text import format_json, format_text

    try:
        with open_warehouse(chosen) as (metastore, file_system):
            found = load_files(metastore, file_system, TableName(*chosen.table), chosen.partition)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    if chosen.html:
        chosen.html.write_text(build_page(found), "utf-8")
        print(f"written: {chosen.html}", file=sys.stderr)
    if chosen.json or not chosen.html:
        print((format_json if chosen.json else format_text)(found))
    return DONE
