"""`hive-acid sqltest run|update|show|new|import`."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hive_acid.api.command_line import FAILED, INTERRUPTED, Commands
from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.input.parsing import DIRECTIVES, load_input
from hive_acid_sqltest.input_run import run_input
from hive_acid_sqltest.junit import format_junit
from hive_acid_sqltest.parallel import run_parallel
from hive_acid_sqltest.runner import Report, find_faults, find_reason_to_skip, is_recording, order_files, run_suite
from hive_acid_sqltest.session import METASTORE_HELP
from hive_acid_sqltest.suite import SuiteFile, create_input, find_suite, import_slt

GOOD, DIFFERENT = 0, 1
Say = Callable[[str], None]


def add_command(commands: Commands) -> None:
    """`hive-acid sqltest run|update|show|new|import`."""
    sqltest = commands.add_parser(
        "sqltest",
        help="compare the results of SQL files with recorded ones: run, update, show, new, import",
        epilog=_tell_directives(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sqltest.set_defaults(run=run_sqltest)
    actions = sqltest.add_subparsers(title="actions", required=True, metavar="ACTION", dest="action")
    run = actions.add_parser("run", help="run the inputs and compare their results with the recorded ones")
    update = actions.add_parser("update", help="run the inputs and record their results")
    show = actions.add_parser("show", help="run one input and print its result, without recording it")
    show.add_argument("file", type=Path, metavar="FILE", help="the input, in any folder")
    for action in (run, update, show):
        action.add_argument("--metastore", metavar="URI", help=METASTORE_HELP)
        action.add_argument("--warehouse", metavar="DIR", help="folder of the tables; default: a temporary folder")
    for action in (run, update):
        action.add_argument("folder", type=Path, metavar="DIR", help="the suite: DIR/inputs and DIR/results")
        action.add_argument("--filter", default="", metavar="REGEX", help="only inputs with a matching name")
        action.add_argument("--seed", type=int, help="seed for the order of the files, to repeat a run")
        action.add_argument(
            "--jobs",
            type=_jobs,
            default=1,
            metavar="N",
            help="number of processes, each with its own Spark (default: 1)",
        )
        action.add_argument("--junit", type=Path, metavar="FILE", help="write a JUnit XML report")
    new = actions.add_parser("new", help="create an input to start with")
    new.add_argument("name", metavar="NAME", help="name of the input")
    taken = actions.add_parser("import", help="create an input from a sqllogictest file")
    taken.add_argument("file", type=Path, metavar="FILE.slt", help="the sqllogictest file")
    for action in (new, taken):
        action.add_argument(
            "--folder", type=Path, default=Path("sql-tests"), metavar="DIR", help="the suite (default: %(default)s)"
        )


def _tell_directives() -> str:
    lines = ["directives, each in a comment of its own line:"]
    for word, (value, meaning) in DIRECTIVES.items():
        lines += textwrap.wrap(f"--{word} {value}: {meaning}", 78, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def run_sqltest(chosen: argparse.Namespace) -> int:
    """Run or record a suite of golden files."""
    from hive_acid.api.conditions import HiveAcidError

    try:
        return run_command(chosen, partial(print, flush=True))  # a line as soon as its file is done
    except (SuiteError, HiveAcidError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def run_command(chosen: argparse.Namespace, say: Say) -> int:
    """Runs the chosen action, telling `say` line by line: 0 all good, 1 results differ or an input is wrong.

    Raises SuiteError if nothing could be run.
    """
    if chosen.action == "new":
        say(f"{create_input(chosen.folder, chosen.name)}: write it, then `hive-acid sqltest update {chosen.folder}`")
        return GOOD
    if chosen.action == "import":
        made = import_slt(chosen.file, chosen.folder)
        say(f"{made}: read it, then `hive-acid sqltest run {chosen.folder}`, and `update` to record it")
        return GOOD
    if chosen.action == "show":
        return show_input(chosen, say)
    files = find_suite(chosen.folder, chosen.filter)
    is_update = chosen.action == "update" or is_recording()
    seed = random.SystemRandom().randrange(1_000_000) if chosen.seed is None else chosen.seed
    say(f"{len(files)} files, seed {seed}")
    reports = run_on_spark(order_files(files, seed), chosen, is_update, say)
    if chosen.junit is not None:
        write_junit(chosen.junit, format_junit(reports, seed))
    bad = sorted(report.name for report in reports if not report.is_good)
    say(f"{len(reports) - len(bad)} of {len(reports)} good" + (f"; look at {', '.join(bad)}" if bad else ""))
    return DIFFERENT if bad else GOOD


def show_input(chosen: argparse.Namespace, say: Say) -> int:
    """Prints the results of one input, on a Spark of its own: 0 all as its input expects, 1 otherwise."""
    from hive_acid_sqltest.spark_session import open_sessions

    test = load_input(chosen.file)
    with (
        tempfile.TemporaryDirectory(prefix="sqltest-") as folder,
        open_sessions(chosen.metastore, chosen.warehouse or Path(folder).as_uri()) as sessions,
    ):
        if reason := find_reason_to_skip(test, sessions):
            say(reason)
            return GOOD
        runs = run_input(test, test.runs()[0], sessions, chosen.file.stem)
    for run in runs:
        say(run.result.format() + "\n")
    for line in (faults := find_faults(chosen.file, runs)):
        say(line)
    return DIFFERENT if faults else GOOD


def run_on_spark(files: list[SuiteFile], chosen: argparse.Namespace, is_update: bool, say: Say) -> list[Report]:
    """Runs the files on a Spark of their own, or on one in each of several processes, which ends afterwards."""
    from hive_acid_sqltest.spark_session import open_sessions, share_metastore

    with tempfile.TemporaryDirectory(prefix="sqltest-") as folder:
        warehouse = chosen.warehouse or Path(folder).as_uri()
        if chosen.jobs == 1 or len(files) == 1:
            with open_sessions(chosen.metastore, warehouse) as sessions:
                return run_suite(files, sessions, is_update, lambda report: tell(report, say))
        with share_metastore(chosen.metastore) as metastore:
            opening = partial(open_sessions, metastore, warehouse)
            return run_parallel(files, opening, chosen.jobs, is_update, lambda report: tell(report, say))


def tell(report: Report, say: Say) -> None:
    """One line for a file, and what is to be known of it."""
    say(f"{report.verdict.value:<8} {report.name} ({report.seconds:.1f} s)")
    if report.text:
        say(report.text)


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def write_junit(path: Path, text: str) -> None:
    """Writes the report. Raises SuiteError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SuiteError(f"{path}: the report cannot be written: {error}") from error
