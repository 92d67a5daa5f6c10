"""`--metrics-port` of the commands that run until they are stopped."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hive_acid.api.extras import needing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import CollectorRegistry

    from hive_acid.api.tables import Metastore

_LAST_PORT = 65_535


def add_metrics_options(parser: argparse.ArgumentParser) -> None:
    """`--metrics-port` and `--metrics-address`."""
    parser.add_argument(
        "--metrics-port",
        type=_parse_port,
        metavar="N",
        help="tell Prometheus at this port what is done, and what waits in the metastore; 0: at a free one",
    )
    parser.add_argument(
        "--metrics-address",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="the address of this machine at which the port is (default: %(default)s)",
    )


@contextmanager
def counted(
    chosen: argparse.Namespace, metastore: Metastore, is_wanted: bool = False
) -> Iterator[CollectorRegistry | None]:
    """Where the command keeps its numbers, told at the port if there is to be one; None if nobody wants them.

    `is_wanted`: they are wanted without a port too. Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING and .METRICS_PORT.
    """
    port: int | None = chosen.metrics_port
    if port is None and not is_wanted:
        yield None
        return
    with needing("ops", "--metrics-port" if port is not None else "--metrics"):
        from prometheus_client import CollectorRegistry

        from hive_acid_ops.service_metrics import serve
    registry = CollectorRegistry()
    if port is None:
        yield registry
        return
    with serve(registry, metastore, port, chosen.metrics_address) as taken:
        print(f"metrics at http://{chosen.metrics_address}:{taken}/metrics", file=sys.stderr, flush=True)
        yield registry


def _parse_port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is no port")
    return port
