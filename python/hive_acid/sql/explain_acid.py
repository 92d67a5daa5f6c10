"""`EXPLAIN ACID statement`, which asks for a dry run and is not Spark's syntax."""

from __future__ import annotations

from hive_acid.sql.dialect import find_tokens
from hive_acid.wire.rewriting import ExplainedStatement

_ASKED = ("EXPLAIN", "ACID")
_FORMATTED = "FORMATTED"
"""As in Hive: the answer is JSON."""


def find_explained(text: str) -> ExplainedStatement | None:
    """The statement behind `EXPLAIN ACID` or `EXPLAIN ACID FORMATTED`; None if the text does not begin so."""
    tokens = find_tokens(text)[: len(_ASKED) + 1]
    words = tuple(text[token.start : token.end + 1].upper() for token in tokens)
    if words[: len(_ASKED)] != _ASKED:
        return None
    formatted = words[len(_ASKED) :] == (_FORMATTED,)
    for token in tokens if formatted else tokens[: len(_ASKED)]:
        text = text[: token.start] + " " * (token.end + 1 - token.start) + text[token.end + 1 :]
    return ExplainedStatement(text, formatted)
