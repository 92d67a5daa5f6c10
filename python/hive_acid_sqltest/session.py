"""The seam to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from hive_acid_sqltest.input.values import Settings

METASTORE_HELP = "thrift://host:port; default: that of spark-defaults.conf or hive-site.xml, else an embedded metastore"
"""The metastore of a run, in words."""


@dataclass(frozen=True)
class Answer:
    """The answer to a statement: its schema as Spark prints it, and its rows as text in the order to record them.

    `is_command` tells a command's answer (also EXPLAIN's), in which unstable parts are masked, from a query's rows.
    """

    schema: str
    rows: tuple[str, ...] = ()
    is_command: bool = False


class Session(Protocol):
    """A session of its own: its settings and temporary views are nobody else's."""

    def run(self, statement: str) -> Answer:
        """Runs one statement to its end. Raises StatementFailed for an error of the statement, and nothing else."""
        ...

    def location(self, table: str) -> str:
        """Where the table lies, as a URI. Raises StatementFailed if there is no such table."""
        ...


class Step(Enum):
    """How far a statement has come that runs beside others. WAITING: for a lock of a statement that is held."""

    ENDED = "ended"
    HELD = "held"
    WAITING = "waiting"


@runtime_checkable
class SteppedSession(Session, Protocol):
    """A session whose statements run beside those of other sessions and can be held on their way, one at a time."""

    def start(self, statement: str, hold: str | None) -> None:
        """Starts a statement, to be held when it first comes to the point `hold`.

        Raises SuiteError if there is no such point.
        """
        ...

    def go_on(self) -> None:
        """Lets the statement go on if it is held."""
        ...

    def wait(self) -> Step:
        """Returns when the statement can go no further by itself. Raises SuiteError if it does not come so far."""
        ...

    def finish(self) -> Answer:
        """The answer of a statement that has ended. Raises StatementFailed as `run` does."""
        ...

    def abandon(self) -> None:
        """Lets the statement go on, past its point too."""
        ...


class SessionFactory(Protocol):
    """Opens sessions."""

    def open(self, settings: Settings) -> Session:
        """A new session with these settings."""
        ...

    def version(self, of: str) -> str:
        """The version of `spark`, or of the `metastore` as it calls itself."""
        ...
