"""Parses the statements of `operator_statements`.

The grammar is Hive's (HiveParser.g and AlterClauseParser.g of 4.1): clauses come in one order. Beyond it, a table's
name may begin with Spark's catalog, and STATE may stand for STATUS, as Hive's manual has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.errors import InvalidStatement
from hive_acid.sql.dialect import find_tokens, upper_word
from hive_acid.sql.operator_clauses import (
    read_choice,
    read_name,
    read_pool,
    read_properties,
    read_scope,
    read_sort_keys,
    read_table,
)
from hive_acid.sql.operator_statements import (
    COMPACTION_KINDS,
    AbortCompactions,
    AbortTransactions,
    CommitTransaction,
    Compact,
    DescribeDetail,
    DescribeHistory,
    FoundStatement,
    NamedTable,
    ParsedStatement,
    RollBackTransaction,
    ShowCompactions,
    ShowLocks,
    ShowTransactions,
    StartTransaction,
    VacuumDryRun,
)
from hive_acid.sql.reader import Reader, build_syntax_error

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
_INT_MAX = 2**31 - 1
_EXPLAINED = ("FORMATTED", "EXTENDED", "CODEGEN", "COST")
_OPENING = re.compile(r"""['"`]|/\*""")
_BEGINNINGS: Mapping[tuple[str, str], str] = {
    ("DESCRIBE", "DETAIL"): DescribeDetail.TITLE,
    ("DESC", "DETAIL"): DescribeDetail.TITLE,
    ("DESCRIBE", "HISTORY"): DescribeHistory.TITLE,
    ("DESC", "HISTORY"): DescribeHistory.TITLE,
    ("SHOW", "COMPACTION"): ShowCompactions.TITLE,
    ("SHOW", "TRANSACTION"): ShowTransactions.TITLE,
    ("SHOW", "LOCK"): ShowLocks.TITLE,
    ("ABORT", "TRANSACTION"): AbortTransactions.TITLE,
    ("ABORT", "COMPACTION"): AbortCompactions.TITLE,
    ("START", "TRANSACTION"): StartTransaction.TITLE,
}
"""The first two words, without the S of a plural that somebody may forget."""
_OPTIMIZE = "OPTIMIZE"
_FIRST_WORDS: Mapping[str, str] = {_OPTIMIZE: _OPTIMIZE, "VACUUM": VacuumDryRun.TITLE}
"""Words that begin a statement whatever follows."""
_FOREIGN = frozenset((DescribeDetail.TITLE, _OPTIMIZE, VacuumDryRun.TITLE))
"""Words of other engines: see `OperatorStatement`."""
_OF_TRANSACTIONS: Mapping[str, str] = {
    "BEGIN": StartTransaction.TITLE,
    "COMMIT": CommitTransaction.TITLE,
    "ROLLBACK": RollBackTransaction.TITLE,
}
"""Words that stand alone or before TRANSACTION or WORK. BEGIN with anything else behind it begins a script of Spark's,
and what ends that is no COMMIT: clients that cut texts at semicolons send its END by itself.
"""
_FORMS: Mapping[str, str] = {
    Compact.TITLE: (
        "ALTER TABLE table [PARTITION (column = value, …)] COMPACT 'major' | 'minor' | 'rebalance' "
        "[CLUSTERED INTO n BUCKETS] [AND WAIT] [POOL 'name'] [WITH OVERWRITE TBLPROPERTIES ('key' = 'value', …)]"
    ),
    DescribeDetail.TITLE: "DESCRIBE DETAIL table",
    DescribeHistory.TITLE: "DESCRIBE HISTORY table [LIMIT n]",
    _OPTIMIZE: "OPTIMIZE table [WHERE condition on partition columns]",
    ShowCompactions.TITLE: (
        "SHOW COMPACTIONS [COMPACT_ID = n | DATABASE name | table [PARTITION (column = value, …)]] [POOL 'name'] "
        "[TYPE 'type'] [STATUS 'state'] [ORDER BY column [ASC | DESC], …] [LIMIT n]"
    ),
    ShowLocks.TITLE: "SHOW LOCKS [DATABASE name | table [PARTITION (column = value, …)]] [EXTENDED]",
    ShowTransactions.TITLE: "SHOW TRANSACTIONS",
    AbortCompactions.TITLE: "ABORT COMPACTIONS n [n …]",
    AbortTransactions.TITLE: "ABORT TRANSACTIONS n [n …]",
    VacuumDryRun.TITLE: "VACUUM table DRY RUN",
    StartTransaction.TITLE: "START TRANSACTION | BEGIN [TRANSACTION | WORK]",
    CommitTransaction.TITLE: "COMMIT [TRANSACTION | WORK]",
    RollBackTransaction.TITLE: "ROLLBACK [TRANSACTION | WORK]",
}


def find_operator_statement(text: str) -> FoundStatement | None:
    """The statement in the text; None if the text does not begin like one of them.

    Raises HIVE_ACID_SYNTAX_ERROR if it does and then goes wrong; in words of other engines that is left to the hints,
    which ask what table it is about.
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
    _read_title(reader, title)
    is_foreign = title in _FOREIGN
    try:
        return FoundStatement(_PARSERS[title](reader), explained, is_foreign)
    except InvalidStatement:
        if is_foreign:
            return None
        raise


def _read_title(reader: Reader, title: str) -> None:
    for word, meant in _OF_TRANSACTIONS.items():
        if meant == title and reader.take(word):
            if not reader.take("TRANSACTION"):
                reader.take("WORK")
            return
    for word in title.partition(" …")[0].split():
        if not (word == "DESCRIBE" and reader.take("DESC")):
            reader.require(word)


def _refuse_unended(text: str) -> None:
    """Raises HIVE_ACID_SYNTAX_ERROR for a statement in which a quotation or comment has no end."""
    opening = _OPENING.search(text)
    title = _find_title(find_tokens(text[: opening.start()])) if opening else None
    if opening and title and title not in _FOREIGN:
        expected = "an end of the quotation or comment that begins here or later"
        raise build_syntax_error(text, opening.start(), title, _FORMS[title], expected, "none")


def _find_explained(tokens: Sequence[Token]) -> str | None:
    words = [upper_word(token) for token in tokens[:2]]
    if words[0] != "EXPLAIN":
        return None
    return words[1].lower() if words[1:] and words[1] in _EXPLAINED else "simple"


def _find_title(tokens: Sequence[Token]) -> str | None:
    words = [upper_word(token) for token in tokens if token.token_type is not TokenType.SEMICOLON]
    if words[:1] and words[0] in _OF_TRANSACTIONS and words[1:2] in ([], ["TRANSACTION"], ["WORK"]):
        return _OF_TRANSACTIONS[words[0]]
    if len(words) < 2:
        return None
    if words[:2] == ["ALTER", "TABLE"]:
        return Compact.TITLE if _is_compact(tokens, words) else None
    return _FIRST_WORDS.get(words[0]) or _BEGINNINGS.get((words[0], words[1].removesuffix("S")))


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
    table = read_table(reader)
    reader.require("COMPACT")
    kind = read_choice(reader, COMPACTION_KINDS)
    buckets = None
    if reader.take("CLUSTERED", "INTO"):
        buckets = reader.whole_number("a number of buckets", 1, _INT_MAX)
        reader.require("BUCKETS")
    waits = reader.take("AND", "WAIT")
    pool = read_pool(reader)
    properties = read_properties(reader) if reader.take("WITH", "OVERWRITE", "TBLPROPERTIES") else ()
    keys = read_sort_keys(reader) if reader.take("ORDER", "BY") else ()
    reader.end("another clause or the end")
    order_by = ", ".join(key.column for key in keys) or None
    return Compact(table, kind, buckets, waits, pool, properties, order_by)


def _parse_optimize(reader: Reader) -> Compact:
    table = NamedTable(read_name(reader))
    condition = reader.text_until("a condition", "ZORDER", ";") if reader.take("WHERE") else None
    reader.end("WHERE or the end")
    return Compact(table, "major", condition=condition)


def _parse_vacuum(reader: Reader) -> VacuumDryRun:
    table = NamedTable(read_name(reader))
    reader.require("DRY")
    reader.require("RUN")
    reader.end("the end")
    return VacuumDryRun(table)


def _parse_describe_detail(reader: Reader) -> DescribeDetail:
    table = NamedTable(read_name(reader))
    reader.end("the end")
    return DescribeDetail(table)


def _parse_describe_history(reader: Reader) -> DescribeHistory:
    table = NamedTable(read_name(reader))
    limit = reader.whole_number("a number of rows", 1) if reader.take("LIMIT") else None
    reader.end("LIMIT or the end")
    return DescribeHistory(table, limit)


def _parse_show_compactions(reader: Reader) -> ShowCompactions:
    if reader.take("COMPACT_ID"):
        reader.require("=")
        compaction_id = reader.whole_number("the ID of a compaction")
        reader.end("the end")
        return ShowCompactions(compaction_id=compaction_id)
    table, database = read_scope(reader, "POOL", "TYPE", "STATUS", "STATE", "ORDER", "LIMIT")
    pool = read_pool(reader)
    kind = read_choice(reader, _SHOWN_KINDS) if reader.take("TYPE") else None
    state = read_choice(reader, _STATES) if reader.take("STATUS") or reader.take("STATE") else None
    columns = [column.name for column in ShowCompactions.COLUMNS]
    keys = read_sort_keys(reader, columns) if reader.take("ORDER", "BY") else ()
    limit = reader.whole_number("a number of rows") if reader.take("LIMIT") else None
    reader.end("another clause or the end")
    return ShowCompactions(table, database, None, pool, kind, state, keys, limit)


def _parse_show_locks(reader: Reader) -> ShowLocks:
    table, database = read_scope(reader, "EXTENDED")
    reader.take("EXTENDED")
    reader.end("EXTENDED or the end")
    return ShowLocks(table, database)


def _read_ids(reader: Reader, expected: str) -> tuple[int, ...]:
    """Each once, up to the end."""
    ids = [reader.whole_number(expected)]
    while reader.next.token_type is TokenType.NUMBER:
        ids.append(reader.whole_number(expected))
    reader.end(f"{expected} or the end")
    return tuple(dict.fromkeys(ids))


def _ended(reader: Reader, statement: ParsedStatement) -> ParsedStatement:
    """The statement, of which nothing follows the title."""
    reader.end("the end")
    return statement


_PARSERS: Mapping[str, Callable[[Reader], ParsedStatement]] = {
    Compact.TITLE: _parse_compact,
    DescribeDetail.TITLE: _parse_describe_detail,
    VacuumDryRun.TITLE: _parse_vacuum,
    _OPTIMIZE: _parse_optimize,
    DescribeHistory.TITLE: _parse_describe_history,
    ShowCompactions.TITLE: _parse_show_compactions,
    ShowLocks.TITLE: _parse_show_locks,
    ShowTransactions.TITLE: lambda reader: _ended(reader, ShowTransactions()),
    AbortCompactions.TITLE: lambda reader: AbortCompactions(_read_ids(reader, "the ID of a compaction")),
    AbortTransactions.TITLE: lambda reader: AbortTransactions(_read_ids(reader, "the ID of a transaction")),
    StartTransaction.TITLE: lambda reader: _ended(reader, StartTransaction()),
    CommitTransaction.TITLE: lambda reader: _ended(reader, CommitTransaction()),
    RollBackTransaction.TITLE: lambda reader: _ended(reader, RollBackTransaction()),
}
