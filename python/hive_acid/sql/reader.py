"""A reader of tokens that says what it expected where it found something else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.write_ids import LONG_MAX

_SHOWN_CHARACTERS = 40
"""The length to which an error shows a piece that stands where something else was expected."""
_NUMBER = re.compile(r"[\d.]+(?:E[+-]?\d+)?(?:[LSYDF]|BD)", re.IGNORECASE)
"""A number with a suffix, which is a word for sqlglot."""
_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)
_TEXTS = (TokenType.STRING, TokenType.RAW_STRING, TokenType.HEX_STRING)


def build_syntax_error(text: str, at: int, title: str, form: str, expected: str, found: str) -> HiveAcidError:
    """HIVE_ACID_SYNTAX_ERROR with the place as Spark counts it: lines from 1, positions in them from 0."""
    before = text[:at]
    line, position = before.count("\n") + 1, at - (before.rfind("\n") + 1)
    return build_error(
        "HIVE_ACID_SYNTAX_ERROR",
        statement=title,
        line=line,
        position=position,
        expected=expected,
        found=found,
        form=form,
    )


class Reader:
    """Reads the tokens of one statement in order.

    `title` and `form` are the statement and its grammar, for errors. Every method that cannot read on raises
    HIVE_ACID_SYNTAX_ERROR.
    """

    def __init__(self, text: str, tokens: Sequence[Token], title: str, form: str) -> None:
        self._text = text
        self._tokens = [*tokens, Token(TokenType.UNKNOWN, "", start=len(text), end=len(text))]
        self._at = 0
        self._title = title
        self._form = form

    @property
    def next(self) -> Token:
        """The token that has not been read."""
        return self._tokens[self._at]

    def error(self, expected: str, at: Token | None = None) -> HiveAcidError:
        """The error of the next token, or of another one."""
        token = at or self.next
        found = self._text[token.start : token.end + 1] or "the end"
        if len(found) > _SHOWN_CHARACTERS:
            found = found[:_SHOWN_CHARACTERS] + "…"
        return build_syntax_error(self._text, token.start, self._title, self._form, expected, found)

    def is_next(self, *words: str) -> bool:
        """Whether one of these keywords, in upper case, or symbols comes next."""
        return self.next.token_type not in _QUOTED and self.next.text.upper() in words

    def take(self, *words: str) -> bool:
        """Reads these keywords or symbols if they come next; the first alone decides, and the others must follow."""
        if not self.is_next(words[0]):
            return False
        self._at += 1
        for word in words[1:]:
            self.require(word)
        return True

    def require(self, word: str, expected: str | None = None) -> None:
        """Reads this keyword or symbol, or tells what else might have come."""
        if not self.take(word):
            raise self.error(expected or word)

    def string(self, expected: str) -> str:
        """Reads a text in quotation marks."""
        return self._read(expected, TokenType.STRING).text

    def texts(self, expected: str) -> None:
        """Reads one text or more, in quotation marks that may have a letter before them."""
        if self.next.token_type not in _TEXTS:
            raise self.error(expected)
        while self.next.token_type in _TEXTS:
            self._at += 1

    def text_from(self, start: int) -> str:
        """The text from there to the end of what has been read."""
        return self._text[start : self._tokens[self._at - 1].end + 1]

    def text_until(self, expected: str, *words: str) -> str:
        """Reads everything up to one of these keywords or symbols, or to the end: its text."""
        if self._is_end or self.is_next(*words):
            raise self.error(expected)
        start = self.next.start
        while not self._is_end and not self.is_next(*words):
            self._at += 1
        return self.text_from(start)

    def is_number_next(self) -> bool:
        """Whether a number comes next, which may have a suffix of Spark's."""
        is_suffixed = self.next.token_type is TokenType.VAR and bool(_NUMBER.fullmatch(self.next.text))
        return is_suffixed or self.next.token_type is TokenType.NUMBER

    def number(self, expected: str) -> None:
        """Reads such a number."""
        if not self.is_number_next():
            raise self.error(expected)
        self._read(expected, self.next.token_type)

    def whole_number(self, expected: str, least: int = 0, greatest: int = LONG_MAX) -> int:
        """Reads a whole number within the bounds."""
        token = self._read(expected, TokenType.NUMBER)
        is_whole = token.text.isascii() and token.text.isdecimal()
        if not is_whole or not least <= int(token.text) <= greatest:
            raise self.error(expected, token)
        return int(token.text)

    def is_name_next(self) -> bool:
        """Whether a name comes next, in backquotes or not."""
        is_word = self.next.token_type is TokenType.VAR and not self.is_number_next()
        return is_word or self.next.token_type is TokenType.IDENTIFIER

    def name(self, expected: str) -> str:
        """Reads a name, in backquotes or not."""
        if not self.is_name_next():
            raise self.error(expected)
        return self._read(expected, self.next.token_type).text

    def end(self, expected: str) -> None:
        """Makes sure that nothing follows but semicolons."""
        while self.take(";"):
            pass
        if not self._is_end:
            raise self.error(expected)

    @property
    def _is_end(self) -> bool:
        return self._at == len(self._tokens) - 1

    def _read(self, expected: str, kind: TokenType) -> Token:
        token = self.next
        if token.token_type is not kind:
            raise self.error(expected)
        self._at += 1
        return token
