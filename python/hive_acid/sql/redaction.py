"""Statements without their literals and without names that nobody else knows, for what outlives them: history, logs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.sql.dialect import SQL_WORDS, find_tokens, upper_word

PLACEHOLDER = "?"
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED_NAME = re.compile(r"`(?:[^`]|``)+`", re.DOTALL)
_OPERATOR = re.compile(r"[^\w\s'\"`\\]+")
_TRUTHS = frozenset({"TRUE", "FALSE"})
_PROLONGED = re.compile(r"\\\r?\n")
"""In Spark a backslash at the end of a line prolongs a comment, which sqlglot does not know."""
_DOLLAR = "$"
"""With it begin quotations that sqlglot does not know either, and variables in whose place Spark puts a text."""
_OF_PARAMETERS = frozenset({TokenType.COLON, TokenType.PLACEHOLDER})
_ENDS = ("", "'", '"', "`", "''", '""')
"""Endings that complete a text that was cut off: one of them does, the last two behind a backslash."""


def redact(text: str, names: Collection[str], position: int = 0, is_whole: bool = True) -> str | None:
    """The statement on one line, without comments, and with `?` for each literal; None if it cannot be told apart.

    Literals are strings of every spelling, numbers, `TRUE` and `FALSE`; also what only begins like a number, as a name
    may. `names`, in lower case, are those of tables and columns: they stay, in backticks too, and so do the words of
    SQL. Any other name, as that of an alias, may be a value as well: `_1` stands for the first of them, `_2` for the
    next. In a SQL script it is the one statement that `position`, in characters, is in. Unless `is_whole` the text may
    end anywhere, and its last token is left out.
    """
    if _PROLONGED.search(text):
        return None
    tokens = find_tokens(text) if is_whole else _find_tokens_of_beginning(text)
    if any(text[token.start] == _DOLLAR for token in tokens):
        return None
    pieces, hidden = list[str](), dict[str, str]()
    reached = -1
    for token in _find_statement(tokens, position):
        if pieces and token.start > reached + 1:
            pieces.append(" ")
        pieces.append(_redact_token(text[token.start : token.end + 1], names, hidden))
        reached = token.end
    return "".join(pieces) or None


def _find_statement(tokens: Sequence[Token], position: int) -> Sequence[Token]:
    """The tokens of the statement at the position in a script, up to its semicolon; all of another text.

    With parameters in it Spark's positions are those of a text that has their values, so nothing is cut out there.
    """
    types = {token.token_type for token in tokens}
    if not tokens or upper_word(tokens[0]) != "BEGIN" or types & _OF_PARAMETERS:
        return tokens
    begin = next((index for index, token in enumerate(tokens) if token.end >= position), len(tokens))
    length = next((n for n, token in enumerate(tokens[begin:]) if token.token_type is TokenType.SEMICOLON), None)
    return tokens[begin : None if length is None else begin + length]


def _find_tokens_of_beginning(text: str) -> list[Token]:
    """A lexer never looks ahead, so but for the last token these are the tokens of the whole text."""
    for end in _ENDS:
        if tokens := find_tokens(text + end):
            return tokens[:-1]
    return []


def _redact_token(token: str, names: Collection[str], hidden: dict[str, str]) -> str:
    """`hidden` holds what stands for each name that does not stay."""
    word = token.upper()
    if _OPERATOR.fullmatch(token) or (word in SQL_WORDS and word not in _TRUTHS):
        return token
    is_quoted = _QUOTED_NAME.fullmatch(token) is not None
    if not is_quoted and (word in _TRUTHS or not _WORD.fullmatch(token)):
        return PLACEHOLDER
    name = (token[1:-1].replace("``", "`") if is_quoted else token).lower()
    return token if name in names else hidden.setdefault(name, f"_{len(hidden) + 1}")
