"""The tokens of Spark's SQL, for statements that Spark's parser does not take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

_SPARKS_OWN = (
    "MATCHED REBALANCE NAME IDENTIFIER TARGET SOURCE PRECEDING UNBOUNDED FOLLOWING CURRENT NULLS WITHIN AT ZONE OF "
    "VERSION ROW__ID BY KEY VALUE STORED ORC PARQUET AVRO TEXTFILE JSONFILE SEQUENCEFILE RCFILE TBLPROPERTIES OPTIONS "
    "PARTITIONED CLUSTERED SORTED BUCKETS LOCATION EXTERNAL SERDE SERDEPROPERTIES INPUTFORMAT OUTPUTFORMAT DELIMITED "
    "FIELDS TERMINATED LINES COLLECTION ITEMS KEYS ESCAPED DEFINED DATA INPATH PARTITIONS IMMEDIATE EVOLUTION"
)
"""Words that sqlglot reads as names."""
SQL_WORDS = frozenset(
    word
    for known in (Spark.Tokenizer.KEYWORDS, Spark.Parser.FUNCTIONS, _SPARKS_OWN.split())
    for phrase in known
    for word in phrase.upper().split()
    if word.isidentifier()
)
"""Words of statements and names of functions, in upper case."""


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
    """The tokens of the text, with their positions; none if a quotation or comment is not closed."""
    try:
        return HiveAcid().tokenize(text)
    except SqlglotError:
        return []


def upper_word(token: Token) -> str:
    """The word in upper case; empty for a token that is no word, such as a name in backquotes."""
    return token.text.upper() if token.token_type is TokenType.VAR else ""


def find_name(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The parts of the name of a table that the tokens begin with; none if they begin with something else."""
    parts: list[str] = []
    for dot, part in zip((None, *tokens[1::2]), tokens[::2], strict=False):
        if part.token_type not in (TokenType.VAR, TokenType.IDENTIFIER) or (
            dot and dot.token_type is not TokenType.DOT
        ):
            break
        parts.append(part.text)
    return tuple(parts)
