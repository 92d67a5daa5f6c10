"""The literals of an SQL expression, and what it tells besides names of columns and functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from sqlglot.tokenizer_core import TokenType

from hive_acid.api.expressions import find_tokens

_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"([0-9]{5,}(?:\.[0-9]+)?|[0-9]+\.[0-9]{2,})(?:[LSYDF]|BD)?", re.IGNORECASE)
_TEXTS = (TokenType.STRING, TokenType.RAW_STRING, TokenType.NATIONAL_STRING)


def blank_names(expression: str) -> str:
    """The text with a control character in place of each letter of a plain name, as those of columns and functions."""
    rest = list(expression)
    for token in find_tokens(expression):
        if token.token_type in (TokenType.VAR, TokenType.IDENTIFIER) and _NAME.fullmatch(token.text):
            rest[token.start : token.end + 1] = "\x1f" * (token.end + 1 - token.start)
    return "".join(rest)


def find_literals(expression: str) -> Iterator[str]:
    """The values of texts, bytes that are texts, and numbers of more than four digits, without their suffixes.

    Texts beside each other are told by themselves and as one (Spark's `stringLit+`).
    """
    tokens = find_tokens(expression)
    for is_text, group in groupby(tokens, key=lambda token: token.token_type in _TEXTS):
        texts = [token.text for token in group]
        if is_text:
            yield from (*texts, "".join(texts))
    for before, token in zip((None, *tokens), tokens, strict=False):
        if token.token_type is TokenType.HEX_STRING and len(token.text) % 2 == 0:
            yield bytes.fromhex(token.text).decode(errors="replace")
        elif number := _NUMBER.fullmatch(token.text):
            yield number[1]
            if before is not None and before.token_type is TokenType.DASH:
                yield f"-{number[1]}"
