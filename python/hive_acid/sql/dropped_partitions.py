"""`ALTER TABLE … DROP PARTITION` with comparisons, which Hive knows and Spark's parser does not."""

from __future__ import annotations

from hive_acid.errors import InvalidStatement
from hive_acid.sql.dialect import find_tokens
from hive_acid.sql.operator_clauses import read_name
from hive_acid.sql.reader import Reader
from hive_acid.wire.rewriting import PartitionDrop

_TITLE = "ALTER TABLE … DROP PARTITION"
_FORM = (
    "ALTER TABLE table DROP [IF EXISTS] PARTITION (column = | <> | < | <= | > | >= value, …)[, PARTITION (…)] [PURGE]"
)


def find_partition_drop(text: str) -> PartitionDrop | None:
    """The statement in a text that Spark's parser has refused; None if it is another one, or goes wrong."""
    reader = Reader(text, find_tokens(text), _TITLE, _FORM)
    try:
        return _parse(reader)
    except InvalidStatement:
        return None


def _parse(reader: Reader) -> PartitionDrop:
    reader.require("ALTER")
    reader.require("TABLE")
    table = read_name(reader)
    reader.require("DROP")
    if_exists = reader.take("IF", "EXISTS")
    clauses = [_read_clause(reader)]
    while reader.take(","):
        clauses.append(_read_clause(reader))
    purges = reader.take("PURGE")
    reader.end("another PARTITION, PURGE or the end")
    return PartitionDrop(table, " OR ".join(clauses), if_exists, purges)


def _read_clause(reader: Reader) -> str:
    reader.require("PARTITION")
    reader.require("(")
    comparisons = [_read_comparison(reader)]
    while reader.take(","):
        comparisons.append(_read_comparison(reader))
    reader.require(")", ", or )")
    return f"({' AND '.join(comparisons)})"


def _read_comparison(reader: Reader) -> str:
    return reader.text_until("a column, a comparison and a value", ",", ")")
