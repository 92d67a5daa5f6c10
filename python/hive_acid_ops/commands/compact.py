"""`hive-acid compact`."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED, add_metastore_option, find_uris
from hive_acid_ops.commands.metastore_access import open_metastore
from hive_acid_ops.commands.shared import parse_table

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands


def add_command(commands: Commands) -> None:
    """`hive-acid compact`."""
    compact = commands.add_parser("compact", help="request a compaction; a worker runs it, such as `hive-acid worker`")
    compact.add_argument("table", type=parse_table, metavar="DATABASE.TABLE", help="the table")
    compact.add_argument("--partition", metavar="P=V", help="only partitions with this value; P=V/Q=W for several")
    kind = compact.add_mutually_exclusive_group()
    for name, help_ in (("major", "everything into one base (default)"), ("minor", "deltas into one delta")):
        kind.add_argument(f"--{name}", dest="kind", action="store_const", const=name, default="major", help=help_)
    compact.add_argument("--wait", action="store_true", help="return when it has ended")
    add_metastore_option(compact)
    compact.add_argument("--json", action="store_true", help="one JSON object on one line")
    compact.set_defaults(run=ask)


def ask(chosen: argparse.Namespace) -> int:
    """Put the requests into the queue, and print where each stands."""
    from hive_acid.api.compaction import load_services
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid.api.tables import TableName
    from hive_acid_ops.compaction_requests import request_compactions
    from hive_acid_ops.doctor.compactions import find_worker
    from hive_acid_ops.listing import format_json, format_text

    try:
        with open_metastore(find_uris(chosen)) as metastore:
            name = TableName(*chosen.table)
            listing = request_compactions(metastore, name, chosen.partition, chosen.kind, waits=chosen.wait)
            worker = find_worker(load_services(metastore), None)
    except HiveAcidError as error:
        print("\n".join([str(error), *getattr(error, "__notes__", ())]), file=sys.stderr)
        return FAILED
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(format_json(listing) if chosen.json else format_text(listing, width))
    if listing.rows and not (chosen.wait or chosen.json):
        print(f"a worker does it: {worker}")
    return DONE
