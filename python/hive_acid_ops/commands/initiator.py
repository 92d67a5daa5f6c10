"""`hive-acid initiator`."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hive_acid.api.clocks import wall_clock_ms
from hive_acid.api.command_line import DONE, FAILED, parse_count
from hive_acid_ops.commands.metrics_port import add_metrics_options, counted
from hive_acid_ops.commands.shared import parse_table
from hive_acid_ops.commands.warehouse import add_warehouse_options, open_warehouse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hive_acid.api.command_line import Commands
    from hive_acid.api.tables import Metastore
    from hive_acid_ops.initiator.initiator import Action, Initiator

_INTERVAL_S = 300
"""As Hive's (hive.compactor.check.interval)."""


def add_command(commands: Commands) -> None:
    """`hive-acid initiator`."""
    initiator = commands.add_parser(
        "initiator", help="request compactions of tables that exceed their thresholds, if no Initiator of Hive does"
    )
    initiator.add_argument(
        "--database", action="append", default=[], help="only tables of this database; can be repeated"
    )
    initiator.add_argument(
        "--table",
        action="append",
        default=[],
        type=parse_table,
        metavar="DATABASE.TABLE",
        help="this table; can be repeated",
    )
    add_warehouse_options(initiator)
    when = initiator.add_mutually_exclusive_group()
    when.add_argument(
        "--interval-s",
        type=parse_count,
        default=_INTERVAL_S,
        metavar="N",
        help="seconds between checks (default: %(default)s)",
    )
    when.add_argument("--once", action="store_true", help="check once and exit")
    initiator.add_argument("--dry-run", action="store_true", help="show what would be requested, and request nothing")
    initiator.add_argument("--force", action="store_true", help="run even beside the metastore's own Initiator")
    add_metrics_options(initiator)
    initiator.add_argument(
        "--json", action="store_true", help="one JSON object per line, also for tables that need nothing"
    )
    initiator.set_defaults(run=run_initiator)


def run_initiator(chosen: argparse.Namespace) -> int:
    """Look, once or until SIGTERM or SIGINT; 2 if it cannot, or with --once if a table or database is not looked at."""
    from hive_acid.api.compaction import INITIATOR_ON, has_initiator
    from hive_acid.api.conditions import HiveAcidError
    from hive_acid_ops.initiator.initiator import Initiator

    try:
        with open_warehouse(chosen) as (metastore, file_system):
            if has_initiator(metastore) and not (chosen.force or chosen.dry_run):
                print(f"the metastore has an Initiator of its own ({INITIATOR_ON}); --force asks beside it")
                return DONE
            name = f"{socket.gethostname()}-hive-acid-initiator"
            initiator = Initiator(metastore, file_system, name, wall_clock_ms, chosen.dry_run)
            with _counted(chosen, metastore) as count:
                if chosen.once:
                    return FAILED if _look(chosen, metastore, initiator, threading.Event(), count) else DONE
                return _look_until_stopped(chosen, metastore, initiator, count)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED


@contextmanager
def _counted(chosen: argparse.Namespace, metastore: Metastore) -> Iterator[Callable[[Action], None]]:
    """A function that counts decisions, for `--metrics-port`."""
    with counted(chosen, metastore) as registry:
        if registry is None:
            yield _count_none
            return
        from hive_acid_ops.service_metrics import build_action_counter

        yield build_action_counter(registry)


def _count_none(_: Action) -> None:
    return


def _look_until_stopped(
    chosen: argparse.Namespace,
    metastore: Metastore,
    initiator: Initiator,
    count: Callable[[Action], None] = _count_none,
) -> int:
    from hive_acid.api.conditions import HiveAcidError

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    while not stop.is_set():
        started_s = time.monotonic()
        try:
            _look(chosen, metastore, initiator, stop, count)
        except HiveAcidError as error:  # the next round may find the metastore again
            print(error, file=sys.stderr, flush=True)
        stop.wait(max(0.0, started_s + chosen.interval_s - time.monotonic()))
    return DONE


def _look(
    chosen: argparse.Namespace,
    metastore: Metastore,
    initiator: Initiator,
    stop: threading.Event,
    count: Callable[[Action], None] = _count_none,
) -> int:
    """Print what was done, table by table; the number of those, and of databases, that could not be looked at."""
    from hive_acid.api.tables import TableName
    from hive_acid_ops.decision_report import format_json, format_text
    from hive_acid_ops.initiator.initiator import Action, find_candidates
    from hive_acid_ops.progress import followed

    failures = _tell_unknown(metastore, chosen.database)
    tables = [TableName(*table) for table in chosen.table]
    candidates = find_candidates(metastore, chosen.database, tables)
    for decision in initiator.look(followed(candidates, "looking at tables")):
        count(decision.action)
        failures += decision.action is Action.FAILED
        if chosen.json:
            print(format_json(decision), flush=True)
        elif decision.action is not Action.NOT_NEEDED:
            print(format_text(decision), flush=True)
        if stop.is_set():
            break
    return failures


def _tell_unknown(metastore: Metastore, databases: Sequence[str]) -> int:
    """Print which of the databases named are not there; their number."""
    from hive_acid.api.conditions import build_error
    from hive_acid_ops.initiator.initiator import find_unknown_databases

    unknown = find_unknown_databases(metastore, databases)
    for database in unknown:
        error = build_error("HIVE_ACID_CONFIGURATION.UNKNOWN_DATABASE", database=database)
        print(error, file=sys.stderr, flush=True)
    return len(unknown)
