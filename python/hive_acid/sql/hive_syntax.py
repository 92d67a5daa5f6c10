"""Statements in Hive's spelling that Spark's parser does not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.errors import build_error
from hive_acid.sql.dialect import find_name, find_tokens, upper_word
from hive_acid.wire.rewriting import ColumnGap, Respelling


def respell(text: str) -> Respelling | None:
    """The changes by which Spark takes a text in Hive's spelling; None if there is nothing of that in it.

    That is `MERGE INTO t … WHEN NOT MATCHED THEN INSERT VALUES (…)`, which names no columns, and `CREATE TRANSACTIONAL
    TABLE`. Nothing is moved or printed anew: but for the blanks, the pieces together are the text.

    Raises HIVE_ACID_UNSUPPORTED_TABLE for `ROW FORMAT DELIMITED` of a transactional table of ORC, which Hive passes
    over.
    """
    tokens = find_tokens(text)
    _refuse_row_format(tokens)
    creations = []
    for create, word in _find_creations(tokens):
        creations.append(create.start)
        text = text[: word.start] + " " * (word.end + 1 - word.start) + text[word.end + 1 :]
    gaps, done = [], 0
    for end, table in _find_gaps(tokens):
        gaps.append(ColumnGap(text[done:end], table))
        done = end
    return Respelling(tuple(gaps), text[done:], tuple(creations)) if gaps or creations else None


def _find_creations(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """CREATE and TRANSACTIONAL, wherever TABLE follows."""
    for create, word, table in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if _words((create, word, table)) == ["CREATE", "TRANSACTIONAL", "TABLE"]:
            yield create, word


def _refuse_row_format(tokens: Sequence[Token]) -> None:
    words = _words(tokens)
    texts = [token.text.lower() for token in tokens]
    is_delimited = _has(words, "ROW", "FORMAT", "DELIMITED") and _has(words, "STORED", "AS", "ORC")
    if words[:1] != ["CREATE"] or "TABLE" not in words or not is_delimited:
        return
    if "TRANSACTIONAL" in words[1:3] or _has(texts, "transactional", "=", "true"):
        name = tokens[words.index("TABLE") + 1 :]
        table = ".".join(find_name(name[3:] if _has(_words(name[:3]), "IF", "NOT", "EXISTS") else name))
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.ROW_FORMAT_OF_ORC", operation="CREATE TABLE", table=table)


def _has(words: Sequence[str], *wanted: str) -> bool:
    return any(tuple(words[at : at + len(wanted)]) == wanted for at in range(len(words)))


def _find_gaps(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where each gap is, and the target of its MERGE."""
    target: tuple[str, ...] = ()
    for index, token in enumerate(tokens):
        words = _words(tokens[index : index + 3])
        if words[:2] == ["MERGE", "INTO"]:
            target = find_name(tokens[index + 2 :])
        elif token.token_type is TokenType.SEMICOLON:
            target = ()
        elif target and words == ["THEN", "INSERT", "VALUES"]:
            yield tokens[index + 1].end + 1, target


def _words(tokens: Sequence[Token]) -> list[str]:
    return [upper_word(token) for token in tokens]
