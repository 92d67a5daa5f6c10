"""The places of the metastore that may name a subject: names, locations, properties, statistics, default values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from hive_acid.api.tables import NULL_PARTITION, Metastore, Partition, TableDescription
from hive_acid_erasure.subjects.expressions import find_literals
from hive_acid_erasure.subjects.spotting import Spotter
from hive_acid_erasure.verify.places import Place, PlaceKind

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)*(?:-SNAPSHOT)?")
_SERVER_NUMBERS = frozenset(
    {
        "bucketing_version", "numfiles", "numrows", "totalsize", "rawdatasize", "transient_lastddltime",
        "last_modified_time", "numfileserasurecoded", "spark.sql.statistics.totalsize", "spark.sql.statistics.numrows",
        "spark.sql.create.version", "spark.sql.sources.schema.numparts", "writeid",
    }
)  # fmt: skip
"""Properties that hold counts, times and versions of the server; a number there is no subject's."""

_OF_SPARK = re.compile(r"spark\.sql\.statistics\.colstats\.(.+)\.(?:min|max)", re.IGNORECASE)
"""Properties in which Spark keeps the least and greatest values of columns; moments in UTC (CatalogColumnStat)."""

_NULL = re.compile(r"\s*(?:null|cast\s*\(\s*null\s+as\s.*\))\s*", re.IGNORECASE)

_PART = re.compile(r"(.+\.part)\.([0-9]{1,9})")
"""Properties in which Spark keeps the parts of one long text, cut anywhere (CatalogTable.splitLargeTableProp)."""

Judge = Callable[[Sequence[Mapping[str, str]]], Sequence[bool | None]]
"""See `ErasureEngine.judge_values`, of one table."""


def search_metastore(
    metastore: Metastore, table: TableDescription, partitions: Sequence[Partition], spotter: Spotter, judge: Judge
) -> Iterator[Place]:
    """The places of the metastore that name a subject: names, locations, properties, statistics and default values.

    Values of partitions, statistics and defaults are compared as texts, and by `judge` as values of the columns' types.
    """
    where = str(table.name)
    yield from _search_texts(PlaceKind.TABLE_PROPERTY, where, table.parameters, spotter)
    yield from _search_defaults(where, metastore.default_texts(table.name), spotter, judge)
    yield from _search_locations(table, partitions, spotter)
    yield from _search_values(table, partitions, spotter, judge)
    for partition in partitions:
        name = f"{where} PARTITION ({spotter.mask(partition.name)})"
        yield from _search_texts(PlaceKind.PARTITION_PROPERTY, name, partition.parameters, spotter)
    yield from _search_extremes(metastore, table, partitions, spotter, judge)


def _search_locations(table: TableDescription, partitions: Sequence[Partition], spotter: Spotter) -> Iterator[Place]:
    """The locations that name a subject, whether a file lies there or not. A name of a partition is told as such."""
    for path, name in list_locations(table, partitions).items():
        if spotter.count(path):
            yield Place(PlaceKind.PATH, spotter.mask(path), "this location in the metastore names a subject", name)


def list_locations(table: TableDescription, partitions: Sequence[Partition]) -> dict[str, str]:
    """The locations that tell more than names of partitions, each with the name of its partition."""
    own = {partition.location: partition.name for partition in partitions}
    root = table.location.rstrip("/")
    return {table.location: "", **{path: name for path, name in own.items() if path.rstrip("/") != f"{root}/{name}"}}


def list_values(table: TableDescription, partitions: Sequence[Partition]) -> list[dict[str, str]]:
    """The values of each partition by column; NULL is left out."""
    columns = [column.name for column in table.partition_columns]
    return [
        {column: value for column, value in zip(columns, partition.values, strict=False) if value != NULL_PARTITION}
        for partition in partitions
    ]


