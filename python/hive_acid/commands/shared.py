"""Exit codes, arguments and the choice of the metastore, which commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from hive_acid.wings import is_there, load_wing

if TYPE_CHECKING:
    from collections.abc import Sequence

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where a command is added."""

DONE, NOT_RUNNING, FAILED, INTERRUPTED = 0, 1, 2, 130
FOUND = 1


def add_metastore_option(parser: argparse.ArgumentParser) -> None:
    """`--metastore`."""
    parser.add_argument(
        "--metastore",
        metavar="URI",
        help="thrift://host:port; default: that of hive-site.xml, else the one that `metastore start` left running",
    )


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """`--master` and `--conf`."""
    parser.add_argument("--master", default="local[*]", help="Spark's master (default: %(default)s)")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a Spark setting")


def parse_settings(given: Sequence[str]) -> dict[str, str]:
    """The Spark settings given by `--conf`. Raises HIVE_ACID_CONFIGURATION.NOT_A_PAIR for one without `=` or a key."""
    from hive_acid.errors import build_error

    for text in given:
        if "=" not in text or text.startswith("="):
            raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_PAIR", argument=text)
    return {text.partition("=")[0]: text.partition("=")[2] for text in given}


def find_uris(chosen: argparse.Namespace) -> str:
    """The given or configured address, else that of the embedded metastore that was left running.

    Raises HIVE_ACID_CONFIGURATION if there is none or it is no address, and HIVE_ACID_UNSUPPORTED_CONNECTION if
    hive-site.xml asks for a way to it that is not there.
    """
    from hive_acid.errors import build_error
    from hive_acid.hive_site import find_metastore_uris, read_settings
    from hive_acid.metastore.transports.endpoints import parse_uris
    from hive_acid.transport import read_transport

    read_transport(read_settings().get)
    uris: str | None = chosen.metastore or find_metastore_uris() or _find_left_running()
    if not uris:
        raise build_error("HIVE_ACID_CONFIGURATION.NO_METASTORE_ARGUMENT")
    parse_uris(uris)
    return uris


def _find_left_running() -> str | None:
    """The address of the embedded metastore that `hive-acid metastore start` has left running."""
    module = "hive_acid_local.detached"
    found: str | None = load_wing(module, "--metastore").find_left_running() if is_there(module) else None
    return found


def parse_count(text: str) -> int:
    """A number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number
