"""`hive-acid txn status`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED, add_metastore_option, find_uris
from hive_acid_ops.commands.metastore_access import open_metastore

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands

ABORTED, OPEN, NOT_KNOWN = 3, 4, 5


def add_command(commands: Commands) -> None:
    """`hive-acid txn status`."""
    transaction = commands.add_parser("txn", help="transactions of a metastore")
    actions = transaction.add_subparsers(title="actions", required=True, metavar="ACTION")
    status = actions.add_parser("status", help="show whether a transaction is committed, aborted or still open")
    status.add_argument("id", type=parse_transaction_id, metavar="N", help="the transaction's ID")
    add_metastore_option(status)
    status.add_argument("--json", action="store_true", help="one JSON object on one line")
    status.set_defaults(run=show_transaction)


def show_transaction(chosen: argparse.Namespace) -> int:
    """Print what became of a transaction; the exit code tells as well."""
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid_ops.transaction_status import find_status, format_json, format_text

    try:
        with open_metastore(find_uris(chosen)) as metastore:
            status = find_status(metastore, chosen.id)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print(format_json(status) if chosen.json else format_text(status))
    codes = {"committed": DONE, "aborted": ABORTED, "open": OPEN}
    return codes[status.state.value] if status.state else NOT_KNOWN


def parse_transaction_id(text: str) -> int:
    """A number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is no transaction ID")
    return number
