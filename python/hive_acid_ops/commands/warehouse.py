"""The way of a command to a metastore and its storage: without Spark, unless the user asks for one."""

from __future__ import annotations

import argparse
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hive_acid.api.command_line import add_metastore_option, find_uris
from hive_acid_ops.commands.metastore_access import open_tables, quiet_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hive_acid.api.storage import FileSystem
    from hive_acid.api.tables import Metastore


def add_warehouse_options(parser: argparse.ArgumentParser) -> None:
    """`--metastore` and `--spark`."""
    add_metastore_option(parser)
    parser.add_argument(
        "--spark", action="store_true", help="start Spark to reach the storage; without this no JVM is started"
    )


@contextmanager
def open_warehouse(chosen: argparse.Namespace) -> Iterator[tuple[Metastore, FileSystem]]:
    """The metastore and its storage, as the options of `add_warehouse_options` have it."""
    uris = find_uris(chosen)
    if chosen.spark:
        with quiet_session(uris) as side:
            yield side.metastore, side.file_system
        return
    from hive_acid_ops.storage import open_storage

    with open_tables(uris, open_storage) as found:
        yield found
