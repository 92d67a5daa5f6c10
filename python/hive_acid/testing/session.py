"""The seam to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hive_acid.testing.inputs import Settings


@dataclass(frozen=True)
class Answer:
    """What a statement returned: its schema as Spark prints it, and its rows as text in the order to record them.

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


class SessionFactory(Protocol):
    """Opens sessions."""

    def open(self, settings: Settings) -> Session:
        """A new session with these settings."""
        ...
