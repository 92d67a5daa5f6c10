"""`hive-acid demo`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands


def add_command(commands: Commands) -> None:
    """`hive-acid demo`."""
    demo = commands.add_parser("demo", help="a guided tour: a real metastore, real data, every count checked")
    demo.set_defaults(run=show_demo)


def show_demo(chosen: argparse.Namespace) -> int:
    """Run the guided tour; its exit codes are its own."""
    from hive_acid_examples.run import run_demo

    return run_demo()
