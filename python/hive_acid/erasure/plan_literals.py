"""Subjects in the SQL expressions of a plan: these are shown, and signed, as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.erasure.spotting import Spotter
from hive_acid.sql.dialect import find_tokens

_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"([0-9]{5,}(?:\.[0-9]+)?|[0-9]+\.[0-9]{2,})(?:[LSYDF]|BD)?", re.IGNORECASE)
_TEXTS = (TokenType.STRING, TokenType.RAW_STRING, TokenType.NATIONAL_STRING)


def names_subject(expression: str, spotter: Spotter) -> bool:
    """True if a literal, a quoted name, a pattern or a comment of the expression spells a value of a subject.

    Names of columns and functions, and numbers of up to four digits, are none.
    """
    tokens = find_tokens(expression)
    rest = list(expression)
    for token in tokens:
        if token.token_type in (TokenType.VAR, TokenType.IDENTIFIER) and _NAME.fullmatch(token.text):
            rest[token.start : token.end + 1] = "\x1f" * (token.end + 1 - token.start)
    return spotter.spells("".join(rest)) or any(spotter.names_person(text) for text in _find_literals(tokens))


def _find_literals(tokens: list[Token]) -> Iterator[str]:
    """The values of literals. Texts beside each other are one (Spark's stringLit+)."""
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