def _search_values(
    table: TableDescription, partitions: Sequence[Partition], spotter: Spotter, judge: Judge
) -> Iterator[Place]:
    """The partitions whose values name a subject."""
    for partition, answer in zip(partitions, judge(list_values(table, partitions)), strict=True):
        name = f"{table.name} PARTITION ({spotter.mask(partition.name)})"
        cure = "drop the partition: its name stays when its rows are gone"
        is_value = any(spotter.names((value,)) for value in partition.values) or spotter.names(partition.values)
        if answer or is_value or spotter.count(partition.name):  # a value may be a text in which a name stands
            yield Place(PlaceKind.PARTITION_NAME, name, f"its values name a subject; {cure}")
        elif answer is None:
            yield Place(PlaceKind.PARTITION_NAME, name, "its values cannot be compared, for they are none of the type")


def _search_defaults(where: str, texts: Mapping[str, str], spotter: Spotter, judge: Judge) -> Iterator[Place]:
    """The default values that name a subject: by their text, or by a literal in it."""
    spelled = {column: dict.fromkeys((text, *find_literals(text))) for column, text in texts.items()}
    values = [(column, value) for column, each in spelled.items() for value in each]
    answers = dict[str, list[bool | None]]()
    for (column, _), answer in zip(values, judge([{column: value} for column, value in values]), strict=True):
        answers.setdefault(column, []).append(answer)
    for column, text in texts.items():
        if spotter.count(column) or spotter.count(text) or any(answers[column]):
            yield Place(PlaceKind.DEFAULT_VALUE, where, f"{spotter.mask(column)} names a subject")
        elif False not in answers[column] and not _NULL.fullmatch(text):
            detail = f"that of {spotter.mask(column)} cannot be compared, for it is no value of the column's type"
            yield Place(PlaceKind.DEFAULT_VALUE, where, detail)


def _search_extremes(
    metastore: Metastore, table: TableDescription, partitions: Sequence[Partition], spotter: Spotter, judge: Judge
) -> Iterator[Place]:
    """The column statistics that name a subject."""
    cure = "compute the statistics anew: ANALYZE TABLE … FOR COLUMNS in the engine that keeps them"
    extremes = metastore.column_extremes(table.name, [partition.name for partition in partitions])
    places = [(place, value) for place, values in extremes.items() for value in values]
    places += _list_extremes_of_spark(table)
    answers = judge([{column: value} for (_, column), value in places])
    named, unknown = dict[tuple[str, str], None](), dict[tuple[str, str], None]()
    for (place, value), answer in zip(places, answers, strict=True):
        if answer or spotter.names((value,)):
            named[place] = None
        elif answer is None:
            unknown[place] = None
    for name, column in (*named, *(place for place in unknown if place not in named)):
        at = f"{table.name} PARTITION ({spotter.mask(name)})" if name else str(table.name)
        problem = "" if (name, column) in named else " cannot be compared"
        yield Place(PlaceKind.COLUMN_STATISTICS, at, f"the least or greatest value of {column}{problem}; {cure}")


def _list_extremes_of_spark(table: TableDescription) -> Iterator[tuple[tuple[str, str], str]]:
    types = {column.name.lower(): column.type for column in (*table.columns, *table.partition_columns)}
    for name, text in table.parameters.items():
        if found := _OF_SPARK.fullmatch(name):
            is_moment = types.get(found[1].lower(), "").lower().startswith("timestamp")
            yield ("", found[1]), f"{text}+00:00" if is_moment else text


def _search_texts(kind: PlaceKind, where: str, texts: Mapping[str, str], spotter: Spotter) -> Iterator[Place]:
    for name, text in (*texts.items(), *_join_parts(texts)):
        if name.lower() in _SERVER_NUMBERS and _NUMBER.fullmatch(text):
            continue
        if spotter.count(name) or spotter.count(text):
            yield Place(kind, where, f"{spotter.mask(name)} names a subject")


def _join_parts(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The texts that stand in several properties, each by the beginning of their names."""
    parts: dict[str, dict[int, str]] = {}
    for name, text in texts.items():
        if found := _PART.fullmatch(name):
            parts.setdefault(found[1], {})[int(found[2])] = text
    for name, numbered in parts.items():
        yield name, "".join(numbered[number] for number in sorted(numbered))
