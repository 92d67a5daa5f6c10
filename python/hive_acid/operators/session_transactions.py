"""START TRANSACTION, COMMIT and ROLLBACK: the transaction of several statements of a session."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.execution.executor import Executor
from hive_acid.execution.session_transaction import SessionTransaction


class SessionTransactions:
    """Begins and ends them. A session tells by its token which one it is in, None: in none.

    Transactions of blocks in Python (`hive_acid.transaction`) are known too, and left to their blocks. `end` commits
    one that is not rolled back, and tells the JVM that it has ended. `forget` tells the JVM alone, of one that had
    ended before.
    """

    def __init__(
        self, executor: Executor, end: Callable[[SessionTransaction], None], forget: Callable[[str], None]
    ) -> None:
        self._executor = executor
        self._end = end
        self._forget = forget
        self._guard = threading.Lock()
        self._begun: set[str] = set()

    def start(self, token: str | None, settings: Mapping[str, str]) -> str:
        """The token of a new one. Raises HIVE_ACID_TRANSACTION_STATE if the session is in one."""
        if token is not None:
            raise build_error("HIVE_ACID_TRANSACTION_STATE.NESTED", txnId=self._shown_id(token))
        begun = self._executor.begin_transaction(settings).token
        with self._guard:
            self._begun.add(begun)
        return begun

    def commit(self, token: str | None) -> None:
        """Makes everything visible at once. The session is in no transaction afterwards, whatever this raises.

        Raises what SessionTransaction.commit does, and HIVE_ACID_TRANSACTION_STATE if there is nothing to commit.
        """
        running = self._take("COMMIT", token)
        if running is None:
            raise build_error("HIVE_ACID_TRANSACTION_STATE.ENDED", txnId="(ended)")
        self._end(running)

    def roll_back(self, token: str | None) -> None:
        """Undoes everything. Raises HIVE_ACID_TRANSACTION_STATE if the session is in none that it may end."""
        running = self._take("ROLLBACK", token)
        if running is not None:  # else its process has ended, and the one after it has aborted what it left behind
            running.roll_back()
            self._end(running)

    def abandon(self, token: str) -> None:
        """The same for a session that has ended; does nothing if the transaction has."""
        with self._guard:
            is_known = token in self._begun
        if is_known:
            self.roll_back(token)

    def _take(self, statement: str, token: str | None) -> SessionTransaction | None:
        """The transaction, which nobody else ends from now on; None for one whose process has ended."""
        if token is None:
            raise self._none_to_end(statement)
        running = self._executor.find_transaction(token)
        with self._guard:
            is_own = token in self._begun
            self._begun.discard(token)
        if running is not None and not is_own:
            raise build_error("HIVE_ACID_TRANSACTION_STATE.OF_BLOCK", txnId=running.shown_id, statement=statement)
        if running is None:
            self._forget(token)
        return running

    @staticmethod
    def _none_to_end(statement: str) -> HiveAcidError:
        return build_error("HIVE_ACID_TRANSACTION_STATE.NONE", txnId="(none)", statement=statement)

    def _shown_id(self, token: str) -> str | int:
        running = self._executor.find_transaction(token)
        return "(ended)" if running is None else running.shown_id
