"""The command `hive-acid`.

Exit codes: 0 done, or running, or committed; 1 not running, or results differ, or something was found; 2 it failed or
was called wrongly, with the reason on standard error; of `txn status` also 3 aborted, 4 open, 5 cannot be told; of
`erase` and `verify` 1 it failed, 2 it was called wrongly, 3 something is left, 4 nothing is left and the signer of the
certificate was not checked; 130 it was interrupted.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence

from hive_acid import __version__
from hive_acid.commands.shared import FAILED, Commands
from hive_acid.wings import find_extra, is_there, load_wing, needing

COMMANDS = {
    "metastore": "hive_acid_local.command",
    "settings": "hive_acid_ops.commands.settings",
    "txn": "hive_acid_ops.commands.txn",
    "tables": "hive_acid_ops.commands.tables",
    "txns": "hive_acid_ops.commands.txns",
    "locks": "hive_acid_ops.commands.locks",
    "compactions": "hive_acid_ops.commands.compactions",
    "abort": "hive_acid_ops.commands.abort",
    "files": "hive_acid_ops.commands.files",
    "describe": "hive_acid_ops.commands.describe",
    "compact": "hive_acid_ops.commands.compact",
    "doctor": "hive_acid_ops.commands.doctor",
    "history": "hive_acid_ops.commands.history",
    "erase": "hive_acid_erasure.commands.erase",
    "verify": "hive_acid_erasure.commands.verify",
    "initiator": "hive_acid_ops.commands.initiator",
    "worker": "hive_acid_ops.commands.worker",
    "demo": "hive_acid_examples.command",
    "sqltest": "hive_acid_sqltest.command",
}
"""The module of a wing that adds each command, in the order of the help."""


def add_command(name: str, module: str, commands: Commands) -> None:
    """Adds the command that this module of a wing has. Without the wing there is one of its name, which tells it."""
    if is_there(module):
        load_wing(module, name).add_command(commands)
        return
    # no prefix of options: whatever follows belongs to the command that is not there
    absent = commands.add_parser(name, help="not installed here", add_help=False, prefix_chars="\0")
    absent.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    absent.set_defaults(run=lambda _: load_wing(module, f"hive-acid {name}"))


def build_parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    parser = argparse.ArgumentParser(prog="hive-acid", description="Hive ACID DML for Spark SQL")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    for name, module in COMMANDS.items():
        add_command(name, module, commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code. An error that nobody foresaw shows its stack trace and is a failure too."""
    chosen = build_parser().parse_args(arguments)
    try:
        with needing(find_extra(COMMANDS[chosen.command]), f"hive-acid {chosen.command}"):
            code: int = chosen.run(chosen)
    except Exception as error:  # noqa: BLE001 (Python would end with 1, which tells of a finding)
        if _is_told(error):
            print(error, file=sys.stderr)
        else:
            traceback.print_exc()
        return getattr(chosen, "failed", FAILED)
    return code


def _is_told(error: Exception) -> bool:
    """True if the text of the error is enough: it is the system's, one of ours, or Spark's."""
    if isinstance(error, OSError):
        return True
    from pyspark.errors import PySparkException

    return isinstance(error, PySparkException)


if __name__ == "__main__":
    sys.exit(main())
