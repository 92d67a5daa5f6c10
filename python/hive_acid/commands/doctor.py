"""`hive-acid doctor`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from hive_acid.commands.shared import DONE, FAILED, FOUND, add_metastore_option, find_uris, parse_table

if TYPE_CHECKING:
    from hive_acid.commands.shared import Commands


def add_doctor_command(commands: Commands) -> None:
    """`hive-acid doctor`."""
    doctor = commands.add_parser("doctor", help="what dead processes have left in a table, and its removal")
    doctor.add_argument("table", type=parse_table, metavar="DATABASE.TABLE")
    doctor.add_argument("--fix", action="store_true", help="remove what was found; without it nothing is changed")
    add_metastore_option(doctor)
    doctor.add_argument("--json", action="store_true", help="one JSON object on one line")
    doctor.set_defaults(run=show_findings)


def show_findings(chosen: argparse.Namespace) -> int:
    """Print what was found in a table, and remove it if asked to; 1 if something is left there."""
    from hive_acid.errors import HiveAcidError
    from hive_acid.inspect.doctor import examine, format_json, format_text, repair
    from hive_acid.model.table import TableName
    from hive_acid.spark.storage_session import storage_session

    try:
        with storage_session(find_uris(chosen)) as (metastore, file_system):
            findings = examine(metastore, file_system, TableName(*chosen.table))
            if chosen.fix:
                repair(file_system, findings)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print((format_json if chosen.json else format_text)(findings, chosen.fix))
    return FOUND if findings and not chosen.fix else DONE
