"""`hive-acid settings`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED, add_metastore_option, find_uris

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hive_acid.api.command_line import Commands


FORMATS = ("defaults", "arguments", "dbt")


def add_command(commands: Commands) -> None:
    """`hive-acid settings`."""
    settings = commands.add_parser(
        "settings",
        help="print the settings with which `spark-sql`, `spark-shell`, the Thrift server, Spark Connect, Scala jobs "
        "and dbt use transactional tables",
    )
    add_metastore_option(settings)
    settings.add_argument(
        "--format",
        choices=FORMATS,
        default="defaults",
        help="lines of `spark-defaults.conf`, arguments for a command line, or YAML for dbt (default: %(default)s)",
    )
    settings.set_defaults(run=print_settings)


def print_settings(chosen: argparse.Namespace) -> int:
    """Ask the metastore what it serves, and print the settings for it and for the PySpark that is installed here."""
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid.api.sessions import find_program_settings, format_arguments

    try:
        settings = find_program_settings(find_uris(chosen))
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    write = {"defaults": format_defaults, "arguments": format_arguments, "dbt": format_dbt}
    print(write[chosen.format](settings))
    return DONE


def format_defaults(settings: Mapping[str, str]) -> str:
    """Lines of spark-defaults.conf, which is a file of Java's properties."""
    return "\n".join(f"{key} {value.replace(chr(92), chr(92) * 2)}" for key, value in settings.items())


def format_dbt(settings: Mapping[str, str]) -> str:
    """YAML for a project of dbt: what goes into its profile, and the package of macros for `packages.yml`."""
    from hive_acid.api.sessions import DBT_PACKAGE

    parameters = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in settings.items()]
    package = json.dumps(str(DBT_PACKAGE), ensure_ascii=False)
    return "\n".join(["server_side_parameters:", *parameters, "packages:", f"  - local: {package}"])
