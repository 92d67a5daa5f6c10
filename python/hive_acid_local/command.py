"""`hive-acid metastore start|stop|status`."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, FAILED, NOT_RUNNING
from hive_acid_local.home import default_folder

if TYPE_CHECKING:
    from hive_acid.api.command_line import Commands
    from hive_acid_local.detached import RunningMetastore


def add_command(commands: Commands) -> None:
    """`hive-acid metastore start|stop|status`."""
    metastore = commands.add_parser("metastore", help="the embedded Hive Metastore of this machine")
    actions = metastore.add_subparsers(title="actions", required=True, metavar="ACTION")
    start = actions.add_parser("start", help="start the embedded metastore and leave it running")
    start.add_argument("--port", type=_port, help="its port on 127.0.0.1; default: a free one")
    start.add_argument(
        "--database",
        choices=("postgresql", "derby"),
        help="default: PostgreSQL if it has binaries for this machine, else Derby",
    )
    start.add_argument(
        "--with-worker", action="store_true", help="also start a worker, which runs requested compactions"
    )
    start.set_defaults(run=start_metastore)
    stop = actions.add_parser("stop", help="stop the embedded metastore; its data stays")
    stop.set_defaults(run=stop_metastore)
    status = actions.add_parser("status", help="show whether the embedded metastore runs, and where")
    status.set_defaults(run=show_metastore)
    for action in (start, stop, status):
        action.add_argument(
            "--folder", type=Path, default=default_folder(), help="folder of its data (default: %(default)s)"
        )


def start_metastore(chosen: argparse.Namespace) -> int:
    """Start a metastore that outlives this command; with one already running in the folder, say so."""
    from hive_acid_local.detached import find_running, start_detached

    running = find_running(chosen.folder)
    if running is not None:
        answers = running.answers()
        print(f"already running: {running.uri}" if answers else _without_answer(running))
        return DONE if answers else FAILED
    running = start_detached(chosen.folder, chosen.port, chosen.database, with_worker=chosen.with_worker)
    print(running.uri)
    print(f'configure  hive_acid.configure(SparkSession.builder, "{running.uri}")')
    print(f"worker     {_describe_worker(running)}")
    print(f"warehouse  {running.warehouse}")
    print(f"log        {running.log}")
    print(f"stop it    hive-acid metastore stop{_folder_option(chosen.folder)}")
    return DONE


def stop_metastore(chosen: argparse.Namespace) -> int:
    """Stop the metastore of the folder."""
    from hive_acid_local.detached import find_running, stop_detached

    if find_running(chosen.folder) is None:
        return _say_none(chosen.folder, "not running")
    stop_detached(chosen.folder)
    print("stopped")
    return DONE


def show_metastore(chosen: argparse.Namespace) -> int:
    """Print whether the metastore of the folder runs."""
    from hive_acid_local.detached import find_running

    running = find_running(chosen.folder)
    if running is None:
        return _say_none(chosen.folder, "stopped")
    answers = running.answers()
    print(f"running: {running.uri}" if answers else _without_answer(running))
    print(f"database   {running.database}")
    for name, process_id in running.process_ids.items():
        print(f"{name:<10} process {process_id}")
    print(f"warehouse  {running.warehouse}")
    print(f"log        {running.log}")
    return DONE if answers else FAILED


def _describe_worker(running: RunningMetastore) -> str:
    worker = running.process_ids.get("worker")
    if worker is None:
        return "none: statements that wait for a compaction do it; others need --with-worker, or `hive-acid worker`"
    return f"process {worker} does the compactions, and writes {running.log.with_name('worker.log')}"


def _without_answer(running: RunningMetastore) -> str:
    return f"running, but {running.uri} does not answer; see {running.log}"


def _say_none(folder: Path, word: str) -> int:
    """One that starts or ends has no description, and neither one of another machine's or container's processes."""
    from hive_acid_local.detached import is_in_use

    if is_in_use(folder):
        print("starting, ending, or run by processes that this one does not see")
        return FAILED
    print(word)
    return NOT_RUNNING


def _folder_option(folder: Path) -> str:
    return "" if folder == default_folder() else f" --folder {shlex.quote(str(folder))}"


def _port(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 65535")
    return number
