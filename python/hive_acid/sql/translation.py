"""Statements of other engines that one of Spark's says, as DELETE … USING and UPDATE … FROM, which are a MERGE."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.sql.dialect import find_name, find_tokens, upper_word
from hive_acid.wire.rewriting import Translation

_EXPLAINED = ("CODEGEN", "COST", "EXTENDED", "FORMATTED")
_BEYOND_A_TABLE = ("ANTI", "CROSS", "FULL", "INNER", "JOIN", "LATERAL", "LEFT", "NATURAL", "RIGHT", "SEMI")
_BEYOND_A_CONDITION = ("GROUP", "HAVING", "LIMIT", "ORDER", "RETURNING")
_QUERIES = ("FROM", "SELECT", "TABLE", "VALUES", "WITH")


def translate(text: str) -> Translation | None:
    """The statement of Spark that says the same; None if the text is not one of these.

    That is `TRUNCATE t`, `DELETE FROM t USING s WHERE …`, of which a row may have several matches, and `UPDATE t SET …
    FROM s WHERE …`, where several are the error of MERGE. The source is one table or one query in brackets: of more,
    or without a WHERE, there is no translation. `UPDATE t SET (a, b) = (1, 2)` has one, but not with a query of several
    columns, which Spark would run for each of them.
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
    """The tokens of a statement, in how many brackets each stands, and the words outside of all by their places."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.before = text[: tokens[0].start]
        self.depths: list[int] = []
        depth = 0
        for token in tokens:
            depth -= token.token_type is TokenType.R_PAREN
            self.depths.append(depth)
            depth += token.token_type is TokenType.L_PAREN
        places = zip(tokens, self.depths, strict=True)
        self.words = ["" if depth else upper_word(token) or token.text for token, depth in places]

    def find(self, word: str, start: int) -> int | None:
        """The place of the word from there on; FROM behind DISTINCT is an operator."""
        places = (at for at in range(start, len(self.words)) if self.words[at] == word)
        return next((at for at in places if self.words[at - 1] != "DISTINCT"), None)

    def find_close(self, start: int) -> int | None:
        """The place of the bracket that closes the one at `start`; None if there is none at `start`, or no other."""
        if self.tokens[start].token_type is not TokenType.L_PAREN:
            return None
        later = range(start + 1, len(self.tokens))
        return next((at for at in later if self.depths[at] == self.depths[start]), None)

    def split(self, start: int, end: int) -> list[tuple[int, int]]:
        """From where to where, without the last, each thing between commas goes; nothing if one is empty."""
        depth, parts, first = self.depths[start], [], start
        for at in range(start, end):
            if self.tokens[at].token_type is TokenType.COMMA and self.depths[at] == depth:
                parts.append((first, at))
                first = at + 1
        parts.append((first, end))
        return parts if all(first < after for first, after in parts) else []

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
    set_, last = pieces.find("SET", 2), len(pieces.tokens)
    if set_ is None:
        return None
    from_ = pieces.find("FROM", set_)
    end = from_ or pieces.find("WHERE", set_) or last
    parts = pieces.split(set_ + 1, end) if end > set_ + 1 else []
    assignments = _spread(pieces, parts)
    has_list = any(pieces.tokens[first].token_type is TokenType.L_PAREN for first, _ in parts)
    if not assignments or not (has_list or from_):
        return None
    if from_ is not None:
        return _build_merge(pieces, 1, set_, from_, f"UPDATE SET {assignments}")
    rest = f" {pieces.cut(end, last)}" if end < last else ""
    return Translation(f"{pieces.before}{pieces.cut(0, set_)} SET {assignments}{rest}", find_name(pieces.tokens[1:]))


def _spread(pieces: _Pieces, assignments: Sequence[tuple[int, int]]) -> str | None:
    """The assignments with one for each column of a list; None if a list of columns gets no list of as many values."""
    spread = []
    for first, after in assignments:
        if pieces.tokens[first].token_type is not TokenType.L_PAREN:
            spread.append(pieces.cut(first, after))
            continue
        close = pieces.find_close(first)
        columns = pieces.split(first + 1, close) if close else []
        values = _find_values(pieces, close + 1, after, len(columns)) if close else []
        if not values or len(values) != len(columns):
            return None
        spread += [
            f"{pieces.cut(*column)} = {pieces.cut(*value)}" for column, value in zip(columns, values, strict=True)
        ]
    return ", ".join(spread)


def _find_values(pieces: _Pieces, equals: int, after: int, count: int) -> list[tuple[int, int]]:
    """The places of the values in `= (…)`, where one value may be any; none if that is something else, or a query."""
    if equals + 3 >= after or pieces.tokens[equals].token_type is not TokenType.EQ:
        return []
    if count == 1:
        return [(equals + 1, after)]
    if pieces.find_close(equals + 1) != after - 1 or upper_word(pieces.tokens[equals + 2]) in _QUERIES:
        return []
    return pieces.split(equals + 2, after - 1)


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
