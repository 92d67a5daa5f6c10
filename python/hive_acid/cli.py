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
from collections.abc import Callable, Sequence

from hive_acid import __version__
from hive_acid.commands.settings import add_settings_command
from hive_acid.commands.shared import FAILED, Commands
from hive_acid.commands.transactions import add_transaction_command
from hive_acid.wings import is_there, load_wing, needing

EXTRAS = {
    "metastore": "local",
    "tables": "ops",
    "txns": "ops",
    "locks": "ops",
    "compactions": "ops",
    "abort": "ops",
    "doctor": "ops",
    "history": "ops",
    "erase": "erasure",
    "verify": "erasure",
    "initiator": "ops",
    "worker": "ops",
    "demo": "examples",
    "sqltest": "sqltest",
}
"""The extra that brings all that a command needs; the others need none."""


def of_wing(name: str, module: str) -> Callable[[Commands], None]:
    """The command that this module of a wing adds. Without the wing there is one of its name, which tells the extra."""

    def add_command(commands: Commands) -> None:
        if is_there(module):
            load_wing(module, name).add_command(commands)
            return
        # no prefix of options: whatever follows belongs to the command that is not there
        absent = commands.add_parser(name, help="not installed here", add_help=False, prefix_chars="\0")
        absent.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
        absent.set_defaults(run=lambda _: load_wing(module, f"hive-acid {name}"))

    return add_command


ADDED = (
    of_wing("metastore", "hive_acid_local.command"),
    add_settings_command,
    add_transaction_command,
    of_wing("tables", "hive_acid_ops.commands.tables"),
    of_wing("txns", "hive_acid_ops.commands.txns"),
    of_wing("locks", "hive_acid_ops.commands.locks"),
    of_wing("compactions", "hive_acid_ops.commands.compactions"),
    of_wing("abort", "hive_acid_ops.commands.abort"),
    of_wing("doctor", "hive_acid_ops.commands.doctor"),
    of_wing("history", "hive_acid_ops.commands.history"),
    of_wing("erase", "hive_acid_erasure.commands.erase"),
    of_wing("verify", "hive_acid_erasure.commands.verify"),
    of_wing("initiator", "hive_acid_ops.commands.initiator"),
    of_wing("worker", "hive_acid_ops.commands.worker"),
    of_wing("demo", "hive_acid_examples.command"),
    of_wing("sqltest", "hive_acid_sqltest.command"),
)
"""The functions that add the commands, in the order of the help."""


def build_parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    parser = argparse.ArgumentParser(prog="hive-acid", description="Hive ACID DML for Spark SQL")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    for add_command in ADDED:
        add_command(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code. An error that nobody foresaw shows its stack trace and is a failure too."""
    chosen = build_parser().parse_args(arguments)
    try:
        with needing(EXTRAS.get(chosen.command, "all"), f"hive-acid {chosen.command}"):
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
