"""`hive-acid demo` and `hive-acid sqltest`."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from hive_acid.commands.shared import FAILED, INTERRUPTED
from hive_acid.testing.command import add_arguments

if TYPE_CHECKING:
    from hive_acid.commands.shared import Commands


def add_demo_command(commands: Commands) -> None:
    """`hive-acid demo`."""
    demo = commands.add_parser("demo", help="a guided tour: a real metastore, real data, every count checked")
    demo.set_defaults(run=show_demo)


def add_sqltest_command(commands: Commands) -> None:
    """`hive-acid sqltest run|update|new`."""
    sqltest = commands.add_parser("sqltest", help="SQL files and the results they must have: run, update, new")
    add_arguments(sqltest)
    sqltest.set_defaults(run=run_sqltest)


def show_demo(chosen: argparse.Namespace) -> int:
    """Run the guided tour; its exit codes are its own."""
    from hive_acid.demo.run import run_demo

    return run_demo()


def run_sqltest(chosen: argparse.Namespace) -> int:
    """Run or record a suite of golden files."""
    from hive_acid.errors import HiveAcidError
    from hive_acid.testing import SuiteError
    from hive_acid.testing.command import run_command

    try:
        return run_command(chosen, partial(print, flush=True))  # a line as soon as its file is done
    except (SuiteError, HiveAcidError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
