"""`hive-acid doctor`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from hive_acid.api.clocks import wall_clock_ms
from hive_acid.api.command_line import DONE, FAILED, FOUND, find_uris, parse_count
from hive_acid_ops.commands.metastore_access import quiet_session
from hive_acid_ops.commands.shared import parse_table
from hive_acid_ops.commands.warehouse import add_warehouse_options, open_warehouse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hive_acid.api.command_line import Commands


def add_command(commands: Commands) -> None:
    """`hive-acid doctor`."""
    doctor = commands.add_parser(
        "doctor", help="find what harms transactional tables and their metastore, and how to fix it"
    )
    doctor.add_argument(
        "table", type=parse_table, nargs="?", metavar="DATABASE.TABLE", help="default: all transactional tables"
    )
    doctor.add_argument(
        "--fix", action="store_true", help="remove what ended transactions left; without it nothing changes"
    )
    doctor.add_argument(
        "--dry-run", action="store_true", help="with --fix: show what would be removed, and remove nothing"
    )
    doctor.add_argument(
        "--set-aside",
        type=parse_count,
        metavar="WRITE_ID",
        help="take back this committed write ID of the table; without --yes only show what would be lost; starts "
        "Spark, which moves the folders under a lock",
    )
    doctor.add_argument("--yes", action="store_true", help="with --set-aside: do it")
    add_warehouse_options(doctor)
    doctor.add_argument("--json", action="store_true", help="one JSON object on one line")
    doctor.set_defaults(run=lambda chosen: _run(doctor, chosen))


def _run(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    if chosen.set_aside is None:
        if chosen.yes:
            parser.error("--yes belongs to --set-aside")
        return show_findings(chosen)
    if chosen.table is None or chosen.fix:
        parser.error("--set-aside needs a DATABASE.TABLE, and goes without --fix")
    return set_aside(chosen)


def set_aside(chosen: argparse.Namespace) -> int:
    """Print what is lost with a write ID, and set it aside if that was confirmed; 1 if it was not."""
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid.api.tables import TableName
    from hive_acid_ops.set_aside.set_aside_report import format_json, format_text
    from hive_acid_ops.set_aside.setting_aside import SettingAside

    name = TableName(*chosen.table)
    try:
        with quiet_session(find_uris(chosen)) as side:
            setting_aside = SettingAside(side.warehouse, side.notes, side.settings)
            found = setting_aside.foresee(name, chosen.set_aside)
            if not chosen.json:
                print(format_text(found, chosen.yes), flush=True)
            if chosen.yes:
                found = setting_aside.run(name, chosen.set_aside)
            if chosen.json:
                print(format_json(found))
            elif found.is_done:
                print(format_text(found))
    except HiveAcidError as error:
        print("\n".join([str(error), *getattr(error, "__notes__", ())]), file=sys.stderr)
        return FAILED
    return DONE if found.is_done else FOUND


def show_findings(chosen: argparse.Namespace) -> int:
    """Print what was found, and remove what is safe to remove if asked to; 1 if a fault is left."""
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid.api.tables import TableName
    from hive_acid_ops.doctor.findings import Doctor, treat
    from hive_acid_ops.doctor.report import format_json, format_line
    from hive_acid_ops.progress import followed

    def follow(names: Sequence[TableName]) -> Iterator[TableName]:
        return followed(names, "looking at tables")

    treatments = []
    try:
        with open_warehouse(chosen) as (metastore, file_system):
            doctor = Doctor(metastore, file_system, wall_clock_ms, follow)
            for finding in doctor.examine(TableName(*chosen.table) if chosen.table else None):
                treatments.append(treat(file_system, finding, chosen.dry_run or not chosen.fix))
                if not chosen.json:
                    print(format_line(treatments[-1], would_fix=chosen.fix and chosen.dry_run), flush=True)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    if chosen.json:
        print(format_json(treatments))
    elif not treatments:
        print(f"{'.'.join(chosen.table) if chosen.table else 'all'} is well: nothing found")
    return FOUND if any(treatment.is_left for treatment in treatments) else DONE
