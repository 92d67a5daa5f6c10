"""Options and printing of the commands that list something of a metastore."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED, add_metastore_option, find_uris
from hive_acid_ops.commands.metastore_access import open_metastore

if TYPE_CHECKING:
    from hive_acid.api.tables import Metastore
    from hive_acid_ops.listing import Listing


def add_scope(parser: argparse.ArgumentParser, what: str) -> None:
    """The argument by which less is listed."""
    parser.add_argument("scope", nargs="?", metavar="DATABASE[.TABLE]", help=f"only {what} of this database or table")


def show(parser: argparse.ArgumentParser, find: Callable[[Metastore, argparse.Namespace], Listing]) -> None:
    """The command prints what is found."""
    add_metastore_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on one line")
    parser.set_defaults(run=lambda chosen: _print(chosen, find))


def _print(chosen: argparse.Namespace, find: Callable[[Metastore, argparse.Namespace], Listing]) -> int:
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid_ops.listing import format_json, format_text

    try:
        with open_metastore(find_uris(chosen)) as metastore:
            listing = find(metastore, chosen)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(format_json(listing) if chosen.json else format_text(listing, width))
    return DONE
