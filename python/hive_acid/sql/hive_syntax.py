"""Statements in Hive's spelling that Spark's parser does not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType


@dataclass(frozen=True)
class ColumnGap:
    """Where Spark wants a list of columns: after `text`, all columns of `table`, which is the parts of a name."""

    text: str
    table: tuple[str, ...]


@dataclass(frozen=True)
class Gaps:
    """A text in pieces: what stands up to each gap, and the rest."""

    gaps: tuple[ColumnGap, ...]
    rest: str


class _Tokenizer(Spark.Tokenizer):
    COMMANDS: ClassVar[set[TokenType]] = set()  # or what EXPLAIN is followed by would be one text


def find_column_gaps(text: str) -> Gaps | None:
    """Hive's `MERGE INTO t … WHEN NOT MATCHED THEN INSERT VALUES (…)`, which names no columns; None if there is none.

    Nothing is changed or printed anew: the pieces together are the text.
    """
    gaps, done = [], 0
    for end, table in _find_gaps(find_tokens(text)):
        gaps.append(ColumnGap(text[done:end], table))
        done = end
    return Gaps(tuple(gaps), text[done:]) if gaps else None


def find_tokens(text: str) -> list[Token]:
    """The tokens of the text, with their positions; none if it has no end of a quotation or comment."""
    try:
        return _Tokenizer(dialect="spark").tokenize(text)
    except SqlglotError:
        return []


def _find_gaps(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where each gap is, and the target of its MERGE."""
    target: tuple[str, ...] = ()
    for index, token in enumerate(tokens):
        if token.token_type is TokenType.MERGE and _types(tokens, index + 1, 1) == [TokenType.INTO]:
            target = _name(tokens[index + 2 :])
        elif token.token_type is TokenType.SEMICOLON:
            target = ()
        elif target and _types(tokens, index, 3) == [TokenType.THEN, TokenType.INSERT, TokenType.VALUES]:
            yield tokens[index + 1].end + 1, target


def _types(tokens: Sequence[Token], start: int, count: int) -> list[TokenType]:
    return [token.token_type for token in tokens[start : start + count]]


def _name(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The parts of the name that the tokens begin with."""
    parts = [token.text for token in tokens[:1]]
    for dot, part in zip(tokens[1::2], tokens[2::2], strict=False):
        if dot.token_type is not TokenType.DOT:
            break
        parts.append(part.text)
    return tuple(parts)
