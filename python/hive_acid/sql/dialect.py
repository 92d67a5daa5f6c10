"""The tokens of Spark's SQL, for statements that Spark's parser does not take."""

from __future__ import annotations

from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType


class HiveAcid(Spark):
    """Spark's dialect of sqlglot without its words: each token is one piece of the text.

    No word is a keyword, none belongs to the one before it (`ORDER BY`), and no number is parted from its suffix.
    """

    class Tokenizer(Spark.Tokenizer):
        """Words are `VAR`."""

        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            key: kind for key, kind in Spark.Tokenizer.KEYWORDS.items() if not any(map(str.isalpha, key))
        }
        COMMANDS: ClassVar[set[TokenType]] = set()
        NUMERIC_LITERALS: ClassVar[dict[str, str]] = {}


def find_tokens(text: str) -> list[Token]:
    """The tokens of the text, with their positions; none if it has no end of a quotation or comment."""
    try:
        return HiveAcid().tokenize(text)
    except SqlglotError:
        return []


def upper_word(token: Token) -> str:
    """The word in upper case; empty for a token that is no word, such as a name in backquotes."""
    return token.text.upper() if token.token_type is TokenType.VAR else ""
