"""The SQL texts of an erasure; subjects and the hash key never stand in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hive_acid.api.tables import NULL_PARTITION, TableDescription, TableName
from hive_acid_erasure.engine import Key

_SIGNED_ZEROS = ("float", "double")
SESSION_CATALOG = "spark_catalog"
"""Spark's name for it."""


def quote_name(name: str) -> str:
    """The name as SQL quotes it."""
    escaped = name.replace("`", "``")
    return f"`{escaped}`"


def quote_table(table: TableName) -> str:
    """The table of the session's own catalog as SQL names it, whatever catalog is the current one."""
    return ".".join(map(quote_name, (SESSION_CATALOG, table.database, table.table)))


def build_parts(key: Key, types: Sequence[str]) -> str:
    """The parts of a key, of these types, as an array of texts."""
    return f"array({', '.join(map(_build_text, key.parts, types))})"


def build_elements(key: Key, element_type: str) -> str:
    """The elements of an array of such, each of which is a key of one part, as texts."""
    values = f"({key.parts[0]})"
    if signed := _find_signed(element_type):
        values = f"transform({values}, element -> element + CAST(0 AS {signed}))"
    return f"CAST({values} AS ARRAY<STRING>)"


def _build_text(part: str, type_: str) -> str:
    """The text of a part. Both zeros are equal, and have that of 0.0."""
    signed = _find_signed(type_)
    return f"CAST(({part}) + CAST(0 AS {signed}) AS STRING)" if signed else f"CAST(({part}) AS STRING)"


def _find_signed(type_: str) -> str | None:
    """The type as SQL names it, if it has two zeros; which Java spells its values is no part of that."""
    name = type_.partition(" ")[0]
    return name if name in _SIGNED_ZEROS else None


@dataclass(frozen=True)
class TypedKey:
    """A key, the types of its parts, and whether it is an array, each element of which is a value."""

    key: Key
    types: tuple[str, ...]
    is_array: bool


@dataclass(frozen=True)
class HashFunctions:
    """Names of functions: `hash` of an array of texts, NULL if one of them is, and `quiet` of any value.

    The latter is the value itself, and its errors tell no value.
    """

    hash: str
    quiet: str


def build_links(table: str, condition: str, keys: Sequence[TypedKey], link: TypedKey, names: HashFunctions) -> str:
    """Each pair of what a key of a row that meets the condition names and what `link` gives, as hashes.

    A row without a link gives NULL.
    """
    subjects = f"{names.quiet}(concat({', '.join(map(_build_values, keys))}))"
    links = f"{names.quiet}({_build_values(link)})"
    rows = f"SELECT {subjects} AS subjects, {links} AS links FROM {table} WHERE {condition}"
    one_subject = f"SELECT explode(subjects) AS subject, links FROM ({rows})"
    pairs = f"SELECT subject, explode_outer(links) AS link FROM ({one_subject})"
    return f"SELECT DISTINCT {names.hash}(subject) AS subject, {names.hash}(link) AS link FROM ({pairs})"


def build_given(table: str, condition: str, link: TypedKey, names: HashFunctions) -> str:
    """The links that rows give which meet the condition, as hashes; NULL for a link with a part that is NULL."""
    rows = f"SELECT {names.quiet}({_build_values(link)}) AS links FROM {table} WHERE {condition}"
    return f"SELECT DISTINCT {names.hash}(link) AS link FROM (SELECT explode(links) AS link FROM ({rows}))"


def _build_values(typed: TypedKey) -> str:
    """The values of a key as an array of arrays of texts."""
    if not typed.is_array:
        return f"array({build_parts(typed.key, typed.types)})"
    empty = "CAST(array() AS ARRAY<STRING>)"
    elements = build_elements(typed.key, typed.types[0])
    return f"transform(coalesce({elements}, {empty}), element -> array(element))"


def build_filter(condition: str, partitions: str | None) -> str:
    """The rows of subjects, in the partitions that are meant."""
    return condition if partitions is None else f"({condition}) AND ({partitions})"


def build_counts(table: TableDescription, condition: str) -> str:
    """The number of rows that meet the condition, by partition. Values of partitions are texts."""
    name = quote_table(table.name)
    texts = [f"CAST({quote_name(column.name)} AS STRING)" for column in table.partition_columns]
    selected = ", ".join([*(f"{text} AS p{i}" for i, text in enumerate(texts)), "count(*) AS n"])
    grouped = f" GROUP BY {', '.join(texts)}" if texts else ""
    return f"SELECT {selected} FROM {name} WHERE {condition}{grouped}"


def build_overwrite(table: TableDescription, condition: str, chosen: str | None) -> str:
    """Writes the rows that do not meet the condition anew, in the partitions for which `chosen` is true."""
    name = quote_table(table.name)
    columns = ", ".join(quote_name(column.name) for column in (*table.columns, *table.partition_columns))
    keys = ", ".join(quote_name(column.name) for column in table.partition_columns)
    clause = f" PARTITION ({keys})" if keys else ""
    where = build_filter(f"NOT ({condition})", chosen)
    return f"INSERT OVERWRITE TABLE {name}{clause} SELECT {columns} FROM {name} WHERE {where}"


def build_partition_key(table: TableDescription) -> Key:
    """The partition columns, as if they named subjects; NULL is a value among others."""
    texts = (f"CAST({quote_name(column.name)} AS STRING)" for column in table.partition_columns)
    return Key(tuple(f"coalesce({text}, '{NULL_PARTITION}')" for text in texts))


def join_conditions(conditions: Sequence[str]) -> str:
    """True for a row that meets one of them."""
    return " OR ".join(f"({condition})" for condition in conditions) or "false"
