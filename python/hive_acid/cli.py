"""The command `hive-acid`.

Exit codes: 0 done, or running, or committed; 1 not running, or results differ, or something was found; 2 it failed or
was called wrongly, with the reason on standard error; of `txn status` also 3 aborted, 4 open, 5 cannot be told; 130 it
was interrupted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hive_acid.local import LocalMetastoreError
from hive_acid.testing.command import add_arguments

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DONE, NOT_RUNNING, FAILED, INTERRUPTED = 0, 1, 2, 130
ABORTED, OPEN, NOT_KNOWN = 3, 4, 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="hive-acid", description="Hive ACID DML for Spark SQL")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_metastore_command(commands)
    add_transaction_command(commands)
    add_doctor_command(commands)
    add_history_command(commands)
    demo = commands.add_parser("demo", help="a guided tour: a real metastore, real data, every count checked")
    demo.set_defaults(run=show_demo)
    sqltest = commands.add_parser("sqltest", help="SQL files and the results they must have: run, update, new")
    add_arguments(sqltest)
    sqltest.set_defaults(run=run_sqltest)
    chosen = parser.parse_args(arguments)
    try:
        code: int = chosen.run(chosen)
    except (LocalMetastoreError, OSError) as error:
        print(error, file=sys.stderr)
        return FAILED
    return code


def add_metastore_command(commands: Commands) -> None:
    """`hive-acid metastore start|stop|status`."""
    metastore = commands.add_parser("metastore", help="the embedded Hive Metastore of this machine")
    actions = metastore.add_subparsers(title="actions", required=True, metavar="ACTION")
    start = actions.add_parser("start", help="start it and leave it running")
    start.add_argument("--port", type=_port, help="its port on 127.0.0.1; a free one by default")
    start.add_argument("--database", choices=("postgresql", "derby"), help="PostgreSQL where there are binaries of it")
    start.set_defaults(run=start_metastore)
    stop = actions.add_parser("stop", help="stop it; its data stays")
    stop.set_defaults(run=stop_metastore)
    status = actions.add_parser("status", help="say whether it runs, and where")
    status.set_defaults(run=show_metastore)
    for action in (start, stop, status):
        action.add_argument("--folder", type=Path, default=default_folder(), help="its data (default: %(default)s)")


def add_transaction_command(commands: Commands) -> None:
    """`hive-acid txn status`."""
    transaction = commands.add_parser("txn", help="transactions of a metastore")
    actions = transaction.add_subparsers(title="actions", required=True, metavar="ACTION")
    status = actions.add_parser("status", help="what became of a transaction: committed, aborted or still open")
    status.add_argument("id", type=_positive, metavar="N", help="the transaction's ID")
    status.add_argument("--metastore", metavar="URI", help="thrift://host:port; that of hive-site.xml by default")
    status.add_argument("--json", action="store_true", help="one JSON object on one line")
    status.set_defaults(run=show_transaction)


def add_doctor_command(commands: Commands) -> None:
    """`hive-acid doctor`."""
    doctor = commands.add_parser("doctor", help="what dead processes have left in a table, and its removal")
    doctor.add_argument("table", type=_table, metavar="DATABASE.TABLE")
    doctor.add_argument("--fix", action="store_true", help="remove what was found; without it nothing is changed")
    doctor.add_argument("--metastore", metavar="URI", help="thrift://host:port; that of hive-site.xml by default")
    doctor.add_argument("--json", action="store_true", help="one JSON object on one line")
    doctor.set_defaults(run=show_findings)


def add_history_command(commands: Commands) -> None:
    """`hive-acid history`."""
    history = commands.add_parser("history", help="who wrote what into a table, the newest first")
    history.add_argument("table", type=_table, metavar="DATABASE.TABLE")
    history.add_argument("--limit", type=_positive, metavar="N", help="the newest N entries; all by default")
    history.add_argument("--metastore", metavar="URI", help="thrift://host:port; that of hive-site.xml by default")
    history.add_argument("--json", action="store_true", help="one JSON object on one line")
    history.set_defaults(run=show_history)


def show_demo(chosen: argparse.Namespace) -> int:
    """Run the guided tour; its exit codes are its own."""
    from hive_acid.demo import run_demo

    return run_demo()


def start_metastore(chosen: argparse.Namespace) -> int:
    """Start a metastore that outlives this command; with one already running in the folder, say so."""
    from hive_acid.local.detached import find_running, start_detached

    running = find_running(chosen.folder)
    if running is not None:
        print(f"already running: {running.uri}")
        return DONE
    running = start_detached(chosen.folder, chosen.port, chosen.database)
    print(running.uri)
    print(f"warehouse  {running.warehouse}")
    print(f"log        {running.log}")
    print(f"stop it    hive-acid metastore stop{_folder_option(chosen.folder)}")
    return DONE


def stop_metastore(chosen: argparse.Namespace) -> int:
    """Stop the metastore of the folder."""
    from hive_acid.local.detached import find_running, stop_detached

    if find_running(chosen.folder) is None:
        print("not running")
        return NOT_RUNNING
    stop_detached(chosen.folder)
    print("stopped")
    return DONE


def show_metastore(chosen: argparse.Namespace) -> int:
    """Print whether the metastore of the folder runs."""
    from hive_acid.local.detached import find_running

    running = find_running(chosen.folder)
    if running is None:
        print("stopped")
        return NOT_RUNNING
    answers = running.answers()
    print(f"running: {running.uri}" if answers else f"running, but {running.uri} does not answer; see {running.log}")
    print(f"database   {running.database}")
    for name, process_id in running.process_ids.items():
        print(f"{name:<10} process {process_id}")
    print(f"warehouse  {running.warehouse}")
    print(f"log        {running.log}")
    return DONE if answers else FAILED


def show_transaction(chosen: argparse.Namespace) -> int:
    """Print what became of a transaction; the exit code tells as well."""
    from hive_acid.errors import HiveAcidError
    from hive_acid.metastore.thrift_client import ThriftMetastore
    from hive_acid.transactions.status import find_status, format_json, format_text

    try:
        with closing(ThriftMetastore(_find_uris(chosen))) as metastore:
            status = find_status(metastore, chosen.id)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print(format_json(status) if chosen.json else format_text(status))
    codes = {"committed": DONE, "aborted": ABORTED, "open": OPEN}
    return codes[status.state.value] if status.state else NOT_KNOWN


def show_findings(chosen: argparse.Namespace) -> int:
    """Print what was found in a table, and remove it if asked to; 1 if something is left there."""
    from hive_acid.errors import HiveAcidError
    from hive_acid.inspect.doctor import examine, format_json, format_text, repair
    from hive_acid.model.table import TableName
    from hive_acid.spark.storage_session import storage_session

    try:
        with storage_session(_find_uris(chosen)) as (metastore, file_system):
            findings = examine(metastore, file_system, TableName(*chosen.table))
            if chosen.fix:
                repair(file_system, findings)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print((format_json if chosen.json else format_text)(findings, chosen.fix))
    return NOT_RUNNING if findings and not chosen.fix else DONE


def show_history(chosen: argparse.Namespace) -> int:
    """Print who wrote what into a table."""
    from hive_acid.errors import HiveAcidError
    from hive_acid.inspect.history import load_history
    from hive_acid.inspect.history_entries import format_json, format_text
    from hive_acid.model.table import TableName
    from hive_acid.spark.storage_session import storage_session

    try:
        with storage_session(_find_uris(chosen)) as (metastore, file_system):
            entries = load_history(metastore, file_system, TableName(*chosen.table), chosen.limit)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print((format_json if chosen.json else format_text)(entries))
    return DONE


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


def default_folder() -> Path:
    """Where the metastore of this user lies when no folder is given."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home).absolute() / "spark-hive-acid" / "metastore"


def _find_uris(chosen: argparse.Namespace) -> str:
    from hive_acid.errors import build_error
    from hive_acid.hive_site import find_metastore_uris

    uris: str | None = chosen.metastore or find_metastore_uris()
    if not uris:
        raise build_error("HIVE_ACID_CONFIGURATION", reason="name the metastore: --metastore thrift://host:port")
    return uris


def _folder_option(folder: Path) -> str:
    return "" if folder == default_folder() else f" --folder {shlex.quote(str(folder))}"


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _table(text: str) -> tuple[str, str]:
    database, _, table = text.lower().partition(".")
    if not (database and table) or "." in table:
        raise argparse.ArgumentTypeError(f"{text} is no DATABASE.TABLE")
    return database, table


def _port(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 65535")
    return number


if __name__ == "__main__":
    sys.exit(main())
