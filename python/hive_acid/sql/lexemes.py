"""Pieces of SQL text, and a reader that says what it expected where it found something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.write_ids import LONG_MAX
from hive_acid.sql.hive_syntax import find_tokens

_SHOWN_CHARACTERS = 40
"""Of what stands where something else was expected."""


class LexemeKind(Enum):
    """What a piece is. QUOTED is a name in backquotes, STRING a text in quotation marks."""

    WORD = "word"
    QUOTED = "quoted"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    END = "end"


@dataclass(frozen=True)
class Lexeme:
    """A piece of the text between `start` and `end`, which is behind it, in characters.

    `text` is without the quotation marks; of a word and a number as they were written.
    """

    kind: LexemeKind
    text: str
    start: int
    end: int

    def is_word(self, word: str) -> bool:
        """True for that keyword, in upper case, as anybody may write it."""
        return self.kind is LexemeKind.WORD and self.text.upper() == word


def find_lexemes(text: str) -> list[Lexeme]:
    """The pieces of the text, without comments; none if a quotation or comment has no end."""
    found: list[Lexeme] = []
    for token in find_tokens(text):
        if not found or token.start >= found[-1].end:  # sqlglot makes three tokens of 12L
            found += _split(token, text)
    return found


def _split(token: Token, text: str) -> list[Lexeme]:
    written = text[token.start : token.end + 1]
    if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
        kind = LexemeKind.STRING if token.token_type is TokenType.STRING else LexemeKind.QUOTED
        return [Lexeme(kind, token.text, token.start, token.end + 1)]
    if token.token_type is TokenType.NUMBER and written == token.text:
        return [Lexeme(LexemeKind.NUMBER, written, token.start, token.end + 1)]
    lexemes, at = [], token.start
    for word in written.split():  # ORDER BY is one token
        at = text.index(word, at)
        kind = LexemeKind.WORD if word.replace("_", "a").isalnum() and not word[0].isdecimal() else LexemeKind.SYMBOL
        if token.token_type is TokenType.VAR:
            kind = LexemeKind.WORD  # a name may begin with a digit
        lexemes.append(Lexeme(kind, word, at, at + len(word)))
        at += len(word)
    return lexemes


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
    """Reads the pieces of one statement in order.

    `title` and `form` are the statement and its grammar, for errors. Every method that cannot read on raises
    HIVE_ACID_SYNTAX_ERROR.
    """

    def __init__(self, text: str, lexemes: Sequence[Lexeme], title: str, form: str) -> None:
        self._text = text
        self._lexemes = [*lexemes, Lexeme(LexemeKind.END, "", len(text), len(text))]
        self._at = 0
        self._title = title
        self._form = form

    @property
    def next(self) -> Lexeme:
        """The piece that has not been read."""
        return self._lexemes[self._at]

    def error(self, expected: str, at: Lexeme | None = None) -> HiveAcidError:
        """The error of the next piece, or of another one."""
        lexeme = at or self.next
        found = self._text[lexeme.start : lexeme.end]
        if len(found) > _SHOWN_CHARACTERS:
            found = found[:_SHOWN_CHARACTERS] + "…"
        shown = found if lexeme.kind is not LexemeKind.END else "the end"
        return build_syntax_error(self._text, lexeme.start, self._title, self._form, expected, shown)

    def take(self, *words: str) -> bool:
        """Reads these keywords if they come next; the first alone decides, and the others must follow."""
        if not self.next.is_word(words[0]):
            return False
        self._at += 1
        for word in words[1:]:
            if not self.take(word):
                raise self.error(word)
        return True

    def skip(self, count: int) -> None:
        """Passes over pieces that are known."""
        self._at += count

    def take_symbol(self, symbol: str) -> bool:
        """Reads this symbol if it comes next."""
        is_there = self.next.kind is LexemeKind.SYMBOL and self.next.text == symbol
        self._at += is_there
        return is_there

    def symbol(self, symbol: str, expected: str | None = None) -> None:
        """Reads this symbol, or tells what else might have come."""
        if not self.take_symbol(symbol):
            raise self.error(expected or symbol)

    def string(self, expected: str) -> str:
        """Reads a text in quotation marks."""
        return self._read(LexemeKind.STRING, expected).text

    def whole_number(self, expected: str, least: int = 0, greatest: int = LONG_MAX) -> int:
        """Reads a whole number within the bounds."""
        lexeme = self._read(LexemeKind.NUMBER, expected)
        is_whole = lexeme.text.isascii() and lexeme.text.isdecimal()
        if not is_whole or not least <= int(lexeme.text) <= greatest:
            raise self.error(expected, lexeme)
        return int(lexeme.text)

    def number(self, expected: str) -> str:
        """Reads a number, as it was written."""
        return self._read(LexemeKind.NUMBER, expected).text

    def name(self, expected: str) -> str:
        """Reads a name, in backquotes or not."""
        if self.next.kind is LexemeKind.QUOTED:
            return self._read(LexemeKind.QUOTED, expected).text
        return self._read(LexemeKind.WORD, expected).text

    def end(self, expected: str) -> None:
        """Makes sure that nothing follows but semicolons."""
        while self.take_symbol(";"):
            pass
        if self.next.kind is not LexemeKind.END:
            raise self.error(expected)

    def _read(self, kind: LexemeKind, expected: str) -> Lexeme:
        lexeme = self.next
        if lexeme.kind is not kind:
            raise self.error(expected)
        self._at += 1
        return lexeme
