"""`hive-acid settings`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from hive_acid.commands.shared import DONE, FAILED, add_metastore_option, find_uris

if TYPE_CHECKING:
    from hive_acid.commands.shared import Commands


FORMATS = ("defaults", "arguments", "dbt")


def add_settings_command(commands: Commands) -> None:
    """`hive-acid settings`."""
    settings = commands.add_parser(
        "settings",
        help="print the settings by which `spark-sql`, `spark-shell`, the Thrift server, Spark Connect and jobs of "
        "Scala know transactional tables, and dbt",
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
    from hive_acid.errors import HiveAcidError
    from hive_acid.session import setup_settings
    from hive_acid.session.early_settings import read_spark_defaults

    try:
        uris = find_uris(chosen)
        known = read_spark_defaults()
        transport = setup_settings.read_known_transport(known)
        if transport.needs_jvm:
            known = setup_settings.start_jvm(known)
        server = setup_settings.ask_server(uris, known, transport)
        found = setup_settings.find_setup_settings(uris, server, known, transport)
        settings = found | setup_settings.find_sidecar_settings(known)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    write = {
        "defaults": setup_settings.format_defaults,
        "arguments": setup_settings.format_arguments,
        "dbt": setup_settings.format_dbt,
    }
    print(write[chosen.format](settings))
    return DONE
