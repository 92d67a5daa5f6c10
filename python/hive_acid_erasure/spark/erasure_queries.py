"""The queries of an erasure: visible rows of subjects, and the links that they give."""

from __future__ import annotations

from collections.abc import Mapping

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.messages import read as read_message
from hive_acid.api.messages import write as write_message
from hive_acid.api.tables import FileFormat, Metastore, TableDescription, TableKind, TableName
from hive_acid_erasure.engine import Key, KeyedHashes, MatchCount, Matcher
from hive_acid_erasure.spark.erasure_sql import (
    build_counts,
    build_filter,
    build_given,
    build_links,
    join_conditions,
    quote_name,
    quote_table,
)
from hive_acid_erasure.spark.pinned_session import find_settings_of_lines
from hive_acid_erasure.spark.subject_functions import SubjectFunctions, describe_failure, quiet_jobs

_SKIPPING = ("spark.files.ignoreCorruptFiles", "spark.files.ignoreMissingFiles")
"""The settings of an application by which a query may leave out files without saying so; no session overrides them."""
_FORMATS_OF_LINES = (FileFormat.TEXTFILE, FileFormat.JSONFILE)
_AMBIGUOUS = bytes(32)
"""In place of the hash of a text in which several people's may have fallen together (HashOfParts)."""
_CACHED = "a cache holds its rows, which may be others by now; UNCACHE TABLE it"


class ErasureQueries:
    """Queries in the session of an erasure, with the functions that know its subjects."""

    def __init__(self, session: SparkSession, metastore: Metastore, functions: SubjectFunctions) -> None:
        self._session = session
        self._metastore = metastore
        self._functions = functions

    def links(self, matcher: Matcher, link: Key) -> Mapping[bytes, frozenset[bytes]]:
        """See `ErasureEngine`."""
        functions, table = self._functions, matcher.table
        known = frozenset[bytes]().union(*(keyed.hashes for keyed in matcher.keys))
        if not known:
            return {}
        self._look_at_all(table)
        keys, typed = [functions.type_key(table, key) for key in _find_used(matcher)], functions.type_key(table, link)
        found: dict[bytes, set[bytes]] = {}
        with functions.conditions(matcher) as conditions, functions.hash_functions() as names:
            query = build_links(quote_table(table), join_conditions(conditions), keys, typed, names)
            with quiet_jobs(self._session.sparkContext):
                rows = self._session.sql(query).collect()
            for row in rows:
                if row.subject is not None and bytes(row.subject) in known:
                    found.setdefault(bytes(row.subject), set()).update(() if row.link is None else (bytes(row.link),))
        if any(_AMBIGUOUS in links for links in found.values()):
            raise build_error("HIVE_ACID_ERASURE.AMBIGUOUS_LINK", table=table, link=", ".join(link.parts))
        return {subject: frozenset(links) for subject, links in found.items()}

    def count_shared(self, matcher: Matcher, link: Key, links: frozenset[bytes]) -> int:
        """See `ErasureEngine`."""
        functions, table = self._functions, matcher.table
        self._look_at_all(table)
        typed, given = functions.type_key(table, link), Matcher(table, (KeyedHashes(link, links),))
        with (
            functions.conditions(matcher) as named,
            functions.conditions(given) as giving,
            functions.hash_functions() as names,
            quiet_jobs(self._session.sparkContext),
        ):
            condition = f"NOT ({join_conditions(named)}) AND ({join_conditions(giving)})"
            rows = self._session.sql(build_given(quote_table(table), condition, typed, names)).collect()
        return sum(row.link is not None and bytes(row.link) in links for row in rows)

    def _look_at_all(self, table: TableName) -> None:
        """As `_look_anew`. Raises HIVE_ACID_ERASURE.NOT_COUNTED where files of a plain table may be left out, too."""
        if self._metastore.table(table).kind is TableKind.PLAIN and self._skips_files():
            raise _not_counted(table, f"the application lets files be left out; unset {' and '.join(_SKIPPING)}")
        self._look_anew(table)

    def _look_anew(self, table: TableName) -> None:
        """Spark lists the files of a plain table once, and shows others' changes of it to no later query.

        Raises HIVE_ACID_ERASURE.NOT_COUNTED for a table of which a query would show other rows than it has.
        """
        described = self._metastore.table(table)
        for key in find_settings_of_lines(self._session) if described.file_format in _FORMATS_OF_LINES else ():
            raise _not_counted(table, f"the setting {key} decides on what a line is, and how long; unset it")
        if self._session.catalog.isCached(quote_table(table)):
            raise _not_counted(table, _CACHED)
        if described.kind is TableKind.PLAIN:  # caches of others stay as they are
            state = self._functions.session.sessionState()
            named = f"{quote_name(table.database)}.{quote_name(table.table)}"
            state.catalog().refreshTable(state.sqlParser().parseTableIdentifier(named))

    def count(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        """See `ErasureEngine`."""
        functions, table = self._functions, matcher.table
        try:
            self._look_anew(table)
            with quiet_jobs(self._session.sparkContext):
                with functions.limit("true") as always:  # a plan that nobody else has: no cached count answers it
                    total = self._session.table(quote_table(table)).where(str(always)).count()
                with functions.conditions(matcher) as conditions, functions.limit(partitions) as limit:
                    chosen = build_filter(join_conditions(conditions), limit)
                    return MatchCount(total, self.count_by_partition(self._metastore.table(table), chosen))
        except HiveAcidError:
            raise
        except (PySparkException, Py4JJavaError) as error:
            raise _not_counted(table, describe_failure(error)) from None

    def counts_all(self, table: TableName) -> bool:
        """See `ErasureEngine`."""
        return not self._skips_files() and not self._session.catalog.isCached(quote_table(table))

    def _skips_files(self) -> bool:
        return any(str(self._session.conf.get(key, "false")).lower() == "true" for key in _SKIPPING)

    def count_by_partition(self, table: TableDescription, condition: str) -> dict[str, int]:
        """The rows that meet the condition, by the metastore's names of partitions.

        Several partitions may stand for the same values, in other spellings: the first of them is named.
        """
        rows = self._session.sql(build_counts(table, condition)).collect()
        counts = {tuple(row)[:-1]: int(row.n) for row in rows if row.n}
        if not table.is_partitioned:
            return {"": counts[()]} if counts else {}
        names = self.find_texts(table) if counts else {}
        found = {name: counts.pop(texts, 0) for name, texts in names.items() if texts in counts}
        if counts:
            raise build_error("HIVE_ACID_ERASURE.PARTITIONS_CHANGED", table=table.name)
        return found

    def find_texts(self, table: TableDescription) -> dict[str, tuple[str | None, ...]]:
        """The values of the table's partitions as `CAST(… AS STRING)` shows them, by the names of partitions."""
        names = tuple(self._metastore.partition_names(table.name))
        functions = self._functions
        found = functions.api.partitionTexts(functions.session, quote_table(table.name), write_message(names))
        return dict(zip(names, read_message(tuple[tuple[str | None, ...], ...], found), strict=True))


def _not_counted(table: TableName, failure: str) -> HiveAcidError:
    return build_error("HIVE_ACID_ERASURE.NOT_COUNTED", table=table, failure=failure)


def _find_used(matcher: Matcher) -> list[Key]:
    return [keyed.key for keyed in matcher.keys if keyed.hashes]
