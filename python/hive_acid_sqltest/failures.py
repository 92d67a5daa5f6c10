"""Errors as they are recorded: condition, SQLSTATE, parameters and the place in the user's text; never prose."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid_sqltest.masking import mask_parameters, mask_text


@dataclass(frozen=True)
class QueryContext:
    """The place of an error: first and last character in the statement, from 1, and the text there."""

    start: int
    stop: int
    fragment: str


class StatementFailed(Exception):
    """A statement's error. `condition` is None for an error without one, of which only `exception_class` is recorded.

    The exception's own text is the engine's whole message, for people.
    """

    def __init__(
        self,
        message: str,
        exception_class: str,
        condition: str | None = None,
        sql_state: str | None = None,
        parameters: Mapping[str, str] | None = None,
        contexts: tuple[QueryContext, ...] = (),
    ) -> None:
        super().__init__(message)
        self.exception_class = exception_class
        self.condition = condition
        self.sql_state = sql_state
        self.parameters = dict(parameters or {})
        self.contexts = contexts

    def format(self, database: str) -> str:
        """The recorded form: JSON with the keys of Spark's golden files, unstable parts masked."""
        if self.condition is None:
            return json.dumps({"exception": self.exception_class}, indent=2)
        record: dict[str, object] = {"errorClass": self.condition}
        if self.sql_state:
            record["sqlState"] = self.sql_state
        if self.parameters:
            record["messageParameters"] = mask_parameters(self.condition, self.parameters, database)
        if self.contexts:
            record["queryContext"] = [
                {"startIndex": c.start, "stopIndex": c.stop, "fragment": mask_text(c.fragment, database)}
                for c in self.contexts
            ]
        return json.dumps(record, indent=2, ensure_ascii=False)
