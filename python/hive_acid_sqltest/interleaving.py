"""Statements of several sessions side by side: which of them are held, which wait, and when each is settled."""

from __future__ import annotations

from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.golden import NO_SCHEMA
from hive_acid_sqltest.session import Answer, Session, Step, SteppedSession


class Interleaving:
    """The sessions with a statement under way.

    All that a statement can do by itself has happened before the next step of the file.
    """

    def __init__(self) -> None:
        self._started: dict[str, SteppedSession] = {}
        self._under_way: dict[str, Step] = {}
        self._holds: dict[str, str | None] = {}

    def start(self, name: str, session: Session, statement: str, hold: str | None) -> None:
        """Starts a statement. Raises SuiteError if that cannot be, or if the file forgot to continue another."""
        if not isinstance(session, SteppedSession):
            raise SuiteError("--HOLD and --CONTINUE need sessions whose statements can be held; these cannot")
        if name in self._under_way:
            raise SuiteError(f"a statement of session {name} is under way: --CONTINUE {name} comes before the next")
        self._refuse_forgotten()
        session.start(statement, hold)
        self._started[name], self._holds[name] = session, hold

    def go_on(self, names: tuple[str, ...]) -> None:
        """Lets the statements of these sessions go on. Raises SuiteError for one that has none under way."""
        for name in names:
            if name not in self._under_way:
                raise SuiteError(f"--CONTINUE {name}: no statement of that session is under way")
        for name in names:
            del self._under_way[name]
            self._started[name].go_on()

    def settle(self, name: str) -> Answer:
        """Waits until the statement has ended, is held or waits for one that is: its answer, or a word on where it is.

        Raises StatementFailed and SuiteError.
        """
        step = self._started[name].wait()
        if step is Step.ENDED:
            return self._started.pop(name).finish()
        self._under_way[name] = step
        word = f"<held at {self._holds[name]}>" if step is Step.HELD else "<waiting for a lock>"
        return Answer(NO_SCHEMA, (word,))

    def end(self) -> None:
        """Raises SuiteError if a statement is still under way."""
        if self._under_way:
            names = ",".join(self._under_way)
            raise SuiteError(f"statements are under way at the end: --CONTINUE {names} is missing")

    def abandon(self) -> None:
        """Waits until nothing is under way, whatever becomes of it."""
        for session in self._started.values():
            session.abandon()
        for session in self._started.values():
            session.wait()

    def _refuse_forgotten(self) -> None:
        """One that waited for a statement that has ended goes on by itself; nobody could say how far it is."""
        steps = self._under_way.values()
        if Step.WAITING in steps and Step.HELD not in steps:
            names = ",".join(self._under_way)
            raise SuiteError(f"nobody is held any more that others wait for: --CONTINUE {names} is missing")
