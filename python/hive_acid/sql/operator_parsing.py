"""Parses the statements of `operator_statements`.

The grammar is Hive's (HiveParser.g and AlterClauseParser.g of 4.1): clauses come in one order. Beyond it, a table's
name may begin with Spark's catalog, and STATE may stand for STATUS, as Hive's manual has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.sql.dialect import find_tokens, upper_word
from hive_acid.sql.operator_statements import (
    COMPACTION_KINDS,
    AbortTransactions,
    Compact,
    DescribeHistory,
    FoundStatement,
    NamedTable,
    ParsedStatement,
    ShowCompactions,
    ShowLocks,
    ShowTransactions,
    SortKey,
)
from hive_acid.sql.reader import Reader, build_syntax_error

T = TypeVar("T")
_SHOWN_KINDS = (*COMPACTION_KINDS, "abort txn cleanup", "smart optimize")
_STATES = (
    "initiated",
    "working",
    "ready for cleaning",
    "succeeded",
    "failed",
    "did not initiate",
    "refused",
    "aborted",
)
_OTHER_NAMES = {"start": "starttime", "highestwriteid": "hightestwriteid"}
"""Other names of Hive for columns: the name in the example of its manual, and the one that its ORDER BY knows."""
_INT_MAX = 2**31 - 1
_EXPLAINED = ("FORMATTED", "EXTENDED", "CODEGEN", "COST")
_OPENING = re.compile(r"""['"`]|/\*""")
_BEGINNINGS: Mapping[tuple[str, str], str] = {
    ("DESCRIBE", "HISTORY"): DescribeHistory.TITLE,
    ("DESC", "HISTORY"): DescribeHistory.TITLE,
    ("SHOW", "COMPACTION"): ShowCompactions.TITLE,
    ("SHOW", "TRANSACTION"): ShowTransactions.TITLE,
    ("SHOW", "LOCK"): ShowLocks.TITLE,
    ("ABORT", "TRANSACTION"): AbortTransactions.TITLE,
    ("ABORT", "COMPACTION"): AbortTransactions.TITLE,
}
"""The first two words, without the S of a plural that somebody may forget."""
_FORMS: Mapping[str, str] = {
    Compact.TITLE: (
        "ALTER TABLE table [PARTITION (column = value, …)] COMPACT 'major' | 'minor' | 'rebalance' "
        "[CLUSTERED INTO n BUCKETS] [AND WAIT] [POOL 'name'] [WITH OVERWRITE TBLPROPERTIES ('key' = 'value', …)]"
    ),
    DescribeHistory.TITLE: "DESCRIBE HISTORY table [LIMIT n]",
    ShowCompactions.TITLE: (
        "SHOW COMPACTIONS [COMPACT_ID = n | DATABASE name | table [PARTITION (column = value, …)]] [POOL 'name'] "
        "[TYPE 'type'] [STATUS 'state'] [ORDER BY column [ASC | DESC], …] [LIMIT n]"
    ),
    ShowLocks.TITLE: "SHOW LOCKS [DATABASE name | table [PARTITION (column = value, …)]] [EXTENDED]",
    ShowTransactions.TITLE: "SHOW TRANSACTIONS",
    AbortTransactions.TITLE: "ABORT TRANSACTIONS n [n …]",
}


def find_operator_statement(text: str) -> FoundStatement | None:
    """The statement in the text; None if the text does not begin like one of them.

    Raises HIVE_ACID_SYNTAX_ERROR if it does and then goes wrong.
    """
    tokens = find_tokens(text)
    if not tokens:
        _refuse_unended(text)
        return None
    explained = _find_explained(tokens)
    if explained is not None:
        tokens = tokens[1 if explained == "simple" else 2 :]
    title = _find_title(tokens)
    if title is None:
        return None
    reader = Reader(text, tokens, title, _FORMS[title])
    for word in title.split()[:2]:
        if not (word == "DESCRIBE" and reader.take("DESC")):
            reader.require(word)
    return FoundStatement(_PARSERS[title](reader), explained)


def _refuse_unended(text: str) -> None:
    """Raises HIVE_ACID_SYNTAX_ERROR for a statement in which a quotation or comment has no end."""
    opening = _OPENING.search(text)
    title = _find_title(find_tokens(text[: opening.start()])) if opening else None
    if opening and title:
        expected = "an end of the quotation or comment that begins here or later"
        raise build_syntax_error(text, opening.start(), title, _FORMS[title], expected, "none")


def _find_explained(tokens: Sequence[Token]) -> str | None:
    words = [upper_word(token) for token in tokens[:2]]
    if words[0] != "EXPLAIN":
        return None
    return words[1].lower() if words[1:] and words[1] in _EXPLAINED else "simple"


def _find_title(tokens: Sequence[Token]) -> str | None:
    words = [upper_word(token) for token in tokens]
    if len(words) < 2:
        return None
    if words[:2] == ["ALTER", "TABLE"]:
        return Compact.TITLE if _is_compact(tokens, words) else None
    return _BEGINNINGS.get((words[0], words[1].removesuffix("S")))


def _is_compact(tokens: Sequence[Token], words: Sequence[str]) -> bool:
    """Whether COMPACT comes behind the table's name, or behind that and PARTITION (…), be it right or not."""
    at = 3
    while at + 1 < len(tokens) and tokens[at].token_type is TokenType.DOT:
        at += 2
    if words[at : at + 1] != ["PARTITION"]:
        return words[at : at + 1] == ["COMPACT"]
    around = zip(tokens[at:], words[at + 1 :], [*tokens[at + 2 :], None], strict=False)
    return any(
        word == "COMPACT" and before.text not in ("(", ",") and (after is None or after.text != "=")
        for before, word, after in around
    )


def _parse_compact(reader: Reader) -> Compact:
    table = _read_table(reader)
    reader.require("COMPACT")
    kind = _read_choice(reader, COMPACTION_KINDS)
    buckets = None
    if reader.take("CLUSTERED", "INTO"):
        buckets = reader.whole_number("a number of buckets", 1, _INT_MAX)
        reader.require("BUCKETS")
    waits = reader.take("AND", "WAIT")
    pool = _read_pool(reader)
    properties = _read_properties(reader) if reader.take("WITH", "OVERWRITE", "TBLPROPERTIES") else ()
    keys = _read_sort_keys(reader) if reader.take("ORDER", "BY") else ()
    reader.end("another clause or the end")
    order_by = ", ".join(key.column for key in keys) or None
    return Compact(table, kind, buckets, waits, pool, properties, order_by)


def _parse_describe_history(reader: Reader) -> DescribeHistory:
    table = NamedTable(_read_name(reader))
    limit = reader.whole_number("a number of rows", 1) if reader.take("LIMIT") else None
    reader.end("LIMIT or the end")
    return DescribeHistory(table, limit)


def _parse_show_compactions(reader: Reader) -> ShowCompactions:
    if reader.take("COMPACT_ID"):
        reader.require("=")
        compaction_id = reader.whole_number("the ID of a compaction")
        reader.end("the end")
        return ShowCompactions(compaction_id=compaction_id)
    table, database = _read_scope(reader, "POOL", "TYPE", "STATUS", "STATE", "ORDER", "LIMIT")
    pool = _read_pool(reader)
    kind = _read_choice(reader, _SHOWN_KINDS) if reader.take("TYPE") else None
    state = _read_choice(reader, _STATES) if reader.take("STATUS") or reader.take("STATE") else None
    columns = [column.name for column in ShowCompactions.COLUMNS]
    keys = _read_sort_keys(reader, columns) if reader.take("ORDER", "BY") else ()
    limit = reader.whole_number("a number of rows") if reader.take("LIMIT") else None
    reader.end("another clause or the end")
    return ShowCompactions(table, database, None, pool, kind, state, keys, limit)


def _parse_show_locks(reader: Reader) -> ShowLocks:
    table, database = _read_scope(reader, "EXTENDED")
    reader.take("EXTENDED")
    reader.end("EXTENDED or the end")
    return ShowLocks(table, database)


def _parse_show_transactions(reader: Reader) -> ShowTransactions:
    reader.end("the end")
    return ShowTransactions()


def _parse_abort_transactions(reader: Reader) -> AbortTransactions:
    ids = [reader.whole_number("the ID of a transaction")]
    while reader.next.token_type is TokenType.NUMBER:
        ids.append(reader.whole_number("the ID of a transaction"))
    reader.end("the ID of a transaction or the end")
    return AbortTransactions(tuple(dict.fromkeys(ids)))


_PARSERS: Mapping[str, Callable[[Reader], ParsedStatement]] = {
    Compact.TITLE: _parse_compact,
    DescribeHistory.TITLE: _parse_describe_history,
    ShowCompactions.TITLE: _parse_show_compactions,
    ShowLocks.TITLE: _parse_show_locks,
    ShowTransactions.TITLE: _parse_show_transactions,
    AbortTransactions.TITLE: _parse_abort_transactions,
}


def _read_scope(reader: Reader, *keywords: str) -> tuple[NamedTable | None, str | None]:
    """A table or a database, if there is one; a table that is called like one of the keywords is in backquotes."""
    if reader.take("DATABASE") or reader.take("SCHEMA"):
        return None, reader.name("the name of a database")
    is_table = reader.is_name_next() and not reader.is_next(*keywords)
    return _read_table(reader) if is_table else None, None


def _read_table(reader: Reader) -> NamedTable:
    parts = _read_name(reader)
    return NamedTable(parts, clause=_read_partition(reader) if reader.is_next("PARTITION") else None)


def _read_name(reader: Reader) -> tuple[str, ...]:
    parts = [reader.name("the name of a table")]
    while reader.take("."):
        parts.append(reader.name("a name"))
    return tuple(parts)


def _read_pool(reader: Reader) -> str | None:
    return reader.string("the pool's name in quotation marks") if reader.take("POOL") else None


def _read_partition(reader: Reader) -> str:
    """The clause as it is written: what its constants mean is up to Spark's parser, which differs by line."""
    start = reader.next.start
    reader.require("PARTITION")
    _read_pairs(
        reader, "partition column", lambda: reader.name("a partition column").lower(), lambda: _pass_constant(reader)
    )
    return reader.text_from(start)


def _read_properties(reader: Reader) -> tuple[tuple[str, str], ...]:
    return _read_pairs(
        reader,
        "key",
        lambda: reader.string("a key in quotation marks"),
        lambda: reader.string("a value in quotation marks"),
    )


def _read_pairs(
    reader: Reader, key_noun: str, read_key: Callable[[], str], read_value: Callable[[], T]
) -> tuple[tuple[str, T], ...]:
    pairs: dict[str, T] = {}
    reader.require("(")
    while not pairs or reader.take(","):
        at = reader.next
        key = read_key()
        if key in pairs:
            raise reader.error(f"another {key_noun}", at)
        reader.require("=")
        pairs[key] = read_value()
    reader.require(")", ", or )")
    return tuple(pairs.items())


def _pass_constant(reader: Reader) -> None:
    """Several texts in a row are one in Spark, and a text may have a letter before its quotation marks."""
    expected = "a value: a text in quotation marks, a number, TRUE, FALSE, DATE '…', TIMESTAMP '…' or NULL"
    if any(reader.take(word) for word in ("NULL", "TRUE", "FALSE")):
        return
    if reader.take("DATE") or reader.take("TIMESTAMP"):
        reader.string("a text in quotation marks")
    elif reader.take("-"):
        reader.number("a number")
    elif reader.is_number_next():
        reader.number(expected)
    else:
        reader.texts(expected)


def _read_choice(reader: Reader, choices: Sequence[str]) -> str:
    """One of the texts, in any case; underscores and hyphens may stand for the blanks between words."""
    quoted = [f"'{choice}'" for choice in choices]
    expected = f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    at = reader.next
    found = re.sub(r"[\s_-]+", " ", reader.string(expected)).strip().lower()
    if found not in choices:
        raise reader.error(expected, at)
    return found


def _read_sort_keys(reader: Reader, columns: Sequence[str] = ()) -> tuple[SortKey, ...]:
    keys = [_read_sort_key(reader, columns)]
    while reader.take(","):
        keys.append(_read_sort_key(reader, columns))
    return tuple(keys)


def _read_sort_key(reader: Reader, columns: Sequence[str]) -> SortKey:
    """Any name will do if no columns are given."""
    expected = f"a column: {', '.join(columns)}" if columns else "the name of a column"
    at = reader.next
    column = reader.name(expected).lower()
    column = _OTHER_NAMES.get(column, column) if columns else column
    if columns and column not in columns:
        raise reader.error(expected, at)
    is_descending = reader.take("DESC")
    if not is_descending:
        reader.take("ASC")
    nulls_first = not is_descending
    if reader.take("NULLS"):
        nulls_first = reader.take("FIRST")
        if not nulls_first:
            reader.require("LAST", "FIRST or LAST")
    return SortKey(column, is_descending, nulls_first)
