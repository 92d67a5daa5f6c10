"""Statements of other engines that one of Spark's says: DELETE … USING and UPDATE … FROM are a MERGE."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.sql.dialect import find_name, find_tokens, upper_word
from hive_acid.wire.rewriting import Translation

_EXPLAINED = ("CODEGEN", "COST", "EXTENDED", "FORMATTED")
_BEYOND_A_TABLE = ("ANTI", "CROSS", "FULL", "INNER", "JOIN", "LATERAL", "LEFT", "NATURAL", "RIGHT", "SEMI")
_BEYOND_A_CONDITION = ("GROUP", "HAVING", "LIMIT", "ORDER", "RETURNING")


def translate(text: str) -> Translation | None:
    """The statement of Spark that says the same; None if the text is not one of these.

    That is `TRUNCATE t`, `DELETE FROM t USING s WHERE …`, of which a row may have several matches, and `UPDATE t SET …
    FROM s WHERE …`, where several are the error of MERGE. The source is one table or one query in brackets: of more,
    or without a WHERE, there is no translation.
    """
    tokens = [token for token in find_tokens(text) if token.token_type is not TokenType.SEMICOLON]
    start = _find_start(tokens)
    build = _BUILDERS.get(upper_word(tokens[start])) if start < len(tokens) else None
    return build(_Pieces(text, tokens[start:])) if build else None


def _find_start(tokens: Sequence[Token]) -> int:
    """Where the statement begins, behind an EXPLAIN."""
    words = [upper_word(token) for token in tokens[:2]]
    if words[:1] != ["EXPLAIN"]:
        return 0
    return 2 if words[1:] and words[1] in _EXPLAINED else 1


class _Pieces:
    """The tokens of a statement, and the words outside of brackets by their places."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.before = text[: tokens[0].start]
        self.words: list[str] = []
        depth = 0
        for token in tokens:
            depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
            self.words.append((upper_word(token) or token.text) if depth == 0 else "")

    def find(self, word: str, start: int) -> int | None:
        """The place of the word from there on; FROM behind DISTINCT is an operator."""
        places = (at for at in range(start, len(self.words)) if self.words[at] == word)
        return next((at for at in places if self.words[at - 1] != "DISTINCT"), None)

    def cut(self, start: int, end: int) -> str:
        """The text of these tokens."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end + 1]


def _build_truncate(pieces: _Pieces) -> Translation | None:
    name = find_name(pieces.tokens[1:])
    if not name or pieces.words[1] == "TABLE":
        return None
    rest = pieces.cut(1, len(pieces.tokens))
    return Translation(f"{pieces.before}TRUNCATE TABLE {rest}", name)


def _build_delete(pieces: _Pieces) -> Translation | None:
    using = pieces.find("USING", 3)
    if pieces.words[1:2] != ["FROM"] or using is None:
        return None
    return _build_merge(pieces, 2, using, using, "DELETE")


def _build_update(pieces: _Pieces) -> Translation | None:
    set_ = pieces.find("SET", 2)
    from_ = pieces.find("FROM", set_) if set_ else None
    if set_ is None or from_ is None or from_ == set_ + 1:
        return None
    return _build_merge(pieces, 1, set_, from_, f"UPDATE {pieces.cut(set_, from_)}")


def _build_merge(pieces: _Pieces, start: int, end: int, source: int, action: str) -> Translation | None:
    """`start` to `end` are the target and its alias, and `source` is the word in front of the source."""
    name, where, last = find_name(pieces.tokens[start:]), pieces.find("WHERE", source), len(pieces.tokens)
    if not name or where is None or where in (source + 1, last - 1):
        return None
    told, asked = pieces.words[source + 1 : where], pieces.words[where + 1 :]
    if "," in told or not set(told).isdisjoint(_BEYOND_A_TABLE) or not set(asked).isdisjoint(_BEYOND_A_CONDITION):
        return None
    target, rows, condition = pieces.cut(start, end), pieces.cut(source + 1, where), pieces.cut(where + 1, last)
    merge = f"MERGE INTO {target} USING {rows} ON ({condition}\n) WHEN MATCHED THEN {action}"
    return Translation(pieces.before + merge, name)


_BUILDERS: dict[str, Callable[[_Pieces], Translation | None]] = {
    "TRUNCATE": _build_truncate,
    "DELETE": _build_delete,
    "UPDATE": _build_update,
}
