"""Exit codes, arguments and the choice of the metastore, which commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where a command is added."""

DONE, NOT_RUNNING, FAILED, INTERRUPTED = 0, 1, 2, 130
FOUND = 1


def add_metastore_option(parser: argparse.ArgumentParser) -> None:
    """`--metastore`."""
    parser.add_argument("--metastore", metavar="URI", help="thrift://host:port; that of hive-site.xml by default")


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """`--master` and `--conf`."""
    parser.add_argument("--master", default="local[*]", help="Spark's master (default: %(default)s)")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark's")


def parse_settings(given: Sequence[str]) -> dict[str, str]:
    """Spark's settings of `--conf`. Raises HIVE_ACID_CONFIGURATION.NOT_A_PAIR for one without `=` or a key."""
    from hive_acid.errors import build_error

    for text in given:
        if "=" not in text or text.startswith("="):
            raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_PAIR", argument=text)
    return {text.partition("=")[0]: text.partition("=")[2] for text in given}


def find_uris(chosen: argparse.Namespace) -> str:
    """The address that was given or configured.

    Raises HIVE_ACID_CONFIGURATION if there is none, and HIVE_ACID_UNSUPPORTED_CONNECTION if hive-site.xml asks for
    a way to it that is not there.
    """
    from hive_acid.errors import build_error
    from hive_acid.hive_site import find_metastore_uris, read_settings
    from hive_acid.transport import read_transport

    read_transport(read_settings().get)
    uris: str | None = chosen.metastore or find_metastore_uris()
    if not uris:
        raise build_error("HIVE_ACID_CONFIGURATION.NO_METASTORE_ARGUMENT")
    return uris


def parse_count(text: str) -> int:
    """A number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number
